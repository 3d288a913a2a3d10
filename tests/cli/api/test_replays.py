"""`evilpegs.replay`."""

import json
import pickle
from pathlib import Path

import pytest

import evilpegs

RECORD = Path(__file__).parents[2] / "compatibility" / "v0.1.0" / "evil.jsonl"


def test_replay_matches_command(run, server, evil_match, tmp_path):
    document = run("replay", evil_match, "--database", server.database, "--json").document
    run("replay", evil_match, "--database", server.database, "--record", "match.jsonl")
    sources = {"server": server.url, "database": server.database, "file": tmp_path / "match.jsonl"}
    replays = [evilpegs.replay(evil_match, **{name: source}) for name, source in sources.items()]
    assert [json.loads(json.dumps(each.to_json())) for each in replays] == [document] * 3
    assert replays[0] == replays[1] == replays[2] == pickle.loads(pickle.dumps(replays[0]))


def test_replay_has_turns_and_what_they_were_worth(server, evil_match):
    match = evilpegs.replay(evil_match[:10], database=server.database)
    assert (match.match, match.player, match.ladder, match.codemaker) == (evil_match, "minimax", "classic-evil", "evil")
    assert (match.rules, match.over, match.flaw, match.events) == (evilpegs.Rules(4, 6), True, None, 30)
    game = match.games[0]
    assert (game.game, game.outcome, len(game.turns)) == (1, "solved", 5)
    assert game.turns[-1].guess == game.secret
    assert game.turns[-1].feedback == evilpegs.Feedback(4, 0)
    history = [(turn.guess, turn.feedback) for turn in game.turns]
    assert [turn.candidates for turn in game.turns] == [
        evilpegs.Position(match.rules, history[:number]).count for number in range(1, 6)
    ]
    needed = [turn.analysis.needed.at_most for turn in game.turns]
    assert needed[0] >= 1
    assert needed[-1] == 0


async def test_replay_without_analysis_counts(server, evil_match):
    turns = evilpegs.replay(evil_match, server=server.url, analysis=False).games[0].turns
    assert (turns[0].candidates, turns[0].analysis) == (256, None)


def test_replay_names_flaw_of_a_file(tmp_path):
    text = RECORD.read_text()
    Path("changed.jsonl").write_text(text.replace('"took_ms":2,', '"took_ms":3,', 1))
    assert evilpegs.replay(file=RECORD, analysis=False).flaw is None
    assert evilpegs.replay(file="changed.jsonl", analysis=False).flaw


def with_events(change):
    lines = RECORD.read_text().splitlines()
    Path("record.jsonl").write_text("\n".join([lines[0], *map(change, lines[1:])]))
    return {"file": "record.jsonl"}


@pytest.mark.parametrize(
    "wrong",
    [
        dict,
        lambda: {"server": "ws://127.0.0.1:1", "database": "sqlite:///a.sqlite3"},
        lambda: {"file": RECORD, "match": "0" * 16},
        lambda: {"file": RECORD, "thorough": True, "analysis": False},
        lambda: {"file": "missing.jsonl"},
        lambda: {"database": "sqlite:///missing.sqlite3"},
        lambda: {"database": "mysql://a"},
        lambda: with_events(lambda line: line.replace('"at"', '"when"')),
        lambda: with_events(lambda line: line.replace('"code":"1122"', '"code":"9999"')),
        lambda: with_events(lambda line: line.replace('"code":"1122"', '"code":"\\ud800"')),
    ],
)
def test_replay_refuses_what_is_no_match(wrong):
    with pytest.raises((evilpegs.MalformedError, evilpegs.IllegalCodeError)):
        evilpegs.replay(**wrong())


@pytest.mark.parametrize("match", ["0123456789abcdef", "nonsense", ""])
def test_replay_refuses_unknown_match(server, match):
    for source in ({"server": server.url}, {"database": server.database}):
        if match or "server" in source:
            with pytest.raises(evilpegs.MalformedError):
                evilpegs.replay(match, **source)


def test_replay_of_database_names_wrong_setting(server):
    Path("evilpegs.toml").write_text("prot = 1\n")
    with pytest.raises(evilpegs.MalformedError, match="prot"):
        evilpegs.replay(database=server.database)
