"""docs/json.md is true: every field that a command prints is there, and every field that is there is printed."""

import asyncio
import json
import select
import shlex
import signal
import sqlite3
import sys
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from evilpegs.commands import COMMANDS, GROUPS
from evilpegs.database import now_ms
from evilpegs.main import app
from evilpegs_protocol.server_messages import AnyRecordEvent
from evilpegs_server.leaderboard.luck import curve_hashes
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.log.acts import forget_player
from evilpegs_server.storage.log.rounds import Round, exclude, open_round, publish_round
from support.classic_games import CLASSIC, GAMES, classic_match
from support.json_page import Comparison, MalformedPageError, parse_page
from support.results import derived_of
from support.servers import dial
from support.stored_matches import StoredPlay, store, store_players
from support.waiting import wait_until

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
SECTIONS = parse_page(PAGE)
EVENTS = TypeAdapter(AnyRecordEvent)
VARYING = {"seconds", "ms_per_guess", "bytes", "memory"}
"""Fields whose values differ between runs or machines."""
CHECKED = shlex.join([sys.executable, "-m", "evilpegs", "bot", "minimax", "--server", "{url}", "--ladder", "{ladder}"])
OFFLINE = {
    "evilpegs partition": [["partition", "--rules", "2x2", "11"]],
    "evilpegs ladders": [["ladders"]],
    "evilpegs ladders --calibrate": [["ladders", "--calibrate", "classic", "--folder", "."]],
    "evilpegs compare": [
        ["compare", "minimax", "entropy"],
        ["compare", "random-consistent", "random-consistent", "--max-pairs", "30"],
    ],
    "evilpegs compare, three or more strategies": [
        ["compare", "minimax", "entropy", "first-consistent"],
        ["compare", "minimax", "entropy", "random-consistent", "--max-pairs", "30"],
    ],
    "evilpegs assist": [
        ["assist", "--rules", "2x2"],
        ["assist", "--rules", "2x2", "--after", "11:0,0", "22:0,0"],
        ["assist", "--rules", "2x2", "--codemaker", "evil"],
        ["assist", "--rules", "12x14", "--codemaker", "evil"],
        ["assist", "--rules", "12x14", "--after", "1234567890AB:2,4", "BA0987654321:1,5"],
    ],
    "evilpegs evaluate": [
        ["evaluate", "minimax", "--rules", "2x2"],
        ["evaluate", "random-consistent", "--rules", "2x2", "--games", "1"],
        ["evaluate", "random-consistent", "--rules", "2x3", "--games", "9"],
    ],
    "evilpegs evaluate, several strategies": [
        ["evaluate", "minimax", "entropy", "--rules", "2x2"],
        ["evaluate", "minimax", "entropy", "--rules", "2x2", "--games", "1"],
    ],
    "evilpegs evaluate --dry-run": [
        ["evaluate", "minimax", "--rules", "6x8", "--jobs", "2", "--dry-run"],
        ["evaluate", "minimax", "--rules", "6x8", "--cluster", "tcp://127.0.0.1:1", "--dry-run"],
    ],
    "evilpegs duel": [["duel", "minimax", "--rules", "2x2"]],
    "evilpegs tournament": [["tournament", "cat=cat", "nobody=false", "--games", "1"]],
    "evilpegs check-client": [["check-client", CHECKED, "--script", "unknown field"]],
    "evilpegs solve": [["solve", "--rules", "2x2", "--out", "2x2.tree"]],
    "evilpegs solve --against": [["solve", "--rules", "2x2", "--against", "devil"]],
}
"""Commands that need no server, beside those of the page, for the cases that these do not show."""
FRIDAY = """
[ladders.friday]
rules = "4x6"
codemaker = "fixed"
guess_limit = 10
opens = 2026-11-27T10:00:00Z
closes = 2026-11-27T11:00:00Z
"""
ADDED = (
    *("low", "high", "solved_low", "solved_high", "version", "versions", "all_games", "all_matches", "kind", "placed"),
    "score",  # null until the luck of a game is known, a moment after it
)
"""The fields of a row that servers of today send."""
RARE = {
    ("evilpegs replay", "games[].turns[].analysis.regret.at_most", "null"),
    ("evilpegs compare", "curve", "null"),
    ("evilpegs compare, three or more strategies", "curve", "null"),
    *(("evilpegs leaderboard", f"ladders[].rows[].{field}", "null") for field in ADDED),
    *(("evilpegs leaderboard", f"ladders[].{field}", "null") for field in ("ranked_from", "placed_from")),
}
"""Cases that need a stall, a fault, minutes of work, a ladder without a curve, or a server or a record of the past."""
FAILS_ONCE = """
failures = []
def choose(position, rng):
    if position.turn == 2 and not failures:
        failures.append(position)
        raise ValueError("this once")
    return position.first_candidate
"""


def with_json():
    """Return the words of the commands that have the option --json, such as ``("database", "check")``."""
    commands = {(name,): app[name] for name in COMMANDS}
    commands |= {(group, name): app[group][name] for group in GROUPS for name in app[group] if name[0] != "-"}
    return {
        words
        for words, command in commands.items()
        for option in command.assemble_argument_collection()
        if "--json" in option.names
    }


def words_of_command(section):
    """Return the words that name the command of a section."""
    return section.command[1 : 3 if section.command[1] in GROUPS else 2]


def is_deterministic(section):
    """Return True for a command that depends on nothing but its options."""
    return "--rules" in section.command


def without_varying(document):
    """Return the document with the same value in each field that varies, and with three decimals as on the page."""
    if isinstance(document, float):
        return round(document, 3)
    if isinstance(document, dict):
        return {name: 0 if name in VARYING else without_varying(value) for name, value in document.items()}
    return [without_varying(each) for each in document] if isinstance(document, list) else document


def test_json_page_has_every_command():
    documented = {words_of_command(section) for section in SECTIONS.values() if section.command}
    assert documented == with_json()
    assert all("--json" in section.command for section in SECTIONS.values() if section.command)


def test_json_page_examples_are_as_documented():
    comparison = Comparison(SECTIONS)
    for section in SECTIONS.values():
        if section.example is not None:
            comparison.add(section.heading, section.example)
    assert comparison.problems == []


@pytest.fixture(scope="module")
def printed(run_once, tmp_path_factory):
    """What the commands of the page print, by their headings, where nothing else decides it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder := tmp_path_factory.mktemp("printed"))
        patch.setenv("XDG_DATA_HOME", str(folder))
        return {each.heading: run_once(*each.command[1:]) for each in SECTIONS.values() if is_deterministic(each)}


@pytest.mark.parametrize("heading", [each.heading for each in SECTIONS.values() if is_deterministic(each)])
def test_json_page_examples_are_what_is_printed(printed, heading):
    assert without_varying(printed[heading].document) == without_varying(SECTIONS[heading].example)


async def leave_open(url):
    """Resign one game and leave the match; return its id."""
    async with dial(url) as raw:
        await raw.hello("leaver")
        started = await raw.ask("match_started", type="play", ladder="classic")
        await raw.hear("game_started")
        await raw.ask("game_over", type="resign", match=started["match"], game=1)
        await raw.hear("game_started")
        return started["match"]


async def practice(url, ladder, *codes):
    """Play these guesses and resign; return the id of the match."""
    async with dial(url) as raw:
        await raw.hello()
        match = await raw.play(ladder)
        for turn, code in enumerate(codes, 1):
            await raw.guess(match, 1, turn, code)
            await raw.hear("turn")
        await raw.say(type="resign", match=match)
        await raw.hear("match_over")
        return match


def contradict(database, match):
    """Let the first feedback of a match say that it was solved, so that no code agrees with the second."""
    connection = sqlite3.connect(database.removeprefix("sqlite:///"))
    with connection:
        connection.execute(
            "UPDATE events SET json = json_set(json, '$.black', 4, '$.white', 0) "
            "WHERE seq = 3 AND match = (SELECT number FROM matches WHERE id = ?)",
            [match],
        )
    connection.close()


class Tour:
    """A tour of every command with --json, whose documents are compared with the page."""

    def __init__(self, run):
        self.comparison = Comparison(SECTIONS)
        self.run = run

    def look(self, heading, *words):
        document = self.run(*words, "--json").document
        self.comparison.add(heading, document)
        return document

    def look_at_events(self, lines):
        for line in lines:
            assert EVENTS.dump_python(EVENTS.validate_json(line), mode="json") == json.loads(line)

    def commands_without_server(self):
        for heading, commands in OFFLINE.items():
            for words in commands:
                self.look(heading, *words)
        self.look("evilpegs certify", "certify", "2x2.tree")
        self.run("solve", "--rules", "2x2", "--against", "devil", "--adversary", "2x2.adversary")
        self.look("evilpegs certify, an adversary's tree", "certify", "2x2.adversary")
        Path("evilpegs.toml").write_text(FRIDAY)
        self.look("evilpegs ladders", "ladders")
        Path("evilpegs.toml").unlink()

    def bots(self, url, feed):
        bot = ("bot", "minimax", "--name", "mini", "--server", url)

        def is_watched():
            self.look("evilpegs bot", *bot, "--ladder", "classic-evil")
            return select.select([feed.process.stdout], [], [], 0)[0]

        wait_until(is_watched)
        self.look_at_events([feed.next_line() for _ in range(3)])
        Path("once.py").write_text(FAILS_ONCE)
        self.look("evilpegs bot", "bot", "once.py", "--name", "once", "--server", url)
        return self.look("evilpegs bot", *bot, "--ladder", "classic-devil")["matches"][0]["match"]

    def database(self, database, matches):
        self.look("evilpegs leaderboard", "leaderboard", "--database", database)
        self.look("evilpegs replay", "replay", "last", "--no-analysis", "--database", database)
        for match in matches:
            self.look("evilpegs replay", "replay", match, "--database", database)
            record = f"{match}.jsonl"
            self.look("evilpegs replay --record", "replay", match, "--record", record, "--database", database)
            self.look_at_events(Path(record).read_text().splitlines())
            self.look("evilpegs verify", "verify", record)
            self.look("evilpegs verify", "verify", record, "--key", f"{database.removeprefix('sqlite:///')}.key.pub")

    def scores(self):
        """Look at a leaderboard with ranks."""
        write_scores("scored.sqlite3")
        board = ("leaderboard", "classic", "--database", "sqlite:///scored.sqlite3")
        self.look("evilpegs leaderboard", *board)
        for players in (("ann", "bob"), ("bob", "eve")):
            self.look("evilpegs leaderboard --between", *board, "--between", *players)


def write_scores(path):
    """Write a database in which ann has 104 games on classic, and bob and eve the same 20."""
    engine = open_database(f"sqlite:///{path}")
    store_players(engine)
    for number in range(1, 27):
        store(engine, *classic_match(number))
    for number, player in enumerate(["bob", "eve"] * 10, 27):
        store(engine, *StoredPlay(number, CLASSIC, player).play_codes(*GAMES[:2]))
    derived, curve = derived_of(engine), curve_hashes([CLASSIC])["classic"]
    with derived.engine.connect() as connection:
        games = connection.exec_driver_sql("SELECT match, game FROM games").all()
    derived.store_luck([(1_000 * game, curve, match, game) for match, game in games])
    derived.close()
    engine.dispose()


@pytest.fixture
def toured(run, serve, start, postgres_cluster, printed):
    """The comparison of the page with what every command prints."""
    tour, server = Tour(run), serve()
    for heading, result in printed.items():
        tour.comparison.add(heading, result.document)
    tour.commands_without_server()
    with start("feed", "--json", "--server", server.url) as feed:
        devilish = tour.bots(server.url, feed)
    tour.look("evilpegs ladders", "ladders", "--server", server.url)
    contest = ("compare", "minimax", "first-consistent", "--alternative", "1")
    tour.look("evilpegs compare", *contest, "--server", server.url)
    left = asyncio.run(leave_open(server.url))
    evil = asyncio.run(practice(server.url, "classic-evil-practice", "1122", "3344", "5566"))
    large = asyncio.run(practice(server.url, "monster-evil-practice", "1234567890", "1122334455", "0987654321"))
    run("players", "add", "dora", "emil", "--tokens", "-", "--database", server.database)
    tour.look("evilpegs players list", "players", "list", "--database", server.database)
    tour.look("evilpegs players list", "players", "list", "--ladder", "classic", "--database", server.database)
    engine = open_database(server.database)
    later = now_ms() + 86_400_000  # a server that runs publishes a closed round by itself
    open_round(engine, Round("final", "classic", 5, sealed=True, opens=0, closes=later, published=None), None)
    open_round(engine, Round("devil", "classic-devil", 5, sealed=False, opens=0, closes=None, published=None), None)
    exclude(engine, "final", "dora", "copied", 0)
    forget_player(engine, "emil", 0, with_open=True)
    tour.look("evilpegs round status", "round", "status", "--database", server.database)  # while it is sealed
    ladders = ("evilpegs ladders", "ladders", "--server", server.url)
    wait_until(lambda: "is_round" in tour.look(*ladders)["ladders"][-1])
    publish_round(engine, "final", 1)
    exclude(engine, "final", "dora", "copied from ann", now_ms())
    engine.dispose()
    tour.look("evilpegs round status", "round", "status", "--database", server.database)
    tour.look("evilpegs database backup", "database", "backup", "copy.sqlite3", "--database", server.database)
    tour.look("evilpegs database check", "database", "check", "copy.sqlite3")
    there = postgres_cluster.create()
    tour.look("evilpegs database copy", "database", "copy", "copy.sqlite3", there)
    tour.look("evilpegs database upgrade", "database", "upgrade", "--database", there)
    watched = run("watch", evil, "--server", server.url, "--json")
    tour.look_at_events(watched.out.splitlines())
    server.end(signal.SIGTERM)
    tour.look("evilpegs publish", "publish", "--out", "site", "--no-analyses", "--database", server.database)
    tour.database(server.database, [devilish, left, evil, large])
    contradict(server.database, evil)
    tour.database(server.database, [evil])
    tour.scores()
    return tour.comparison


def test_json_page_tells_what_commands_print(toured):
    assert toured.problems == []
    assert [case for case in toured.unseen() if case not in RARE] == []


BROKEN = {
    "a field that is not documented": (
        '{"rules": "2x2", "codes": 4, "first_guesses": 2, "largest_part": 2, "memory": 1, "more": 1}',
        "more is not documented",
    ),
    "a field that is missing": (
        '{"rules": "2x2", "codes": 4, "first_guesses": 2, "largest_part": 2}',
        "memory is absent",
    ),
    "a field of another type": (
        '{"rules": "2x2", "codes": null, "first_guesses": 2, "largest_part": 2, "memory": 1}',
        "codes is null, not integer",
    ),
}


@pytest.mark.parametrize(("document", "problem"), BROKEN.values(), ids=BROKEN)
def test_json_page_comparison_notices_problem(document, problem):
    comparison = Comparison(SECTIONS)
    comparison.add("evilpegs solve --dry-run", json.loads(document))
    assert comparison.problems == [f"evilpegs solve --dry-run: {problem}"]


def test_json_page_comparison_notices_problem_inside_lists():
    comparison = Comparison(SECTIONS)
    example = json.loads(json.dumps(SECTIONS["evilpegs replay"].example))
    example["games"][0]["turns"][0]["analysis"]["best"][0]["surprise"] = 1
    comparison.add("evilpegs replay", example)
    (problem,) = comparison.problems
    assert "games[].turns[].analysis.best[].surprise" in problem


def test_json_page_comparison_notices_problem_in_named_object():
    comparison = Comparison(SECTIONS)
    comparison.add(
        "evilpegs partition", SECTIONS["evilpegs partition"].example | {"after": [{"code": "11", "black": 1}]}
    )
    assert comparison.problems == ["turn: white is absent"]


def test_json_page_comparison_notices_field_that_never_appears():
    heading = "evilpegs solve --dry-run"
    row = "| `memory` | integer (bytes) |"
    assert PAGE.count(row) == 1
    page = PAGE.replace(row, f"| `seldom` | text or null, may be absent | x |\n{row}")
    comparison = Comparison(parse_page(page))
    comparison.add(heading, SECTIONS[heading].example)
    unseen = [case for case in comparison.unseen() if case[0] == heading]
    assert unseen == [(heading, "seldom", "null"), (heading, "seldom", "text")]


def test_json_page_without_section_lacks_its_command():
    page = PAGE.replace("$ evilpegs certify ", "$ evilpegs tree ")
    assert {words_of_command(each) for each in parse_page(page).values() if each.command} != with_json()


def test_json_page_refuses_unknown_type():
    with pytest.raises(MalformedPageError):
        parse_page("## evilpegs x\n\n| `a` | whatever | b |\n")
