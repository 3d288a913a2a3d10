"""The match: the table of its states, the whole life of games, and that nothing out of place changes it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.candidates import Turn
from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules
from evilpegs_server.events import (
    AnswerRepeated,
    CodeRefused,
    GameBegun,
    GameEnded,
    GameOpened,
    GuessAnswered,
    MatchEnded,
    NeedReply,
    Outcome,
    TurnOpened,
)
from evilpegs_server.match import IDLE_MS, READY_MS, STRIKES, TRANSITIONS, Match, Refusal, RefusedError, State

SOLVED, MISSED = Feedback(2, 0), Feedback(0, 1)
GRACE_MS = 60_000


def ended(events):
    """The outcomes of the games that ended."""
    return [event.outcome for event in events if isinstance(event, GameEnded)]


def refusal(driver, command, *args):
    """Why a command is refused; it changes nothing."""
    before = driver.match.snapshot()
    with pytest.raises(RefusedError) as caught:
        driver.do(command, *args)
    assert driver.match.snapshot() == before
    error = caught.value
    assert (error.game, error.turn) == driver.match.place
    return error.refusal


def in_state(driver, state):
    """A match of two games brought to ``state`` in its first game."""
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
BEFORE_READY = Refusal.NOT_READY
TABLE = {
    State.READY: (State.TURN, BEFORE_READY, BEFORE_READY, State.READY, State.OVER, FAULT, FAULT, State.READY),
    State.TURN: (State.TURN, State.THINKING, State.TURN, State.READY, State.OVER, FAULT, FAULT, State.READY),
    State.THINKING: (FAULT, FAULT, FAULT, FAULT, FAULT, State.TURN, State.READY, State.THINKING),
    State.OVER: (*[Refusal.GAME_OVER] * 5, FAULT, FAULT, State.OVER),
}
"""For each state what each command leads to."""


class TestTable:
    """Every state and every command: the state after it, a refusal, or a fault of the caller."""

    @pytest.mark.parametrize("state", State)
    @pytest.mark.parametrize("command", COMMANDS)
    def test_what_a_command_does(self, new_match, state, command):
        driver = in_state(new_match(), state).wait(IDLE_MS if command == "timeout" else 1)
        expected = dict(zip(COMMANDS, TABLE[state], strict=True))[command]
        if isinstance(expected, State):
            driver.do(*COMMANDS[command])
            assert driver.match.state is expected
        elif isinstance(expected, Refusal):
            assert refusal(driver, *COMMANDS[command]) is expected
        else:
            before = driver.match.snapshot()
            with pytest.raises(FAULT):
                driver.do(*COMMANDS[command])
            assert driver.match.snapshot() == before

    def test_the_transitions_are_those_of_the_table(self):
        for state, results in TABLE.items():
            moves = {result for result in results if isinstance(result, State)}
            assert moves - TRANSITIONS[state] <= {state}

    def test_no_move_outside_the_table_is_possible(self, tiny):
        facts = [GameOpened(1, READY_MS), MatchEnded((), (), 0), GameOpened(2, READY_MS)]
        with pytest.raises(RuntimeError, match="cannot go from over to ready"):
            Match.rebuilt(tiny, facts)


class TestLife:
    def test_a_match_opens_its_first_game(self, tiny):
        match = Match(tiny)
        assert match.start(5.0) == [GameOpened(1, READY_MS)]
        assert (match.state, match.place) == (State.READY, (1, 0))
        assert match.deadline() == 5 + READY_MS

    def test_two_games_from_beginning_to_end(self, new_match):
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
            GameEnded(1, Outcome.SOLVED, 2, 500, history, "mine", begun=True, opened=True),
            GameOpened(2, READY_MS),
        ]
        assert driver.begin() == [GameBegun(2, None), TurnOpened(2, 1, 10_000)]
        driver.wait(40)
        assert driver.answer("33", SOLVED)[1:] == [
            GameEnded(2, Outcome.SOLVED, 1, 40, (Turn((2, 2), SOLVED),), None, begun=True, opened=True),
            MatchEnded((Outcome.SOLVED, Outcome.SOLVED), (2, 1), 540),
        ]
        assert driver.match.over
        assert driver.match.deadline() is None
        assert driver.match.open_turn(0.0) is None

    def test_the_limit_of_guesses_ends_a_game(self, new_match):
        driver = new_match(guess_limit=2)
        driver.begin()
        assert not ended(driver.answer("11"))
        assert ended(driver.answer("11")) == [Outcome.UNSOLVED]

    def test_the_last_guess_may_solve(self, new_match):
        driver = new_match(guess_limit=1)
        driver.begin()
        assert ended(driver.answer("11", SOLVED)) == [Outcome.SOLVED]

    def test_a_failure_of_the_server_makes_the_game_void_and_the_match_goes_on(self, new_match):
        driver = in_state(new_match(), State.THINKING)
        assert ended(driver.do("fail")) == [Outcome.VOID]
        assert driver.match.place == (2, 0)
        driver.begin()
        driver.guess("11")
        assert driver.do("fail")[-1] == MatchEnded((Outcome.VOID, Outcome.VOID), (0, 0), 0)


class TestReady:
    def test_again_it_gives_the_open_turn_and_keeps_clock_and_nonce(self, new_match):
        driver = new_match()
        driver.begin("first")
        before = driver.wait(400).match.snapshot()
        assert driver.begin("second") == [TurnOpened(1, 1, 9_600)]
        assert driver.match.snapshot() == before

    def test_again_in_a_later_turn(self, new_match):
        driver = in_state(new_match(), State.TURN)
        driver.answer("11")
        assert driver.begin() == [TurnOpened(1, 2, 11_000)]

    def test_for_a_game_to_come_or_gone(self, new_match):
        driver = new_match()
        assert refusal(driver, "ready", 2, None) is Refusal.NOT_READY
        driver.do("resign", 1)
        assert refusal(driver, "ready", 1, None) is Refusal.GAME_OVER

    def test_without_it_the_game_is_forfeited_and_the_next_one_opens(self, new_match):
        driver = new_match()
        assert driver.match.ready_by_ms(driver.wait(READY_MS - 1).now) == 1
        assert driver.do("handle_timeout") == []
        forfeited = GameEnded(1, Outcome.FORFEIT, 0, 0, (), None, begun=False, opened=True)
        assert driver.wait(1).do("handle_timeout") == [forfeited, GameOpened(2, READY_MS)]
        assert driver.match.deadline() == driver.now + READY_MS

    def test_late_but_before_the_timer_looked_it_counts(self, new_match):
        driver = new_match().wait(READY_MS + 5)
        assert driver.match.ready_by_ms(driver.now) == 0
        driver.begin()
        assert driver.match.state is State.TURN


class TestGuess:
    def test_before_ready(self, new_match):
        assert refusal(new_match(), "guess", 1, 1, "11") is Refusal.NOT_READY

    @pytest.mark.parametrize(("game", "turn"), [(1, 2), (1, 3), (2, 1)])
    def test_of_a_turn_to_come(self, new_match, game, turn):
        driver = in_state(new_match(), State.TURN)
        assert refusal(driver, "guess", game, turn, "11") is Refusal.FUTURE_TURN

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
        def test_with_the_same_code_it_gets_the_same_answer(self, driver, text):
            before = driver.match.snapshot()
            assert driver.do("guess", 1, 1, text) == [AnswerRepeated(1, 1)]
            assert driver.match.snapshot() == before

        @pytest.mark.parametrize("text", ["12", "", "1AA", "no code"])
        def test_with_another_code_it_is_stale(self, driver, text):
            assert refusal(driver, "guess", 1, 1, text) is Refusal.STALE_TURN

    def test_of_a_turn_that_was_never_played_in_a_game_that_is_over(self, new_match):
        driver = in_state(new_match(), State.TURN)
        driver.do("resign", 1)
        assert refusal(driver, "guess", 1, 1, "11") is Refusal.GAME_OVER

    def test_no_candidate_is_needed(self, new_match):
        driver = in_state(new_match(), State.TURN)
        driver.answer("11")
        assert driver.guess("11") == [NeedReply(1, 2, (0, 0), (Turn((0, 0), MISSED),), None)]


class TestIllegalCode:
    @pytest.mark.parametrize("text", ["", "1", "111", "14", "1?", "1I", "\ud800\ud800", "1" * 64])
    def test_it_is_no_guess_and_the_clock_goes_on(self, new_match, text):
        driver = in_state(new_match(), State.TURN).wait(700)
        [refused] = driver.guess(text)
        assert refused == CodeRefused("not a code of 2x3: write 2 of 123", STRIKES - 1)
        assert driver.match.place == (1, 1)
        assert driver.match.clock.left_at(driver.now) == 9_300

    def test_where_no_color_may_repeat(self, new_match):
        driver = in_state(new_match(rules=Rules(2, 3, repeats=False)), State.TURN)
        [refused] = driver.guess("11")
        assert refused.why == "not a code of 2x3-distinct: write 2 of 123, each at most once"

    def test_the_third_forfeits_the_game(self, new_match):
        driver = in_state(new_match(), State.TURN)
        assert [driver.guess("14")[0].strikes_left for _ in range(STRIKES - 1)] == [2, 1]
        last, *others = driver.guess("14")
        assert last.strikes_left == 0
        assert ended(others) == [Outcome.FORFEIT]

    def test_they_are_counted_over_the_turns_of_a_game_and_anew_in_the_next(self, new_match):
        driver = in_state(new_match(), State.TURN)
        driver.guess("14")
        driver.answer("11")
        assert driver.guess("14")[0].strikes_left == 1
        driver.do("resign", 1)
        driver.begin()
        assert driver.guess("14")[0].strikes_left == 2


class TestOrderOfChecks:
    """Game and turn, then the clock, then legality."""

    LATE = 10_001

    def test_the_game_before_all_else(self, new_match):
        driver = in_state(new_match(), State.TURN)
        driver.do("resign", 1)
        assert refusal(driver.wait(self.LATE), "guess", 1, 1, "illegal") is Refusal.GAME_OVER

    def test_the_turn_before_clock_and_legality(self, new_match):
        driver = in_state(new_match(), State.TURN).wait(self.LATE)
        assert refusal(driver, "guess", 1, 2, "illegal") is Refusal.FUTURE_TURN

    def test_the_clock_before_legality(self, new_match):
        driver = in_state(new_match(), State.TURN).wait(self.LATE)
        assert [type(event) for event in driver.guess("illegal")] == [GameEnded, GameOpened]

    def test_a_repeated_guess_before_the_clock(self, new_match):
        driver = in_state(new_match(), State.TURN)
        driver.answer("11")
        assert driver.wait(2 * self.LATE).do("guess", 1, 1, "11") == [AnswerRepeated(1, 1)]


class TestClock:
    def test_a_guess_at_the_last_millisecond_counts(self, new_match):
        driver = in_state(new_match(), State.TURN).wait(10_000)
        assert driver.do("handle_timeout") == []
        driver.answer("11")
        assert driver.match.open_turn(0.0) == TurnOpened(1, 2, 1_000)

    def test_a_guess_after_it_flags(self, new_match):
        driver = in_state(new_match(), State.TURN).wait(10_001)
        flagged = GameEnded(1, Outcome.FLAGGED, 0, 10_001, (), None, begun=True, opened=True)
        assert driver.guess("11") == [flagged, GameOpened(2, READY_MS)]

    def test_silence_flags(self, new_match):
        driver = in_state(new_match(), State.TURN)
        assert driver.match.deadline() == 10_000
        assert driver.wait(9_999).do("handle_timeout") == []
        assert ended(driver.wait(2).do("handle_timeout")) == [Outcome.FLAGGED]

    def test_it_starts_when_the_player_was_told_and_only_once(self, tiny):
        match = Match(tiny)
        match.start(0)
        match.ready(1, None, 100)
        assert match.deadline() is None
        assert match.clock.left_at(5_000) == 10_000
        match.turn_sent(5_000)
        match.turn_sent(6_000)
        assert match.deadline() == 15_000
        assert match.clock.left_at(6_000) == 9_000
        assert match.clock.left_at(99_000) == 0

    @pytest.mark.parametrize("state", [State.READY, State.THINKING, State.OVER])
    def test_it_does_not_start_without_an_open_turn(self, new_match, state):
        driver = in_state(new_match(), state)
        before = driver.match.snapshot()
        driver.match.turn_sent(driver.now)
        assert driver.match.snapshot() == before

    def test_a_resigned_turn_is_counted_as_far_as_it_went(self, new_match):
        driver = in_state(new_match(), State.TURN)
        driver.wait(1_200).answer("11")
        assert driver.wait(300).do("resign", 1)[0].elapsed_ms == 1_500

    def test_an_untimed_game_ends_after_an_hour_without_a_guess(self, new_match):
        driver = in_state(new_match(clock=None), State.TURN)
        assert driver.match.clock.left_at(driver.wait(IDLE_MS - 1).now) is None
        assert driver.do("handle_timeout") == []
        driver.answer("11")
        assert driver.match.deadline() == driver.now + IDLE_MS
        assert ended(driver.wait(IDLE_MS).do("handle_timeout")) == [Outcome.FORFEIT]


class TestResign:
    @pytest.mark.parametrize("state", [State.READY, State.TURN])
    def test_one_game(self, new_match, state):
        driver = in_state(new_match(), state)
        begun = state is State.TURN
        resigned = GameEnded(1, Outcome.RESIGNED, 0, 0, (), None, begun=begun, opened=True)
        assert driver.do("resign", 1) == [resigned, GameOpened(2, READY_MS)]

    @pytest.mark.parametrize("state", [State.READY, State.TURN])
    def test_every_game_left(self, new_match, state):
        driver = in_state(new_match(games=3), state)
        resigned = [
            GameEnded(1, Outcome.RESIGNED, 0, 0, (), None, begun=state is State.TURN, opened=True),
            GameEnded(2, Outcome.RESIGNED, 0, 0, (), None, begun=False, opened=False),
            GameEnded(3, Outcome.RESIGNED, 0, 0, (), None, begun=False, opened=False),
        ]
        assert driver.do("resign", None) == [*resigned, MatchEnded((Outcome.RESIGNED,) * 3, (0, 0, 0), 0)]

    def test_every_game_left_in_the_last_one(self, new_match):
        driver = new_match()
        driver.do("resign", 1)
        assert ended(driver.do("resign", None)) == [Outcome.RESIGNED]
        assert driver.match.over

    def test_a_game_to_come(self, new_match):
        assert refusal(new_match(), "resign", 2) is Refusal.NOT_READY


class TestRebuilt:
    """After a restart a match is what its facts say."""

    @settings(deadline=None)
    @given(st.data())
    def test_from_the_facts_so_far_it_equals_the_live_match(self, random_matches, data):
        driver = data.draw(random_matches)
        for count, known in driver.steps:
            assert Match.rebuilt(driver.match.ladder, driver.facts[:count]).facts() == known

    @settings(deadline=None)
    @given(st.data())
    def test_any_prefix_of_the_facts_gives_a_match(self, random_matches, data):
        driver = data.draw(random_matches)
        for count in range(len(driver.facts) + 1):
            Match.rebuilt(driver.match.ladder, driver.facts[:count])

    @pytest.fixture
    def again(self, new_match):
        """Return a function that restarts a match at moment 0."""

        def rebuild(driver):
            restarted = new_match(driver.match.ladder)
            restarted.match = Match.rebuilt(driver.match.ladder, driver.facts)
            restarted.match.recover(restarted.now, GRACE_MS)
            return restarted

        return rebuild

    def test_a_turn_waits_for_its_player_then_its_clock_runs_from_what_was_left(self, new_match, again):
        driver = in_state(new_match(), State.TURN)
        driver.wait(3_000).answer("11")
        restarted = again(driver.wait(4_000))
        assert restarted.match.deadline() == GRACE_MS
        assert restarted.match.open_turn(0.0) == TurnOpened(1, 2, 8_000)
        assert restarted.wait(GRACE_MS).do("handle_timeout") == []
        assert restarted.match.deadline() == GRACE_MS + 8_000

    def test_a_player_who_comes_back_starts_the_clock(self, new_match, again):
        restarted = again(in_state(new_match(), State.TURN)).wait(500)
        restarted.match.turn_sent(restarted.now)
        assert restarted.match.deadline() == 10_500

    def test_a_guess_without_its_reply_was_never_made(self, new_match, again):
        restarted = again(in_state(new_match(), State.THINKING))
        assert restarted.match.open_turn(0.0) == TurnOpened(1, 1, 10_000)

    def test_a_game_that_waits_gets_its_time_for_ready_anew(self, new_match, again):
        restarted = again(new_match())
        assert restarted.match.deadline() == GRACE_MS + READY_MS

    def test_an_untimed_turn_gets_its_hour_anew(self, new_match, again):
        restarted = again(in_state(new_match(clock=None), State.TURN)).wait(GRACE_MS)
        restarted.do("handle_timeout")
        assert restarted.match.deadline() == GRACE_MS + IDLE_MS


@settings(deadline=None)
@given(st.data())
def test_every_random_match_ends_each_game_once_and_the_match_at_most_once(random_matches, data):
    driver = data.draw(random_matches)
    games = [fact.game for fact in driver.facts if isinstance(fact, GameEnded)]
    assert games == list(range(1, len(games) + 1))
    assert sum(isinstance(fact, MatchEnded) for fact in driver.facts) == driver.match.over
