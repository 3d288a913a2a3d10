"""The match as a state machine: its transitions, the life of a game, and commands that must not change it."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.feedback import Feedback, Turn
from evilpegs_game.rules import Rules
from evilpegs_protocol.server_messages import ErrorCode, Expected
from evilpegs_server.match.events import (
    AnswerRepeated,
    GameBegun,
    GameEnded,
    GameOpened,
    GuessAnswered,
    MatchEnded,
    NeedReply,
    TurnOpened,
)
from evilpegs_server.match.ladders import READY_MS
from evilpegs_server.match.match import IDLE_MS, STRIKES, TRANSITIONS, Match, RefusedError, State
from support.match_states import durable_state, snapshot

SOLVED, MISSED = Feedback(2, 0), Feedback(0, 1)
GRACE_MS = 60_000


def outcomes(events):
    """Return the outcomes of the games that ended."""
    return [event.outcome for event in events if isinstance(event, GameEnded)]


def words(message):
    """Return the words, numbers and rules that a message names."""
    return set(re.findall(r"[\w-]+", message))


def refusal(driver, command, *args):
    """Send a command that must be refused without changing anything, and return why it was refused."""
    before = snapshot(driver.match)
    with pytest.raises(RefusedError) as caught:
        driver.do(command, *args)
    assert snapshot(driver.match) == before
    error = caught.value
    game, turn = driver.match.game_and_turn
    assert error.expected == (None if driver.match.over else Expected(game=game, turn=turn))
    return error.code


def in_state(driver, state):
    """Bring a match of two games to ``state`` in its first game."""
    if state is State.OVER:
        driver.do("resign", None)
    elif state is not State.READY:
        driver.begin()
        if state is State.THINKING:
            driver.guess("11")
    assert driver.match.state is state
    return driver


COMMANDS = {
    "ready": ("ready", 1, None),
    "guess": ("guess", 1, 1, "12"),
    "illegal": ("guess", 1, 1, "14"),
    "resign": ("resign", 1),
    "resign all": ("resign", None),
    "reply": ("reply", MISSED),
    "fail": ("fail",),
    "timeout": ("handle_timeout",),
}
FAULT = RuntimeError
BEFORE_READY = ErrorCode.NOT_READY
TABLE = {
    State.READY: (State.TURN, BEFORE_READY, BEFORE_READY, State.READY, State.OVER, FAULT, FAULT, State.READY),
    State.TURN: (State.TURN, State.THINKING, State.TURN, State.READY, State.OVER, FAULT, FAULT, State.READY),
    State.THINKING: (FAULT, FAULT, FAULT, FAULT, FAULT, State.TURN, State.READY, State.THINKING),
    State.OVER: (*[ErrorCode.GAME_OVER] * 5, FAULT, FAULT, State.OVER),
}
"""The result of each command of `COMMANDS` in each state."""


class TestTable:
    """Each command in each state leads to a state, to a refusal, or to an error of the caller."""

    @pytest.mark.parametrize("state", State)
    @pytest.mark.parametrize("command", COMMANDS)
    def test_command_leads_to_table_entry(self, new_match, state, command):
        driver = in_state(new_match(), state).wait(IDLE_MS if command == "timeout" else 1)
        expected = dict(zip(COMMANDS, TABLE[state], strict=True))[command]
        if isinstance(expected, State):
            driver.do(*COMMANDS[command])
            assert driver.match.state is expected
        elif isinstance(expected, ErrorCode):
            assert refusal(driver, *COMMANDS[command]) is expected
        else:
            before = snapshot(driver.match)
            with pytest.raises(FAULT):
                driver.do(*COMMANDS[command])
            assert snapshot(driver.match) == before

    def test_transitions_cover_table(self):
        for state, results in TABLE.items():
            moves = {result for result in results if isinstance(result, State)}
            assert moves - TRANSITIONS[state] <= {state}

    def test_rebuilt_refuses_move_outside_table(self, tiny):
        facts = [GameOpened(1), MatchEnded((), (), 0), GameOpened(2)]
        with pytest.raises(RuntimeError) as caught:
            Match.from_facts(tiny, facts)
        assert {"over", "ready"} <= words(str(caught.value))


class TestLife:
    def test_match_start_opens_first_game(self, tiny):
        match = Match(tiny)
        assert match.start(5.0) == [GameOpened(1)]
        assert (match.state, match.game_and_turn) == (State.READY, (1, 0))
        assert match.deadline() == 5 + READY_MS

    def test_match_of_two_games_yields_all_events(self, new_match):
        driver = new_match()
        assert driver.begin("mine") == [GameBegun(1, "mine"), TurnOpened(1, 1, 10_000)]
        assert driver.wait(300).guess("12") == [NeedReply(1, 1, (0, 1), (), "mine")]
        assert driver.wait(50_000).do("reply", MISSED) == [
            GuessAnswered(1, 1, (0, 1), MISSED, 300, 10_700),
            TurnOpened(1, 2, 10_700),
        ]
        missed = Turn((0, 1), MISSED)
        assert driver.wait(200).guess("22") == [NeedReply(1, 2, (1, 1), (missed,), "mine")]
        history = (missed, Turn((1, 1), SOLVED))
        assert driver.do("reply", SOLVED) == [
            GuessAnswered(1, 2, (1, 1), SOLVED, 200, 11_500),
            GameEnded(1, "solved", 2, 500, history, "mine", begun=True, opened=True),
            GameOpened(2),
        ]
        assert driver.begin() == [GameBegun(2, None), TurnOpened(2, 1, 10_000)]
        driver.wait(40)
        assert driver.answer("33", SOLVED)[1:] == [
            GameEnded(2, "solved", 1, 40, (Turn((2, 2), SOLVED),), None, begun=True, opened=True),
            MatchEnded(("solved", "solved"), (2, 1), 540),
        ]
        assert driver.match.over
        assert driver.match.deadline() is None

    def test_guess_limit_ends_game_unsolved(self, new_match):
        driver = new_match(guess_limit=2)
        driver.begin()
        assert not outcomes(driver.answer("11"))
        assert outcomes(driver.answer("11")) == ["unsolved"]

    def test_last_guess_may_solve_game(self, new_match):
        driver = new_match(guess_limit=1)
        driver.begin()
        assert outcomes(driver.answer("11", SOLVED)) == ["solved"]

    def test_failed_reply_voids_game_only(self, new_match):
        driver = in_state(new_match(), State.THINKING)
        assert outcomes(driver.do("fail")) == ["void"]
        assert driver.match.game_and_turn == (2, 0)
        driver.begin()
        driver.guess("11")
        assert driver.do("fail")[-1] == MatchEnded(("void", "void"), (0, 0), 0)


class TestReady:
    def test_ready_again_keeps_clock_and_nonce(self, new_match):
        driver = new_match()
        driver.begin("first")
        before = snapshot(driver.wait(400).match)
        assert driver.begin("second") == [TurnOpened(1, 1, 9_600)]
        assert snapshot(driver.match) == before

    def test_ready_again_returns_open_turn(self, new_match):
        driver = in_state(new_match(), State.TURN)
        driver.answer("11")
        assert driver.begin() == [TurnOpened(1, 2, 11_000)]

    def test_ready_for_other_game_is_refused(self, new_match):
        driver = new_match()
        assert refusal(driver, "ready", 2, None) is ErrorCode.NOT_READY
        driver.do("resign", 1)
        assert refusal(driver, "ready", 1, None) is ErrorCode.GAME_OVER

    def test_missing_ready_forfeits_game(self, new_match):
        driver = new_match()
        assert driver.match.ready_by_ms(driver.wait(READY_MS - 1).now) == 1
        assert driver.do("handle_timeout") == []
        forfeited = GameEnded(1, "forfeit", 0, 0, (), None, begun=False, opened=True)
        assert driver.wait(1).do("handle_timeout") == [forfeited, GameOpened(2)]
        assert driver.match.deadline() == driver.now + READY_MS

    def test_late_ready_before_timeout_counts(self, new_match):
        driver = new_match().wait(READY_MS + 5)
        assert driver.match.ready_by_ms(driver.now) == 0
        driver.begin()
        assert driver.match.state is State.TURN


class TestGuess:
    def test_guess_before_ready_is_refused(self, new_match):
        assert refusal(new_match(), "guess", 1, 1, "11") is ErrorCode.NOT_READY

    @pytest.mark.parametrize(("game", "turn"), [(1, 2), (1, 3), (2, 1)])
    def test_guess_of_future_turn_is_refused(self, new_match, game, turn):
        driver = in_state(new_match(), State.TURN)
        assert refusal(driver, "guess", game, turn, "11") is ErrorCode.FUTURE_TURN

    @pytest.mark.parametrize("where", ["next turn", "next game", "match over"])
    class TestRepeated:
        @pytest.fixture
        def driver(self, new_match, where):
            driver = in_state(new_match(rules=Rules(2, 12)), State.TURN)
            driver.answer("1A")
            if where != "next turn":
                driver.do("resign", 1 if where == "next game" else None)
            return driver.wait(50)

        @pytest.mark.parametrize("text", ["1A", "1a"])
        def test_repeated_guess_gets_same_answer(self, driver, text):
            before = snapshot(driver.match)
            assert driver.do("guess", 1, 1, text) == [AnswerRepeated(1, 1)]
            assert snapshot(driver.match) == before

        @pytest.mark.parametrize("text", ["12", "", "1AA", "no code"])
        def test_answered_turn_refuses_other_code(self, driver, text):
            assert refusal(driver, "guess", 1, 1, text) is ErrorCode.STALE_TURN

    def test_guess_in_finished_game_is_refused(self, new_match):
        driver = in_state(new_match(), State.TURN)
        driver.do("resign", 1)
        assert refusal(driver, "guess", 1, 1, "11") is ErrorCode.GAME_OVER

    def test_guess_need_not_be_candidate(self, new_match):
        driver = in_state(new_match(), State.TURN)
        driver.answer("11")
        assert driver.guess("11") == [NeedReply(1, 2, (0, 0), (Turn((0, 0), MISSED),), None)]


class TestIllegalCode:
    @pytest.mark.parametrize("text", ["", "1", "111", "14", "1?", "1I", "\ud800\ud800", "1" * 64])
    def test_illegal_code_keeps_turn_and_clock(self, new_match, text):
        driver = in_state(new_match(), State.TURN).wait(700)
        [refused] = driver.guess(text)
        assert refused.strikes_left == STRIKES - 1
        assert {"2x3", "123"} <= words(refused.why)
        assert driver.match.game_and_turn == (1, 1)
        assert driver.match.clock.left_at(driver.now) == 9_300

    def test_illegal_code_with_repeated_color(self, new_match):
        driver = in_state(new_match(rules=Rules(2, 3, repeats=False)), State.TURN)
        [refused] = driver.guess("11")
        assert {"2x3-distinct", "123"} <= words(refused.why)

    def test_illegal_code_is_not_quoted(self, new_match):
        driver = in_state(new_match(), State.TURN)
        assert driver.guess("<&x>") == [replace(driver.guess("14")[0], strikes_left=STRIKES - 1)]

    def test_third_illegal_code_forfeits_game(self, new_match):
        driver = in_state(new_match(), State.TURN)
        assert [driver.guess("14")[0].strikes_left for _ in range(STRIKES - 1)] == [2, 1]
        last, *others = driver.guess("14")
        assert last.strikes_left == 0
        assert outcomes(others) == ["forfeit"]

    def test_illegal_codes_are_counted_per_game(self, new_match):
        driver = in_state(new_match(), State.TURN)
        driver.guess("14")
        driver.answer("11")
        assert driver.guess("14")[0].strikes_left == 1
        driver.do("resign", 1)
        driver.begin()
        assert driver.guess("14")[0].strikes_left == 2


class TestOrderOfChecks:
    """A guess is checked for its game and turn first, then against the clock, then for legality."""

    LATE = 10_001

    def test_finished_game_is_checked_first(self, new_match):
        driver = in_state(new_match(), State.TURN)
        driver.do("resign", 1)
        assert refusal(driver.wait(self.LATE), "guess", 1, 1, "illegal") is ErrorCode.GAME_OVER

    def test_turn_is_checked_before_clock(self, new_match):
        driver = in_state(new_match(), State.TURN).wait(self.LATE)
        assert refusal(driver, "guess", 1, 2, "illegal") is ErrorCode.FUTURE_TURN

    def test_clock_is_checked_before_legality(self, new_match):
        driver = in_state(new_match(), State.TURN).wait(self.LATE)
        assert [type(event) for event in driver.guess("illegal")] == [GameEnded, GameOpened]

    def test_repeated_guess_is_checked_before_clock(self, new_match):
        driver = in_state(new_match(), State.TURN)
        driver.answer("11")
        assert driver.wait(2 * self.LATE).do("guess", 1, 1, "11") == [AnswerRepeated(1, 1)]


class TestClock:
    def test_guess_at_last_millisecond_counts(self, new_match):
        driver = in_state(new_match(), State.TURN).wait(10_000)
        assert driver.do("handle_timeout") == []
        driver.answer("11")
        assert driver.match.open_turn(0.0) == TurnOpened(1, 2, 1_000)

    def test_guess_after_deadline_flags(self, new_match):
        driver = in_state(new_match(), State.TURN).wait(10_001)
        flagged = GameEnded(1, "flagged", 0, 10_001, (), None, begun=True, opened=True)
        assert driver.guess("11") == [flagged, GameOpened(2)]

    def test_silent_player_flags(self, new_match):
        driver = in_state(new_match(), State.TURN)
        assert driver.match.deadline() == 10_000
        assert driver.wait(9_999).do("handle_timeout") == []
        assert outcomes(driver.wait(2).do("handle_timeout")) == ["flagged"]

    def test_clock_starts_once_when_turn_is_sent(self, tiny):
        match = Match(tiny)
        match.start(0)
        match.ready(1, None, 100)
        assert match.deadline() is None
        assert match.clock.left_at(5_000) == 10_000
        match.start_clock(5_000)
        match.start_clock(6_000)
        assert match.deadline() == 15_000
        assert match.clock.left_at(6_000) == 9_000
        assert match.clock.left_at(99_000) == 0

    @pytest.mark.parametrize("state", [State.READY, State.THINKING, State.OVER])
    def test_clock_stands_without_open_turn(self, new_match, state):
        driver = in_state(new_match(), state)
        before = snapshot(driver.match)
        driver.match.start_clock(driver.now)
        assert snapshot(driver.match) == before

    def test_resigned_turn_counts_as_elapsed(self, new_match):
        driver = in_state(new_match(), State.TURN)
        driver.wait(1_200).answer("11")
        assert driver.wait(300).do("resign", 1)[0].elapsed_ms == 1_500

    def test_untimed_game_ends_after_idle_hour(self, new_match):
        driver = in_state(new_match(clock=None), State.TURN)
        assert driver.match.clock.left_at(driver.wait(IDLE_MS - 1).now) is None
        assert driver.do("handle_timeout") == []
        driver.answer("11")
        assert driver.match.deadline() == driver.now + IDLE_MS
        assert outcomes(driver.wait(IDLE_MS).do("handle_timeout")) == ["forfeit"]


class TestResign:
    @pytest.mark.parametrize("state", [State.READY, State.TURN])
    def test_resign_ends_one_game(self, new_match, state):
        driver = in_state(new_match(), state)
        begun = state is State.TURN
        resigned = GameEnded(1, "resigned", 0, 0, (), None, begun=begun, opened=True)
        assert driver.do("resign", 1) == [resigned, GameOpened(2)]

    @pytest.mark.parametrize("state", [State.READY, State.TURN])
    def test_resign_all_ends_every_game_left(self, new_match, state):
        driver = in_state(new_match(games=3), state)
        resigned = [
            GameEnded(1, "resigned", 0, 0, (), None, begun=state is State.TURN, opened=True),
            GameEnded(2, "resigned", 0, 0, (), None, begun=False, opened=False),
            GameEnded(3, "resigned", 0, 0, (), None, begun=False, opened=False),
        ]
        assert driver.do("resign", None) == [*resigned, MatchEnded(("resigned",) * 3, (0, 0, 0), 0)]

    def test_resign_all_in_last_game_ends_match(self, new_match):
        driver = new_match()
        driver.do("resign", 1)
        assert outcomes(driver.do("resign", None)) == ["resigned"]
        assert driver.match.over

    def test_resign_of_future_game_is_refused(self, new_match):
        assert refusal(new_match(), "resign", 2) is ErrorCode.NOT_READY


class TestRebuilt:
    """A match that is rebuilt after a restart follows from its facts."""

    @settings(deadline=None)
    @given(st.data())
    def test_rebuilt_match_equals_live_match(self, random_matches, data):
        driver = data.draw(random_matches)
        for count, known in driver.steps:
            assert durable_state(Match.from_facts(driver.match.ladder, driver.facts[:count])) == known

    @settings(deadline=None)
    @given(st.data())
    def test_rebuilt_accepts_every_prefix_of_facts(self, random_matches, data):
        driver = data.draw(random_matches)
        for count in range(len(driver.facts) + 1):
            Match.from_facts(driver.match.ladder, driver.facts[:count])

    @pytest.fixture
    def again(self, new_match):
        """Return a function that restarts a match at moment 0."""

        def rebuild(driver):
            restarted = new_match(driver.match.ladder)
            restarted.match = Match.from_facts(driver.match.ladder, driver.facts)
            restarted.match.recover(restarted.now, GRACE_MS)
            return restarted

        return rebuild

    def test_rebuilt_turn_runs_from_time_left(self, new_match, again):
        driver = in_state(new_match(), State.TURN)
        driver.wait(3_000).answer("11")
        restarted = again(driver.wait(4_000))
        assert restarted.match.deadline() == GRACE_MS
        assert restarted.match.open_turn(0.0) == TurnOpened(1, 2, 8_000)
        assert restarted.wait(GRACE_MS).do("handle_timeout") == []
        assert restarted.match.deadline() == GRACE_MS + 8_000

    def test_returning_player_starts_clock(self, new_match, again):
        restarted = again(in_state(new_match(), State.TURN)).wait(500)
        restarted.match.start_clock(restarted.now)
        assert restarted.match.deadline() == 10_500

    def test_rebuilt_match_forgets_unanswered_guess(self, new_match, again):
        restarted = again(in_state(new_match(), State.THINKING))
        assert restarted.match.open_turn(0.0) == TurnOpened(1, 1, 10_000)

    def test_rebuilt_game_waits_for_ready_again(self, new_match, again):
        restarted = again(new_match())
        assert restarted.match.deadline() == GRACE_MS + READY_MS

    def test_rebuilt_untimed_turn_gets_full_hour(self, new_match, again):
        restarted = again(in_state(new_match(clock=None), State.TURN)).wait(GRACE_MS)
        restarted.do("handle_timeout")
        assert restarted.match.deadline() == GRACE_MS + IDLE_MS


@settings(deadline=None)
@given(st.data())
def test_random_match_ends_each_game_once(random_matches, data):
    driver = data.draw(random_matches)
    games = [fact.game for fact in driver.facts if isinstance(fact, GameEnded)]
    assert games == list(range(1, len(games) + 1))
    assert sum(isinstance(fact, MatchEnded) for fact in driver.facts) == driver.match.over


class TestClose:
    """No further game begins once the round of a match is closed."""

    def test_game_that_waits_for_its_player_is_forfeited_with_all_others(self, new_match):
        driver = new_match()
        events = driver.do("close")
        assert outcomes(events) == ["forfeit"] * driver.match.ladder.games
        assert driver.match.over

    def test_open_game_goes_on_and_is_the_last(self, new_match):
        driver = in_state(new_match(), State.TURN)
        assert driver.do("close") == []
        driver.do("guess", 1, 1, "11")
        events = driver.do("reply", SOLVED)
        assert outcomes(events) == ["solved", "forfeit"]
        assert driver.match.over

    def test_match_that_is_over_stays_as_it_is(self, new_match):
        driver = in_state(new_match(), State.OVER)
        assert driver.do("close") == []
