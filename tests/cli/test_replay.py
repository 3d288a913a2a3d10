"""`evilpegs replay`."""

import pytest

MATCH = {"match", "ladder", "rules", "codemaker", "player", "client", "at", "events", "over", "flaw", "games"}
GAME = {"game", "outcome", "guesses", "elapsed_ms", "secret", "nonce", "turns"}
TURN = {"turn", "code", "black", "white", "candidates", "method", "took_ms", "left_ms"}


def test_the_document(run, server, evil_match):
    document = run("replay", evil_match, "--database", server.database, "--json").document
    assert set(document) == MATCH
    assert (document["match"], document["codemaker"], document["player"]) == (evil_match, "evil", "minimax")
    assert (document["over"], document["flaw"], document["events"]) == (True, None, 30)
    assert len(document["games"]) == 4
    game = document["games"][0]
    assert set(game) == GAME
    assert (game["outcome"], game["guesses"], len(game["nonce"])) == ("solved", 5, 64)
    assert all(set(turn) == TURN for turn in game["turns"])
    first, last = game["turns"][0], game["turns"][-1]
    assert (first["code"], first["candidates"]) == ("1122", 256)
    assert (last["code"], last["black"], last["candidates"]) == (game["secret"], 4, 1)


def test_the_table(run, server, evil_match):
    result = run("replay", evil_match, "--database", server.database)
    lines = result.out.splitlines()
    assert result.status == 0
    assert lines[0] == f"match {evil_match}: minimax (minimax 0.1.0) on classic-evil"
    assert lines[2].startswith("game 1: solved, 5 guesses in ")
    assert lines[5].split()[:5] == ["1", "1", "1", "2", "2"]
    assert lines[-1] == "the chain of 30 hashes holds"


def test_the_beginning_of_an_id_is_enough(run, server, evil_match):
    result = run("replay", evil_match[:9].upper(), "--database", server.database, "--json")
    assert result.document["match"] == evil_match


def test_the_newest_match(run, server, played):
    run("bot", "minimax", "--server", server.url, "--ladder", "classic-practice", "--name", "newest")
    document = run("replay", "last", "--database", server.database, "--json").document
    assert (document["player"], document["ladder"]) == ("newest", "classic-practice")


def test_an_id_that_is_none(run, server):
    result = run("replay", "xyz", "--database", server.database)
    assert result.status == 2
    assert "no match begins with 'xyz'" in result.complaint


def test_a_beginning_of_several(run, server, played):
    result = run("replay", "", "--database", server.database)
    assert result.status == 2
    assert "more than one match" in result.complaint


CHANGE = "UPDATE events SET json = replace(json, '\"turn\":1', '\"turn\":2') WHERE match = :match AND seq = 3"


@pytest.mark.parametrize(
    ("statement", "flaw"),
    [
        (CHANGE, "event 3 was changed"),
        ("DELETE FROM events WHERE match = :match AND seq = 4", "event 4 is missing"),
        ("UPDATE events SET hash = hash || 'x' WHERE match = :match AND seq = 5", "event 5 was changed"),
    ],
)
def test_a_broken_chain_is_told(run, evil_match, tampered, statement, flaw):
    result = run("replay", evil_match, "--database", tampered(statement))
    assert result.status == 1
    assert f"the chain of hashes is broken: {flaw}" in result.out


def test_a_record_that_is_not_one(run, evil_match, tampered):
    database = tampered("UPDATE events SET json = '{}' WHERE match = :match AND seq = 2")
    result = run("replay", evil_match, "--database", database)
    assert result.status == 2
    assert "cannot be read: event 2 was changed" in result.complaint
