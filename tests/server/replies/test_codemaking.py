"""Replies, secrets and hints of every codemaker: they follow the documented rules, and nothing is disclosed early."""

import hashlib
import hmac
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import code_at, format_code, parse_code
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import Feedback, Turn, feedback
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.replies.capacity import REPLY_LIMITS, reply_cost
from evilpegs_server.replies.codemaking import Codemaking, Reply, reply_task
from evilpegs_server.replies.game_secrets import GameSecrets
from evilpegs_server.work.hints import HINT_BUDGET
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.tasks import Apart, FindHint, FindWitness, WarmUp
from evilpegs_server.work.workspace import Workspace
from support.examples import share
from support.workspaces import new_workspace

MATCH = "00112233445566aa"
NONCE = hashlib.sha256(b"nonce").hexdigest()
LADDERS = load_ladders()
CLASSIC = Rules(4, 6)
NOTHING_YET = ()


class Pool:
    """A pool that collects its jobs and never does them."""

    def __init__(self):
        self.jobs = []

    def submit(self, *job):
        self.jobs.append(job)


class TaskExecutor:
    """An executor that never finishes a task."""

    def submit(self, task, done):
        pass


class UnlistedLiveSets(LiveSets):
    """Live sets that are all too large to list."""

    def get(self, rules, history):
        raise TooLargeError


@pytest.fixture
def codemaking():
    """Return a codemaking without a pool: it can only answer at once."""
    return Codemaking(new_workspace(), None)


def new_secrets(game=1, client_nonce=None, nonce=NONCE):
    return GameSecrets(MATCH, game, nonce, client_nonce)


def disclosed(codemaking, ladder, secrets, history):
    """Return the secret or witness, which must be known at once."""
    done = []
    codemaking.request_witness(ladder, 5, secrets, history, done.append)
    [code] = done
    return code


def keyed(nonce, *message):
    """Return the HMAC-SHA256 of protocol/README.md as a number."""
    text = json.dumps(message, separators=(",", ":"))
    return int(hmac.new(bytes.fromhex(nonce), text.encode(), "sha256").hexdigest(), 16)


def every_code(rules):
    return [code_at(index, rules) for index in range(rules.size)]


def plain_parts(rules, history, guess):
    """Count the parts of a guess code by code; return their sizes in feedback order."""
    live = [code for code in every_code(rules) if all(feedback(turn.guess, code) == turn.feedback for turn in history)]
    replies = [feedback(guess, code) for code in live]
    return {reply: replies.count(reply) for reply in sorted(set(replies))}


class TestGameSecrets:
    @pytest.mark.parametrize("client_nonce", [None, "", "mine"])
    @pytest.mark.parametrize("game", [1, 7])
    def test_secret_follows_formula(self, game, client_nonce):
        """With 1,296 codes the first number is rejected once in 2^245 draws."""
        expected = keyed(NONCE, client_nonce or "", MATCH, game, 0) % 1296
        assert new_secrets(game, client_nonce).secret(LADDERS["classic"]) == code_at(expected, CLASSIC)

    def test_tie_follows_formula(self):
        for turn in range(1, 20):
            assert new_secrets(3).tie_index(turn, 5) == keyed(NONCE, "tie", MATCH, 3, turn) % 5

    @pytest.mark.parametrize("client_nonce", [None, "", "mine"])
    def test_tie_of_both_nonces_follows_formula(self, client_nonce):
        secrets = GameSecrets(MATCH, 3, NONCE, client_nonce, 2)
        for turn in range(1, 20):
            assert secrets.tie_index(turn, 5) == keyed(NONCE, "tie", MATCH, 3, turn, client_nonce or "") % 5

    def test_repr_and_tasks_hide_secrets(self):
        secrets, ladder = new_secrets(2, "mine"), LADDERS["grand-practice"]
        secret, pool, guess = secrets.secret(ladder), Pool(), (0, 1, 2, 3, 0, 1)
        codemaking = Codemaking(new_workspace(), pool)
        codemaking.request_reply(ladder, 5, secrets, NOTHING_YET, guess, print)
        codemaking.request_reply(LADDERS["grand-evil"], 5, secrets, NOTHING_YET, guess, print)
        codemaking.request_reply(LADDERS["classic-devil"], 5, secrets, NOTHING_YET, guess[:4], print)
        codemaking.request_witness(LADDERS["grand-evil"], 5, secrets, (Turn(guess, Feedback(0, 0)),), print)
        shown = repr(secrets) + repr([task for _, _, task, _ in pool.jobs])
        assert len(pool.jobs) == 4
        assert shown.startswith(f"GameSecrets(match='{MATCH}', game=2)")
        assert not any(text in shown for text in (NONCE, "mine", str(secret), format_code(secret)))


class TestFixed:
    def test_fixed_reply_is_true_feedback(self, codemaking):
        secrets, ladder = new_secrets(), LADDERS["classic"]
        guess = (0, 0, 1, 1)
        assert codemaking.compute_reply(ladder, secrets, NOTHING_YET, guess) == Reply(
            feedback(guess, secrets.secret(ladder))
        )

    def test_fixed_secret_is_disclosed(self, codemaking):
        secrets, ladder = new_secrets(), LADDERS["classic"]
        assert disclosed(codemaking, ladder, secrets, NOTHING_YET) == format_code(secrets.secret(ladder))

    def test_rated_fixed_game_needs_no_memory(self):
        huge = replace(LADDERS["classic"], rules=Rules(16, 34))
        codemaking = Codemaking(new_workspace(0), None)
        secrets = new_secrets()
        secret = disclosed(codemaking, huge, secrets, NOTHING_YET)
        assert codemaking.compute_reply(
            huge, secrets, NOTHING_YET, parse_code(secret, huge.rules)
        ).feedback == Feedback(16, 0)


class TestEvil:
    @settings(max_examples=share(30))
    @given(st.lists(st.integers(0, 1295), min_size=1, max_size=4), st.integers(0, 2**256 - 1))
    def test_seeded_evil_follows_formula(self, guesses, nonce):
        nonce = f"{nonce:064x}"
        ladder, secrets, history = LADDERS["classic-evil"], new_secrets(nonce=nonce), ()
        codemaking = Codemaking(new_workspace(), None)
        for guess in (code_at(index, CLASSIC) for index in guesses):
            parts = plain_parts(CLASSIC, history, guess)
            others = {given: size for given, size in parts.items() if given != (4, 0)} or parts
            tied = [given for given, size in others.items() if size == max(others.values())]
            reply = codemaking.compute_reply(ladder, secrets, history, guess)
            assert reply == Reply(tied[keyed(nonce, "tie", MATCH, 1, len(history) + 1) % len(tied)])
            history = (*history, Turn(guess, reply.feedback))
            if reply.feedback == (4, 0):
                break
        witness = parse_code(disclosed(codemaking, ladder, secrets, history), CLASSIC)
        assert all(feedback(guess, witness) == given for guess, given in history)

    def test_practice_tie_takes_fewest_blacks_then_whites(self, codemaking):
        """After 1122 three parts have 256 codes."""
        ladder = LADDERS["classic-evil-practice"]
        given = {
            codemaking.compute_reply(ladder, new_secrets(game), NOTHING_YET, (0, 0, 1, 1)).feedback
            for game in range(1, 20)
        }
        assert given == {Feedback(0, 0)}

    def test_evil_reply_over_memory_bound_raises(self):
        codemaking = Codemaking(new_workspace(1000), None)
        with pytest.raises(TooLargeError):
            codemaking.compute_reply(LADDERS["classic-evil"], new_secrets(), NOTHING_YET, (0, 0, 1, 1))


@pytest.mark.parametrize("name", ["classic-practice", "classic-evil-practice"])
def test_practice_answer_shows_part_sizes(codemaking, name):
    history = (Turn((0, 0, 1, 1), feedback((0, 0, 1, 1), new_secrets().secret(LADDERS["classic"]))),)
    reply = codemaking.compute_reply(LADDERS[name], new_secrets(), history, (0, 1, 2, 3))
    parts = plain_parts(CLASSIC, history, (0, 1, 2, 3))
    assert reply.parts == tuple((*given, size) for given, size in parts.items())
    assert reply.candidates == parts[reply.feedback]


LARGE = LADDERS["grand-evil"]


class TestRun:
    SMALL, LARGE = LADDERS["classic-evil"], LARGE

    @pytest.mark.parametrize(
        ("name", "cheap"),
        [
            ("classic-evil", True),
            ("super-practice", True),
            ("grand", True),
            ("grand-evil", False),
            ("grand-practice", False),
            ("grand-evil-practice", False),
            ("colossus", True),
            ("colossus-evil", False),
            ("classic-devil", False),
            ("classic-devil-practice", False),
        ],
    )
    def test_is_cheap_by_ladder(self, codemaking, name, cheap):
        assert codemaking.is_cheap(LADDERS[name]) is cheap

    def test_cheap_reply_is_given_at_once(self, codemaking):
        done = []
        codemaking.request_reply(self.SMALL, 5, new_secrets(), (), (0, 0, 1, 1), done.append)
        assert done == [codemaking.compute_reply(self.SMALL, new_secrets(), (), (0, 0, 1, 1))]

    def test_cheap_reply_hands_over_error(self):
        done = []
        Codemaking(new_workspace(1000), None).request_reply(self.SMALL, 5, new_secrets(), (), (0, 0, 1, 1), done.append)
        assert isinstance(done[0], TooLargeError)

    @pytest.mark.parametrize("name", ["grand-evil", "grand-evil-practice", "grand-practice", "classic-devil"])
    def test_expensive_reply_goes_to_pool(self, codemaking, name):
        pool, done, ladder, history, guess = Pool(), [], LADDERS[name], (), (0, 1, 2, 3, 3, 3)
        guess = guess[: ladder.rules.pegs]
        Codemaking(new_workspace(), pool).request_reply(ladder, 5, new_secrets(), history, guess, done.append)
        [(player, units, task, finish)] = pool.jobs
        assert (player, units, done) == (5, reply_cost(ladder, 0), [])
        finish(task.run(new_workspace()).value)
        assert done == [codemaking.compute_reply(ladder, new_secrets(), history, guess)]

    @pytest.mark.parametrize("sealed", [True, False])
    def test_tasks_of_sealed_rounds_run_apart(self, sealed):
        pool, history = Pool(), (Turn((0,) * 8, Feedback(0, 0)),)
        asking, ladder = Codemaking(new_workspace(), pool), replace(LADDERS["huge-evil"], sealed=sealed)
        asking.request_reply(ladder, 5, new_secrets(), history, (1,) * 8, print)
        asking.request_witness(ladder, 5, new_secrets(), history, print)
        assert [isinstance(task, Apart) for _, _, task, _ in pool.jobs] == [sealed, sealed]
        pool.jobs[0][-1](pool.jobs[0][2].run(new_workspace()).value)
        assert bool(asking.part_sizes.state.entries) is not sealed

    @pytest.mark.parametrize("sealed", [True, False])
    def test_cheap_replies_of_sealed_rounds_leave_nothing_either(self, sealed):
        workspace, history = new_workspace(), (Turn((0, 0, 1, 1), Feedback(1, 0)),)
        asking, ladder = Codemaking(workspace, None), replace(self.SMALL, sealed=sealed)
        plain = Codemaking(new_workspace(), None).compute_reply(self.SMALL, new_secrets(), history, (0, 1, 2, 3))
        before = workspace.state
        assert asking.compute_reply(ladder, new_secrets(), history, (0, 1, 2, 3)) == plain
        asking.request_witness(ladder, 5, new_secrets(), history, print)
        assert (workspace.state == before) is sealed

    def test_pool_task_error_is_handed_over(self):
        pool, done, error = Pool(), [], TooLargeError()
        Codemaking(new_workspace(), pool).request_reply(self.LARGE, 5, new_secrets(), (), (0,) * 6, done.append)
        pool.jobs[0][-1](error)
        assert done == [error]

    def test_repeated_turns_are_answered_without_pool(self, codemaking):
        pool, done, first, other = Pool(), [], (0, 1, 2, 3, 4, 5), (0, 0, 2, 3, 4, 5)
        asking = Codemaking(new_workspace(), pool)
        asking.request_reply(self.LARGE, 5, new_secrets(), (), first, done.append)
        [(_, _, task, finish)] = pool.jobs
        finish(task.run(new_workspace()).value)
        for name in ("grand-evil", "grand-evil-practice", "grand-practice"):
            asking.request_reply(LADDERS[name], 6, new_secrets(2), (), first, done.append)
            assert done[-1] == codemaking.compute_reply(LADDERS[name], new_secrets(2), (), first)
        assert (len(pool.jobs), asking.part_sizes.state.hits) == (1, 3)
        asking.request_reply(self.LARGE, 6, new_secrets(), (), other, done.append)
        assert len(pool.jobs) == 2

    def test_cached_reply_costs_nothing(self):
        turns = (Turn((0, 1, 2, 3, 4, 5), Feedback(1, 3)),)
        task, workspace = reply_task(self.LARGE, turns, (0, 0, 1, 1, 2, 6)), new_workspace()
        assert task.run(workspace).cost > 100
        assert task.run(workspace).cost == 0

    def test_hint_goes_to_its_own_pool(self):
        pool, hints = Pool(), Pool()
        Codemaking(new_workspace(), pool, hints).request_hint(self.SMALL, 5, (), print)
        hint = FindHint(CLASSIC, (), ties="worst")  # the ties of this ladder have a seed
        assert (pool.jobs, hints.jobs) == ([], [(5, HINT_BUDGET, hint, print)])

    @pytest.mark.parametrize(
        ("name", "milliseconds"),
        [("super-evil", 0.1), ("grand-evil", 1), ("huge-evil", 4), ("monster-evil", 100), ("colossus-evil", 3000)],
    )
    def test_reply_cost_matches_measured_time(self, name, milliseconds):
        assert 0.8 < reply_cost(LADDERS[name], 0) * 2.5e-6 / milliseconds < 1.3

    def test_first_devil_and_large_replies_are_heavy(self):
        heavy = {name for name, ladder in LADDERS.items() if reply_cost(ladder, 0) > REPLY_LIMITS.cheap}
        assert {name.split("-")[0] for name in heavy} == {"monster", "colossus", "classic"}
        assert {name for name in heavy if name.startswith("classic")} == {"classic-devil", "classic-devil-practice"}
        assert reply_cost(LADDERS["classic-devil"], 1) <= REPLY_LIMITS.cheap


def test_warm_up_makes_tables_of_cheap_ladders():
    workspace, small = new_workspace(), Rules(3, 3)
    ladders = [replace(LADDERS["classic-evil"], rules=small), LADDERS["classic"], replace(LARGE, rules=Rules(16, 34))]
    Codemaking(workspace, None).warm_up(ladders)
    assert LiveSets.bytes_needed(small) < workspace.live_sets.bytes_used < LiveSets.bytes_needed(CLASSIC)


def test_warm_up_tries_smallest_counted_rules_elsewhere():
    """Otherwise a kernel would be compiled during a game."""
    here, there = new_workspace(), new_workspace()
    tasks = Codemaking(here, None).warm_up([LADDERS["monster-evil"], LARGE, LADDERS["huge-evil"]])
    assert tasks == [WarmUp(LARGE.rules, 8)]
    tasks[0].run(there)
    assert there.live_sets.state.entries > 8
    assert here.live_sets.state.entries == 0


class TestDisclosure:
    EVIL = LADDERS["huge-evil"]
    HISTORY = (Turn((0,) * 8, Feedback(0, 0)),)

    def test_witness_on_large_rules_goes_to_pool(self):
        pool, done = Pool(), []
        Codemaking(new_workspace(), pool).request_witness(self.EVIL, 5, new_secrets(), self.HISTORY, done.append)
        [(player, units, task, finish)] = pool.jobs
        assert (player, units <= REPLY_LIMITS.cheap, done) == (5, True, [])
        finish(task.run(new_workspace()).value)
        finish(error := TooLargeError())
        assert done == ["22222222", error]

    def test_witness_is_found_without_listing_candidates(self):
        workspace = Workspace(UnlistedLiveSets())
        guess = (0, 1, 2, 3, 4, 5, 7, 6)
        history = (Turn(guess, Feedback(6, 2)),)
        assert format_code(FindWitness(self.EVIL.rules, history).run(workspace).value) == "12345678"
        hint = FindHint(self.EVIL.rules, history).run(workspace).value
        assert (hint.code, hint.candidates) == ("12345678", 28)

    @pytest.mark.parametrize(
        ("name", "history", "secret"),
        [
            ("huge-evil", (), "11111111"),
            ("huge-evil", (*HISTORY, Turn((1,) * 8, Feedback(8, 0))), "22222222"),
            ("classic-evil", (Turn((0,) * 4, Feedback(0, 0)),), "2222"),
            ("huge", HISTORY, format_code(new_secrets().secret(LADDERS["huge"]))),
        ],
    )
    def test_known_secret_is_disclosed_at_once(self, codemaking, name, history, secret):
        assert disclosed(codemaking, LADDERS[name], new_secrets(), history) == secret


def test_first_reply_misses_cache_and_runs_in_pool():
    pool = TaskPool(REPLY_LIMITS, TaskExecutor(), lambda: 0.0)
    codemaking = Codemaking(new_workspace(), pool)
    codemaking.request_reply(LARGE, 5, new_secrets(), NOTHING_YET, (0,) * 6, print)
    assert (codemaking.part_sizes.state.misses, pool.metrics().running) == (1, 1)
