"""The devil: its replies follow the documented rule, name their method, and never run on the event loop."""

import hashlib
from dataclasses import replace
from random import Random

import pytest

from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.codes import all_codes, code_at, parse_code
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import Feedback, Turn, feedback
from evilpegs_game.rules import Rules
from evilpegs_protocol.commitment import tie_index
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.replies.codemaking import Codemaking, reply_task
from evilpegs_server.replies.game_secrets import GameSecrets
from evilpegs_server.work.tasks import ExportSolved, run_task
from support.plain_worst_case import PlainWorstCase, plain_codes, plain_parts
from support.workspaces import new_workspace

MATCH = "00112233445566aa"
NONCE = hashlib.sha256(b"devil").hexdigest()
RULES = Rules(3, 4)
CLASSIC_DEVIL = load_ladders()["classic-devil"]
RATED = replace(CLASSIC_DEVIL, rules=RULES, exact_up_to=30)
PRACTICE = replace(load_ladders()["classic-devil-practice"], rules=RULES, exact_up_to=30)
PLAIN = PlainWorstCase(RULES)


def new_secrets(game=1):
    return GameSecrets(MATCH, game, NONCE, None)


def expected_reply(ladder, live, guess, turn, game):
    """Return the reply, its method and the parts of the guess, from the definitions."""
    parts = plain_parts(live, guess)
    if len(live) <= ladder.exact_up_to:
        allowed, method = PLAIN.hardest_replies(live, guess), "exact"
    else:
        others = {given: part for given, part in parts.items() if given.black < 3} or parts
        most = max(map(len, others.values()))
        allowed, method = [given for given, part in others.items() if len(part) == most], "greedy"
    tie = tie_index(NONCE, MATCH, game, turn, len(allowed)) if ladder.tie == "largest/seeded" else 0
    return allowed[tie], method, parts


@pytest.mark.parametrize("ladder", [RATED, PRACTICE], ids=["rated", "practice"])
def test_devil_reply_follows_rule_and_names_method(ladder):
    codemaking, rng, methods = Codemaking(new_workspace(), None), Random(5), set()
    for game in range(1, 9):
        live, history = plain_codes(all_codes(RULES)), ()
        while len(live) > 1:
            guess = code_at(rng.randrange(RULES.size), RULES)
            given, method, parts = expected_reply(ladder, live, guess, len(history) + 1, game)
            reply = codemaking.compute_reply(ladder, new_secrets(game), history, guess)
            assert (reply.feedback, reply.method) == (given, method)
            if not ladder.rated:
                assert reply.parts == tuple((*each, len(part)) for each, part in parts.items())
                assert reply.candidates == len(parts[given])
            methods.add(method)
            live, history = parts[given], (*history, Turn(guess, given))
        shown = []
        codemaking.request_witness(ladder, 5, new_secrets(game), history, shown.append)
        assert all(feedback(guess, parse_code(shown[0], RULES)) == given for guess, given in history)
    assert methods == {"exact", "greedy"}


def classic(guess):
    return reply_task(CLASSIC_DEVIL, (), guess)


def test_devil_reply_is_cheap_once_known():
    workspace = new_workspace()
    first, again = [classic((0, 0, 1, 1)).run(workspace) for _ in range(2)]
    assert again.value == first.value
    assert again.cost < first.cost / 10
    assert first.cost > 100_000


def test_solved_positions_save_work_and_keep_replies():
    workspace = new_workspace()
    before = classic((0, 1, 2, 3)).run(workspace)
    kept = SolvedPositions.from_bytes(workspace.solved.to_bytes())
    after = classic((0, 1, 2, 3)).run(new_workspace(solved=kept))
    assert after.value == before.value
    assert after.cost < before.cost


def test_take_solved_returns_learned_positions_once():
    workspace = new_workspace()
    assert ExportSolved().run(workspace).value is None
    classic((0, 0, 1, 1)).run(workspace)
    learned = ExportSolved().run(workspace).value
    assert len(SolvedPositions.from_bytes(learned)) == len(workspace.solved) == workspace.state.solved > 0
    assert ExportSolved().run(workspace).value is None


def test_same_rules_share_one_solver():
    workspace = new_workspace()
    assert workspace.worst_case(RULES) is workspace.worst_case(Rules(3, 4))
    assert workspace.worst_case(RULES).solved is workspace.worst_case(Rules(2, 3)).solved is workspace.solved


def test_devil_failure_is_handed_over():
    outcome, cost = run_task(reply_task(RATED, (), (0, 0, 0)), new_workspace(10))
    assert isinstance(outcome, TooLargeError)
    assert cost == 0


def test_warm_up_skips_devils_first_reply():
    """Otherwise the first start of a server would take long."""
    workspace = new_workspace()
    for task in Codemaking(workspace, None).warm_up([CLASSIC_DEVIL]):
        task.run(workspace)
    assert 0 < len(workspace.solved) < 100


async def test_match_records_method_of_each_reply(fake_server):
    """The rules 2x3 have nine codes, and this devil solves live sets of six."""
    ann = await fake_server.connect_player("ann")
    match = await ann.play("devil")
    assert fake_server.pool.submitted == []
    first = await ann.guess(match, 1, "11")
    second = await ann.guess(match, 2, "12")
    assert [first["method"], second["method"]] == ["greedy", "exact"]
    assert len(fake_server.pool.submitted) == 2
    runner = fake_server.registry.open.get(match)
    assert '"method":"exact"' in runner.event_log.entries[-1].text
    assert '"exact_up_to":6' in runner.event_log.entries[0].text


async def test_devil_match_resumes_after_restart(fake_server, open_fake_server):
    ann = await fake_server.connect_player("ann")
    match = await ann.play("devil")
    given = await ann.guess(match, 1, "11")
    fake_server.close()
    later = open_fake_server()
    later.restore_matches()
    again = later.connect()
    await again.hello(token=ann.token)
    await again.request(type="resume", match=match, seq=given["seq"])
    assert (await again.guess(match, 1, "11")) | {"re": None} == given | {"re": None}
    assert (await again.guess(match, 2, "12"))["method"] == "exact"
    over = await again.request(type="resign", match=match)
    witness = parse_code(over["secret"], Rules(2, 3))
    assert feedback((0, 0), witness) == Feedback(given["black"], given["white"])
