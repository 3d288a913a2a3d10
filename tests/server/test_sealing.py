"""Every statement that reads matches or what follows from them leaves out the sealed ones, or says here why not.

What the outputs of a server tell while a round is sealed is tested in tests/integration/test_sealed_outputs.py.
"""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

import evilpegs_server
from evilpegs_server import sealing

ROOT = Path(evilpegs_server.__file__).parent
READS = re.compile(r"\b(FROM|JOIN)\s+(log\.|main\.)?(matches|events|games|begun)\b")
SELECTS = re.compile(r"\bselect\([^)]*\b(matches|events|games|begun)\b")
# They keep, copy, move and repair the log and what is derived from it, and show nothing of it.
KEEPERS = {
    *(
        "copies/backup",
        "copies/load",
        "copies/mirror",
        "copies/mirrored_rows",
        "copies/places",
        "derived/connections",
        "derived/file",
    ),
    *("engines/postgres_node", "engines/postgres", "engines/sqlite", "log/ladders"),
}
OTHERS = {
    "storage/log/acts": {
        "_MATCH_COUNTS": "part of _PLAYERS",
        "_PLAYERS": "whoever lists the players says whether sealed matches count: the site says no",
        "forget_player": "deletes",
    },
    "storage/log/archive": {
        "_EVENTS": "finds damage",
        "load_players": "who plays, for the server that they play on",
        "lapsed_tokens": "whether somebody has played at all, for the server",
        "_ENTRIES": "the match of a player, for that player",
        "_READY": "the match of a player, for that player",
        "load_open_matches": "the matches of a server, for itself",
        "_MATCH": "the match of a player, for that player",
        "load_starts": "of matches that `list_open_matches` has shown",
        "load_last_event_id": "a number, for the server and the follower",
    },
    "storage/derived/browse": {
        "_LENGTH": "part of _LADDER_PAGE",
        "_LOST": "part of _LADDER_PAGE",
        "_ALL_LADDERS": "names of ladders, which are published",
        "_LADDER_PAGE": "its place `shown` has SHOWN",
        "_MATCHES": "of matches that _LADDER_PAGE has shown",
        "_GAMES": "of matches that _LADDER_PAGE has shown",
        "_NUMBER": "of a match that was shown before",
    },
    "storage/derived/games": {
        "_NEWEST": "a number, for the leaderboards",
        "_STORED_GAMES": "of games that were counted, to measure their luck",
        "_TURNS": "of games that were counted, to measure their luck",
        "load_newest_game": "a number, for the leaderboards",
    },
    "storage/log/rounds": {
        "_ENTERED": "who has begun, for the server",
        "_PUBLISH": "whether a match of the round is open",
        "_GAMES": "of a round: `round_document` leaves out what nobody may see",
        "open_round": "whether an id is in use",
    },
}


def readers(path):
    """Yield the outermost name and the text of each statement of a module that reads matches, events or games."""
    tree = ast.parse(path.read_text())
    for outer in tree.body:
        inner = {id(part) for node in ast.walk(outer) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
        for node in ast.walk(outer):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner
            is_read = (is_text or isinstance(node, ast.JoinedStr)) and READS.search(ast.unparse(node))
            if is_read or (isinstance(node, ast.Call) and SELECTS.match(ast.unparse(node))):
                text = ast.unparse(node)
                targets = [getattr(outer, "target", None), *getattr(outer, "targets", ())]
                name = getattr(outer, "name", None) or next(each.id for each in targets if each is not None)
                yield name, text


def leaves_out_sealed(module, name, text):
    value = getattr(module, name)
    statement = text if callable(value) else str(value)
    return sealing.UNSEALED in statement or "{SHOWN}" in statement or "{UNSEALED}" in statement


def modules():
    paths = (path.relative_to(ROOT).with_suffix("").as_posix() for path in ROOT.rglob("*.py"))
    return sorted(path for path in paths if "migrations" not in path and path.removeprefix("storage/") not in KEEPERS)


def found_in(path):
    module = import_module(f"evilpegs_server.{path.replace('/', '.')}")
    return {name for name, text in readers(ROOT / f"{path}.py") if not leaves_out_sealed(module, name, text)}


@pytest.mark.parametrize("path", [path for path in modules() if list(readers(ROOT / f"{path}.py"))])
def test_reader_leaves_out_sealed_matches_or_says_why_not(path):
    assert found_in(path) == OTHERS.get(path, {}).keys()


def test_every_exception_is_one():
    assert all(found_in(path) == names.keys() for path, names in OTHERS.items())
    assert all((ROOT / f"storage/{name}.py").exists() for name in KEEPERS)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('_ALL = "SELECT id FROM matches"', {"_ALL"}),
        ('_ALL: str = text("SELECT 1 FROM log.games")', {"_ALL"}),
        ('def load():\n    return f"SELECT {1} FROM x JOIN events AS e"', {"load"}),
        ('_ALL = "SELECT id FROM players"', set()),
        ("def load():\n    return select(tables.matches.c.id).limit(1)", {"load"}),
        ("def load():\n    return select(func.max(events.c.id))", {"load"}),
        ("def load():\n    return select(players.c.id)", set()),
    ],
)
def test_readers_are_found(tmp_path, source, found):
    (tmp_path / "module.py").write_text(source)
    assert {name for name, _ in readers(tmp_path / "module.py")} == found


def test_each_decision_is_written_once():
    texts = {path.relative_to(ROOT).as_posix(): path.read_text() for path in ROOT.rglob("*.py")}
    assert [name for name, text in texts.items() if "sealed AND published" in text] == ["sealing.py"]
    askers = {name for name, text in texts.items() if re.search(r"(if|and|or|not|return) \w+\.sealed", text)}
    assert askers == {"sealing.py"}
