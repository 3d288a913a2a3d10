"""`evilpegs tournament`: the table, the guards, the journal and the records."""

import csv
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from textwrap import indent

import pytest

import evilpegs_page
from evilpegs_clients.strategies.program_limits import ProgramLimits
from evilpegs_clients.tournament import play
from support.processes import is_running
from support.requirements import require
from support.waiting import wait_until

SMALL = ("--rules", "3x4", "--games", "2")
SEED = ("--seed", "1")
PLAIN = "    return position.first_candidate\n"
BROKEN = {
    "loops": """
    import os
    looped = os.path.exists("looped")
    open("looped", "w").close()
    while not looped:
        pass
"""
    + PLAIN,
    "raises": "    raise RuntimeError('no idea')\n",
    "exits": "    import os\n    os._exit(3)\n",
    "eats": "    return [bytearray(50_000_000) for _ in range(100)]\n",
    "malformed": "    return 'red'\n",
}
PRINTS = '    print(\'{"code": "111"}\', flush=True)\n' + PLAIN
# which of the two answers comes first, and whether the other is still seen, is a race: any row will do
TWICE = "    import os\n    os.fork()\n" + PLAIN
FORKS = "    import os, time\n    os.fork() or time.sleep(1000)\n" + PLAIN
C_PROGRAM = r"""
#include <stdio.h>
int main(void) {
    char line[4096];
    while (fgets(line, sizeof line, stdin)) { puts("{\"code\": \"123\"}"); fflush(stdout); }
}
"""
NODE_PROGRAM = """
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  console.log(JSON.stringify({ code: "1".repeat(JSON.parse(line).pegs) }));
});
"""

# Plays like first-consistent, and starts in 30 ms; a strategy needs two seconds for its process.
CONSISTENT = """
import itertools, json, sys

def feedback(guess, secret):
    black = sum(map(str.__eq__, guess, secret))
    return black, sum(min(guess.count(peg), secret.count(peg)) for peg in set(guess)) - black

for line in sys.stdin:
    asked = json.loads(line)
    turns = [(turn["code"], (turn["black"], turn["white"])) for turn in asked["history"]]
    codes = map("".join, itertools.product(asked["symbols"], repeat=asked["pegs"]))
    code = next(code for code in codes if all(feedback(code, guess) == reply for guess, reply in turns))
{body}
    print(json.dumps({{"code": code}}), flush=True)
"""


def write_bot(name, body):
    Path(f"{name}.py").write_text(f"def choose(position, rng):\n{body}")
    return f"{name}.py"


def write_program(name, body=""):
    """Write a program that runs these lines before each answer, and return how it enters a tournament."""
    Path(f"{name}.py").write_text(CONSISTENT.format(body=indent(body, "    ")))
    return f"{name}={sys.executable} -IS {name}.py"


def rows(document):
    return {row["name"]: row for row in document["entrants"]}


@pytest.mark.full
def test_thirty_entrants_have_thirty_rows(run):
    """Whatever some of them do: every other entrant solves its games, and nothing is left of any."""
    require(shutil.which("cc"), "the C program needs a compiler; on Debian: apt install gcc libc6-dev")
    require(shutil.which("node"), "the Node program needs node; on Debian: apt install nodejs")
    Path("bot.c").write_text(C_PROGRAM)
    subprocess.run(["cc", "-o", "c-bot", "bot.c"], check=True)
    Path("bot.js").write_text(NODE_PROGRAM)
    programs = ["c=./c-bot", "js=node bot.js", "rubbish=echo rubbish"]
    broken = [write_bot(*each) for each in BROKEN.items()]
    odd = [write_bot("prints", PRINTS), write_bot("forks", FORKS), write_bot("twice", TWICE)]
    pids = "import os\nopen('pids', 'a').write(f'{os.getpid()} ')"
    good = [write_bot("good", f"{indent(pids, ' ' * 4)}\n{PLAIN}")]
    good += [write_program(f"good-{number}", pids) for number in range(30 - 2 - 3 - len(broken) - len(odd))]
    limits = ("--seconds", 3, "--memory", 500, "--guess-limit", 30)
    jobs = min(2, len(os.sched_getaffinity(0)))
    cast = ["minimax", *good, *odd, *broken, *programs]
    document = run("tournament", *cast, *SMALL, *SEED, *limits, "--jobs", jobs, "--json").document
    found = rows(document)
    assert len(found) == 30
    failed = {name: row["failed"] for name, row in found.items() if row["failed"] and name != "twice"}
    assert failed == dict.fromkeys([*BROKEN, "c", "js", "rubbish"], 2) | {"loops": 1}  # it loops once
    reasons = {fault["name"]: fault["message"] for fault in document["faults"] if fault["name"] != "twice"}
    assert set(reasons) == {*BROKEN, "rubbish"}  # the programs played their games to the end
    for name, words in {
        "loops": "took",
        "raises": "no idea",
        "exits": "3",
        "eats": "Memory",
        "rubbish": "rubbish",
    }.items():
        assert words in reasons[name]
    numbers = {int(pid) for pid in Path("pids").read_text().split()}
    assert len(numbers) == len(good)  # a healthy entrant is started once
    wait_until(lambda: not any(map(is_running, numbers)))


def test_fault_is_repeated_by_its_command(run):
    body = "    if position.turn == 3:\n        raise RuntimeError(f'drew {rng.random()}')\n" + PLAIN
    cast = (write_program("other"), write_bot("raises", body))
    for codemaker, games in (("fixed", 2), ("evil", 1)):
        options = ("--rules", "4x5", "--games", games, "--codemaker", codemaker, *SEED)
        faults = run("tournament", *cast, *options, "--json").document["faults"]
        assert [fault["game"] for fault in faults] == [*range(1, games + 1)]
        for fault in faults:
            (drawn,) = [word for word in fault["message"].split() if word.startswith("0.")]
            assert drawn in run(*shlex.split(fault["command"])[1:]).err


GUARDS = {
    "time": ("its game took", "import time\nend = time.process_time() + 2\nwhile time.process_time() < end:\n    pass"),
    "resident memory": (
        "200 MB",
        "import mmap\nkept = mmap.mmap(-1, 250 << 20)\n[kept.write(bytes(1 << 20)) for _ in range(250)]",
    ),
    "allocated memory": ("exit status 1", "bytearray(400_000_000)"),
    "processes": ("64", "import os, time\nfor _ in range(70):\n    os.fork() or time.sleep(1000)"),
}


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.full)], ids=["guarded", "control"])
def test_guard(run, monkeypatch, guard, guarded):
    """The control shows that it is the guard that ends the game: without it the entrant wins."""
    if not guarded:
        monkeypatch.setattr(ProgramLimits, "broken", lambda *_: None)
        monkeypatch.setattr(ProgramLimits, "apply", lambda *_: None)
    named, body = GUARDS[guard]
    bot = write_program("bot", f"if asked['turn'] == 1:\n{indent(body, ' ' * 4)}")
    options = ("--rules", "3x4", "--games", 1, "--seconds", 1, "--memory", 200, "--guess-limit", 30, *SEED)
    document = run("tournament", write_program("other"), bot, *options, "--json").document
    assert rows(document)["bot"]["failed"] == guarded
    assert [named in fault["message"] for fault in document["faults"]] == [True] * guarded


@pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "control"])
def test_children_do_not_outlive_their_game(run, monkeypatch, guarded):
    if not guarded:
        monkeypatch.setattr(play, "count_processes", lambda _: 1)
    body = """
import os, time
if asked["turn"] == 1:
    if os.path.exists("child"):
        state = "/proc/" + open("child").read() + "/stat"
        open("alive", "a").write(str(os.path.exists(state) and " Z " not in open(state).read()))
    child = os.fork() or time.sleep(1000)
    open("child", "w").write(str(child))
"""
    document = run("tournament", write_program("other"), write_program("bot", body), *SMALL, "--json").document
    assert not document["faults"]
    assert Path("alive").read_text() == str(not guarded)
    wait_until(lambda: not is_running(Path("child").read_text()))


def test_surroundings_of_an_entrant(run, monkeypatch):
    """One processor, and empty directories that are removed with all that is left there."""
    monkeypatch.setenv("EVILPEGS_TOKEN", "secret")
    body = """
import os, tempfile
home = os.path.expanduser("~")
seen = [os.listdir(home), os.listdir(tempfile.gettempdir()), len(os.sched_getaffinity(0))]
seen.append("EVILPEGS_TOKEN" in os.environ)
if not os.path.exists("seen"):
    json.dump([home, *seen], open("seen", "w"))
open(os.path.join(home, "left"), "w")
"""
    run("tournament", write_program("other"), write_program("bot", body), *SMALL)
    home, *seen = json.loads(Path("seen").read_text())
    assert seen == [[], [], 1, False]
    assert not Path(home).exists()


WAITS = """
import os
with open("asked.new", "w") as file:
    file.write(os.path.expanduser("~"))
os.replace("asked.new", "asked")
open("go").close()  # a pipe at first, which waits for its other end
"""
DRAWS = """
import random
code = "".join(random.Random(asked["seed"]).choices(asked["symbols"], k=asked["pegs"]))
"""


def units(journal):
    """Return how often each game is in a journal."""
    return Counter(json.loads(line.rpartition(" ")[0])[0] for line in journal.read_text().splitlines()[2:])


@pytest.mark.parametrize(
    "number",
    [signal.SIGKILL, signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.full)],
)
def test_interrupted_tournament_goes_on(start, run, number):
    cast = (write_program("first"), write_program("waits", WAITS), write_program("draws", DRAWS))
    words = ("tournament", *cast, "--rules", "3x4", "--games", 3, "--json")
    os.mkfifo("go")
    child = start(*words, "--journal", "journal")
    wait_until(Path("asked").exists)
    result = child.end(number)
    wait_until(lambda: not Path(Path("asked").read_text()).parent.exists())
    stopped = units(Path("journal"))
    assert stopped == {f"0 {game}": 1 for game in (1, 2, 3)}
    if number != signal.SIGKILL:
        (line,) = result.err.splitlines()
        assert "3 finished games in journal" in line
    Path("go").unlink()
    Path("go").touch()
    resumed = run(*words, "--journal", "journal").document
    assert units(Path("journal")) == {f"{index} {game}": 1 for index in (0, 1, 2) for game in (1, 2, 3)}
    assert resumed == run(*words, "--seed", resumed["seed"]).document
    assert resumed == run(*words, "--journal", "journal").document


def test_journal_of_others_is_refused(run):
    words = ("tournament", write_program("one"), write_program("two"), *SMALL, "--journal", "journal")
    run(*words, *SEED)
    before = Path("journal").read_bytes()
    for other in (("--seed", 5), ("--guess-limit", 9), ("--codemaker", "evil"), ("x=entropy",)):
        result = run(*words, *other)
        assert (result.status, "journal" in result.complaint) == (2, True)
    assert Path("journal").read_bytes() == before


def test_own_journal_goes_when_the_tournament_is_over(run, tmp_path):
    words = ("tournament", write_program("one"), write_program("two"), *SMALL, "--json")
    assert len({run(*words).document["seed"] for _ in range(2)}) == 2
    assert not list((tmp_path / "data/evilpegs/journals").iterdir())


@pytest.mark.parametrize("codemaker", ["fixed", "evil"])
def test_records_hold_and_secrets_differ(run, codemaker):
    """An entrant's secrets do not follow from those of another, who may be the same file."""
    program = write_program("one")
    cast = (program, f"twin={program.partition('=')[2]}", write_program("raises", "1 / 0"))
    options = ("--rules", "3x6", "--games", 5, "--codemaker", codemaker, *SEED)
    document = run("tournament", *cast, *options, "--records", "records", "--json").document
    games = {}
    for name, row in rows(document).items():
        verified = run("verify", f"records/{name}.jsonl", "--json")
        assert verified.status == 0
        assert verified.document["player"] == name
        games[name] = [(game["secret"], game["outcome"], game["guesses"]) for game in verified.document["games"]]
        assert sum(outcome != "solved" for _, outcome, _ in games[name]) == row["failed"]
    assert {outcome for _, outcome, _ in games["raises"]} == {"resigned"}
    assert games["one"] != games["twin"]


PAGE = Path(evilpegs_page.__file__).parent
READ_IN_PAGE = f"""
import {{ readFileSync }} from "node:fs";
import {{ readRecord }} from "{PAGE}/core/record_file.js";
import {{ verifyRecord }} from "{PAGE}/core/verification/verify.js";
import {{ readReplay }} from "{PAGE}/replay/timeline.js";
const events = readRecord(readFileSync(process.argv[2], "utf8"));
const findings = (await verifyRecord(events)).checks.filter((check) => check.ok !== true);
console.log(JSON.stringify([readReplay(events).games.length, findings]));
"""


def test_page_replays_and_verifies_records(run):
    node = shutil.which("node")
    require(node, "the code of the page needs node; on Debian: apt install nodejs")
    run("tournament", write_program("solves"), write_program("raises", "1 / 0"), *SMALL, "--records", ".")
    Path("read.mjs").write_text(READ_IN_PAGE)
    for name in ("solves", "raises"):
        result = subprocess.run([node, "read.mjs", f"{name}.jsonl"], capture_output=True, check=True)
        assert json.loads(result.stdout) == [2, []]


def test_scores_are_adjusted_where_a_curve_exists(run):
    options = ("--games", 30, *SEED, "--json")
    programs = (write_program("one"), write_program("two"))
    adjusted = run("tournament", "minimax", "first-consistent", *options).document
    raw = run("tournament", *programs, *options, "--guess-limit", 11).document
    assert adjusted["curve"]
    assert raw["curve"] is None
    assert [row["ahead_of"] for row in adjusted["entrants"]] == [["first-consistent"], []]
    assert rows(adjusted)["minimax"]["mean"] == pytest.approx(4.476, abs=0.1)
    assert rows(raw)["one"]["mean"] * 30 == pytest.approx(round(rows(raw)["one"]["mean"] * 30))
    assert "4,200" in run("tournament", *programs, *SMALL).out


def test_csv_has_the_table(run):
    words = ("tournament", write_program("one"), write_program("@two"), *SMALL, *SEED)
    document = run(*words, "--json").document
    table = list(csv.DictReader(run(*words, "--csv", "-").out.splitlines()))
    disarmed = {"@two": "'@two"}
    assert [row["name"] for row in table] == [disarmed.get(row["name"], row["name"]) for row in document["entrants"]]
    assert "'@two" in {row["name"] for row in table}
    run(*words, "--csv", "table.csv")
    assert list(csv.DictReader(Path("table.csv").read_text().splitlines())) == table


def test_elsewhere_than_on_linux(run, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    result = run("tournament", "minimax", "entropy")
    assert (result.status, "Linux" in result.complaint) == (2, True)


@pytest.mark.parametrize(
    "command", [("evaluate", "--games", "3", "--rules", "3x4"), ("compare", "minimax", "--max-pairs", "30")]
)
@pytest.mark.parametrize(("seed", "warned"), [([], True), (["--seed", "0"], True), (["--seed", "7"], False)])
def test_known_seed_is_named_for_files(run, command, seed, warned):
    name, *options = command
    result = run(name, write_bot("other", PLAIN), *options, *seed)
    assert ("--seed" in result.err) == warned
    assert "--seed" not in run(name, "minimax", *options).err
