"""Calls that commands from play to watch refuse: status 2, one line that quotes what is wrong, and nothing written."""

import re
import shlex
from dataclasses import replace
from string import Template

import pytest

import evilpegs
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.log.ladders import store_ladders

FORGER = "A" * 43
"""A public key, which is a point of small order."""
BOT = "bot first-consistent --ladder classic-practice --server $SERVER"
NAMES = {
    "\u0430nna": "letters of one script in use today",
    "a b": "letters of one script in use today",
    "a\u202eb": "letters of one script in use today",
    "\U0001d400\U0001d401": "letters of one script in use today",
    "\u0432\u0435rt": "letters of one script in use today",
    "\u13af\u13aa\u13a2": "letters of one script in use today",
    "x": "2 to 20",
    "1a": "beginning with a letter",
    "Guest-1": "given by the server",
    "forgotten-1": "players who were forgotten",
    "B\u00e9rt": "B\u00e9rt looks like bert, which is taken; B\u00e9rt-2 is free",
}
URLS = (
    "ftp://x",
    "example.org",
    "http://",
    "http://a b/",
    "https://x/?q",
    "http://x:0/",
    "http://x:99999/",
    "http://[",
)
REASONS = ("", "two\nlines", "x" * 81, "\u00e9" * 41)
MISSING, FOLDER = "No such file or directory", "Is a directory"
CALLS = [
    ("partition 1122 --plot parts.jpg", "'parts.jpg'", ".png", ".svg"),
    ("partition 1122 --plot none/parts.png", " none "),
    (f"partition {'1' * 16} --rules 16x34 --after 123456789ABCDEFG:1,5", "16x34", "92,274,688"),
    ("partition 1122 --rules 9999999999x6", "pegs", "1 to 16"),
    ("partition 1122 --after 1122", "'1122'", "--after"),
    ("play --daily --ladder classic-evil", "--ladder"),
    ("play --daily --name ann", "--name"),
    ("play --daily --server ws://127.0.0.1:1/v1", "--server"),
    ("play --daily --date 2026-02-30", "2026-02-30"),
    ("play --daily --date 9999-12-31", "9999-12-31"),
    ("play --date 2026-11-22", "--daily"),
    ("play --challenge nowhere", "'nowhere'", "quotes"),
    ("play --challenge '#/play/4x6-evil?seed=a' --daily", "--challenge", "--daily"),
    ("play --challenge '#/play/4x6-evil?seed=a' --date 2026-11-22", "--challenge", "--date"),
    ("play --challenge '#/play/4x6-evil?seed=a' --name ann", "--challenge", "--name"),
    ("play --round final --ladder classic-evil", "leave out --ladder"),
    ("bot minimax --round final --ladder classic-evil", "leave out --ladder"),
    ("play --token-from ws://192.0.2.1:8765 --server $SERVER", "--token-from", "--name"),
    (f"{BOT} --name bob --token-from ws://192.0.2.1:8765", "bob", "192.0.2.1", "tokens.json"),
    (f"{BOT} --name bob --token-from nowhere", "nowhere", "--token-from"),
    *((f"players {verb} ana", "did you mean anna?") for verb in ("token", "ban", "unban", "kick", "hide", "show")),
    ("players forget ana", "did you mean anna?"),
    ("players forget ana --yes", "did you mean anna?"),
    ("players rename ana carla", "did you mean anna?"),
    *((f"players rename anna {shlex.quote(name)}", why) for name, why in NAMES.items()),
    *((f"players kick anna --reason {shlex.quote(reason)}", "--reason must be one line") for reason in REASONS),
    ("replay last --thorough --no-analysis", "--thorough", "--no-analysis"),
    ("replay xyz", "'xyz'", "--operator"),
    ("watch classic --ladder classic", "classic", "--ladder"),
    ("feed classic --ladder classic", "classic", "--ladder"),
    ("bot minimax --server http://127.0.0.1:1", "http://127.0.0.1:1", "ws://HOST:PORT/v1"),
    ("replay last --operator --server $SERVER", "--operator", "--database"),
    *((f"replay '{match}' --server $SERVER", match) for match in ("f" * 16, "f" * 15, "", "zz")),
    ("replay $MATCH --database $SERVED --record none/record.jsonl", f"none/record.jsonl: {MISSING}"),
    ("replay $MATCH --database $SERVED --record .", f".: {FOLDER}"),
    ("replay $MATCH --database $SERVED --record a\0b", "a?b"),
    ("replay $MATCH --database $SERVED --record ''", "--record"),
    ("replay $MATCH --database $SERVED --record --json", "./--json"),
    ("replay $MATCH --database $SERVED --record - --json", "--json", "--record -"),
    ("round open Final --ladder classic", "'Final' is no id"),
    ("round open x --ladder clasic", "there is no ladder 'clasic'"),
    ("round open classic --ladder classic", "classic is a ladder"),
    ("round open x --ladder classic-practice", "is for practice"),
    ("round open x --ladder classic --games 0", "--games must be 1 to 1,000"),
    ("round open x --ladder classic --closes 2020-01-01", "--closes must lie in the future"),
    ("round open x --ladder classic --opens 2031-01-01 --closes 2030-01-01", "after --opens"),
    ("round open x --ladder classic ana", "no player 'ana'; did you mean anna?"),
    ("round open final --ladder classic", "the id final is in use"),
    ("round open x --ladder classic --from head.csv", "head.csv has no names"),
    ("round open x --ladder untimed", "untimed has no clock"),
    ("round open x --ladder former", "there is no ladder 'former'"),
    ("round open x --ladder classic guest-00000001", "no player 'guest-00000001'"),
    ("round extend planned 2030-01-01", "planned opens at 2031-01-01 00:00; it must close later"),
    ("round extend final 0001-01-01T00:00", "the time must be a time like"),
    ("round extend final 2020-01-01", "UNTIL must lie in the future"),
    ("round admit closed bert", "closed is closed, and bert is no entrant"),
    ("round admit final", "name the players to admit"),
    ("round close finl", "there is no round 'finl'; did you mean final?"),
    ("round exclude final anna --reason ''", "--reason must be one line"),
    ("round exclude final carl --reason x", "no player 'carl'"),
    ("round exclude final bert --reason x", "bert is no entrant of final"),
    ("round status none", "there is no round 'none'; there are: "),
    *((f"EVILPEGS_SITE_URL='{url}' serve --port 0 --site-port 0", "EVILPEGS_SITE_URL", repr(url)) for url in URLS),
    ("serve --no-site --port 0 --database sqlite:///lost/a.sqlite3", "lost"),
    ("EVILPEGS_DATABASE=sqlite:///lost/a.sqlite3 serve --no-site --port 0", "lost"),
    ("serve --no-site --port 0 --tls-cert none.pem", "none.pem", "--tls-cert"),
    ("serve --no-site --port 0 --tls-key none.pem", "none.pem", "--tls-cert"),
    ("solve --rules 8x10", "8x10", "1,048,576", "9 pegs"),
    ("solve --rules 5x8", "5x8", "16,807", "536,870,912"),
    ("solve --rules 3x3 --threads 0", "--threads", "1 to 256", " 0"),
    ("solve --rules 3x3 --out --json", "./--json"),
    ("solve --rules 3x3 --objective best", "--objective", "best", "mean", "worst"),
    ("solve --rules 8x10 --against devil", "8x10", "1,048,576", "9 pegs"),
    ("solve --rules 8x10 --against evil", "8x10", "1,048,576", "9 pegs"),
    ("solve --rules 3x3 --journal nowhere/journal", "nowhere/journal", MISSING),
    ("solve --rules 3x3 --out nowhere/tree", "nowhere/tree", MISSING),
    ("solve --rules 3x3 --journal .", f".: {FOLDER}"),
    ("solve --rules 3x3 --against devil --objective worst", "--objective", "--against"),
    ("solve --rules 3x3 --against devil --journal a", "--journal", "--against"),
    ("solve --rules 3x3 --against evil --out a.tree", "--out", "--against"),
    ("solve --rules 3x3 --against evil --threads 2", "--threads", "--against"),
    ("solve --rules 3x3 --against evil --dry-run", "--dry-run", "--against"),
    ("solve --rules 3x3 --adversary a.adversary", "--adversary", "--against"),
    ("solve --rules 3x3 --adversary a.adversary --against evil", "--adversary", "--against"),
    ("solve --rules 3x3 --against devil --adversary notes", "notes"),
    *((f"{words} small.tree", "small.tree is a tree of 3x3 and cannot play 4x6") for words in ("duel", "evaluate")),
    ("compare small.tree minimax", "small.tree is a tree of 3x3 and cannot play 4x6"),
    ("verify none.jsonl", f"none.jsonl: {MISSING}"),
    ("verify .", f".: {FOLDER}"),
    ("verify a\0b", "a?b"),
    ("verify /dev/zero", "line 1"),
    ("verify --jsno", "./--jsno"),
    *((f"verify $RECORD --key '{key}'", "43") for key in ("", "none", ".", "a\0b", "A" * 42)),
    *((f"verify $RECORD --key keys-{number}", f"keys-{number}") for number in range(5)),
    (f"verify $RECORD --key {FORGER}", FORGER, "small order"),
    ("verify $RECORD --key weak", FORGER, "small order"),
    *((f"watch {target} --server $SERVER", target) for target in ("f" * 16, "'clasic'", "'Foo!'", "''")),
]
FILES = {
    "evilpegs.toml": "[ladders.untimed]\nrules = '3x4'\ncodemaker = 'fixed'\nguess_limit = 9\n",
    "head.csv": "name\n",
    "notes": "mine",
    **{f"keys-{number}": text for number, text in enumerate(("", "# nothing\n", "oops\n", "A" * 44 + "\n", "\u00e9"))},
    "weak": f"{FORGER}\n",
}


@pytest.fixture(scope="module")
def variables(server, evil_match, run_once, tmp_path_factory):
    """What stands for what the calls need: a server and its match, and a database with two players and three rounds."""
    folder = tmp_path_factory.mktemp("refusals")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    url, record = f"sqlite:///{folder}/games.sqlite3", folder / "record.jsonl"
    engine = open_database(url)
    known = [replace(load_ladders()["classic"], id=name, clock=None) for name in ("former", "untimed")]
    store_ladders(engine, {each.id: each for each in known})
    engine.dispose()
    for words in (
        "players add anna bert --tokens -",
        "round open final --ladder classic anna",
        "round open planned --ladder classic --opens 2031-01-01",
        "round open closed --ladder classic anna",
        "round close closed",
    ):
        assert run_once(*words.split(), "--database", url).status == 0
    (folder / "small.tree").write_text(evilpegs.format_tree(evilpegs.tree("minimax", "3x3")))
    assert run_once("replay", evil_match, "--record", record, "--database", server.database).status == 0
    return {
        "FOLDER": folder,
        "DATABASE": url,
        "RECORD": record,
        "SERVER": server.url,
        "SERVED": server.database,
        "MATCH": evil_match,
    }


def written(folder):
    """Return the contents of the files; beside the database, results may be derived, and no other file may appear."""
    kept = {"small.tree", "games.sqlite3", "record.jsonl", *FILES}
    beside = ("games.sqlite3-", "games.sqlite3.")
    assert all(path.name in kept or path.name.startswith(beside) for path in folder.iterdir())
    return {name: (folder / name).read_bytes() for name in kept}


@pytest.mark.parametrize(("call", "facts"), [(call, facts) for call, *facts in CALLS], ids=[call for call, *_ in CALLS])
def test_refusal_is_one_line_that_quotes_what_is_wrong(run, monkeypatch, variables, call, facts):
    folder = variables["FOLDER"]
    monkeypatch.chdir(folder)
    monkeypatch.setenv("EVILPEGS_DATABASE", variables["DATABASE"])
    words = shlex.split(Template(call).substitute(variables))
    while re.match("EVILPEGS_[A-Z_]+=", words[0]):
        monkeypatch.setenv(*words.pop(0).split("=", 1))
    before = written(folder)
    result = run(*words)
    assert (result.status, result.out) == (2, "")
    line = result.err.splitlines()[-1]
    assert line.startswith("evilpegs: ")
    assert [fact for fact in facts if fact not in line] == []
    assert written(folder) == before
