"""What a type checker says of scripts that use the Python API: it refuses typing errors, and nothing that is right."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mypy.api import run

import evilpegs
import evilpegs_clients
import evilpegs_game
import evilpegs_protocol
from support.requirements import require

PYRIGHT = Path(__file__).parents[2] / "page/node_modules/.bin/pyright"
WRONG = [
    'evilpegs.evalute("minimax")',
    "from evilpegs import Postion",
    "evilpegs.__versoin__",
    "number: int = evilpegs.__version__",
    'evilpegs.evaluate("minimax", rule="4x6")',
    'evilpegs.evaluate("minimax", games="100")',
    'evilpegs.evaluate("minimax").means',
    'evilpegs.evaluate(["minimax", "entropy"]).mean',
    'evilpegs.duel("minimax", codemaker="evli")',
    'evilpegs.duel("minimax")[0].candidates',
    'evilpegs.Rules("4x6", 6)',
    'evilpegs.Rules.parse("4x6").peg',
    "evilpegs.Rules(4, 6).pegs = 5",
    'evilpegs.Position("4x6").after("1122")',
    'evilpegs.Position("4x6").history = ()',
    'evilpegs.Game("4x6").guess(1122)',
    'evilpegs.solve("4x4", objective="max")',
    'evilpegs.solve("4x4", against="evil").tree',
    'evilpegs.certify(evilpegs.solve("4x4").tree).at_least',
    'evilpegs.certify("some.tree").total',  # an adversary's tree has none
    'evilpegs.advise("4x6").suggestions',  # turns that contradict each other have none
    'evilpegs.analyze("4x6", ["1122:1,0"], "devil")',
    'evilpegs.compare("minimax", "entropy").pvalue',
    'for event in evilpegs.events_async("ws://a"): event.match',
    'for event in evilpegs.events("ws://a"): event.seq_number',
    'evilpegs.replay(file="a.jsonl").games[0].turns[0].analysis.bits',  # there is none if it takes too long
    'evilpegs.replay(files="a.jsonl")',
    'evilpegs.tournament(["minimax", "entropy"], codemaker="devil")',
    'evilpegs.tournament(["minimax", "entropy"]).entrants[0].wins',
    "with evilpegs.local_server() as server: server.address",
    'evilpegs.local_server(registration="shut")',
    'evilpegs.local_server(ladders={"tiny": "4x6"})',
    'evilpegs.evaluate(lambda position: position.first_candidate, "4x6")',
]
RIGHT = [
    'text: str = evilpegs.__version__ + evilpegs.evaluate("minimax", games=100, seed=1).strategy',
    'means: list[float] = [each.mean for each in evilpegs.evaluate(["minimax", "entropy"], rules="4x6")]',
    'counts: list[int] = [turn.candidates_left for turn in evilpegs.duel("minimax", after=[("1122", (1, 0))])]',
    'evilpegs.Position(evilpegs.Rules(4, 6), ["1122:1,0"]).after((0, 0, 1, 1), "1,0").count + 1',
    'tree: evilpegs.Tree = evilpegs.solve("4x4", objective="worst").tree; evilpegs.certify(tree).total + 1',
    'least: int = evilpegs.solve("4x4", against="devil").guesses',
    'proof = evilpegs.certify("a.tree"); n = proof.max if isinstance(proof, evilpegs.Certificate) else proof.at_least',
    'advice = evilpegs.advise("4x6"); codes = () if isinstance(advice, evilpegs.Contradiction) else advice.codes',
    'ahead: list[tuple[str, ...]] = [row.ahead_of for row in evilpegs.tournament(["minimax", "a.py"]).entrants]',
    'codes: list[evilpegs.Code] = [turn.guess for turn in evilpegs.replay("last", server="ws://a").games[0].turns]',
    'seqs: list[int] = [event.seq for event in evilpegs.events("ws://a", "classic")]',
    'evilpegs.local_server(ladders={"tiny": {"rules": "2x3", "guess_limit": 9}}, data="a", registration="closed")',
    'game = evilpegs.Game("4x6", "fixed", secret="1234"); black: int = game.guess("1122").black',
    "with evilpegs.local_server() as s: evilpegs.play(server=s.url, ladder='classic', strategy='minimax', matches=1)",
    """
from random import Random

def first_possible(position: evilpegs.Position, rng: Random) -> evilpegs.Code:
    return position.first_candidate

class Always:
    def reply(self, position: evilpegs.Position, guess: evilpegs.Code) -> evilpegs.Feedback:
        return evilpegs.Feedback(0, 0)

evilpegs.duel(first_possible, Always())
""",
]


def with_mypy(folder, homes):
    """Return the name and the line of each error."""
    where = ["--config-file=", f"--cache-dir={folder}/cache", "--follow-imports=silent", "--no-error-summary"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYPYPATH", os.pathsep.join(homes))
        out, err, _ = run(["--strict", *where, str(folder)])
    assert err == ""
    return re.findall(r"(script_\d+)\.py:(\d+): error", out)


def with_pyright(folder, homes):
    require(PYRIGHT, "pyright is missing; run: npm ci --prefix tests/page")
    (folder / "pyrightconfig.json").write_text(json.dumps({"extraPaths": list(homes)}))
    command = [PYRIGHT, "--outputjson", "--pythonpath", sys.executable, "--project", folder]
    printed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    errors = [each for each in json.loads(printed)["generalDiagnostics"] if each["severity"] == "error"]
    return [(Path(each["file"]).stem, each["range"]["start"]["line"] + 1) for each in errors]


@pytest.fixture(scope="module", params=[with_mypy, pytest.param(with_pyright, marks=pytest.mark.full)])
def complaints(request, tmp_path_factory):
    """The errors of one run of a type checker by script: the lines that have one."""
    folder = tmp_path_factory.mktemp("scripts")
    for number, script in enumerate([*WRONG, *RIGHT]):
        Path(folder, f"script_{number}.py").write_text(f"import evilpegs\n{script}\n", encoding="utf-8")
    packages = (evilpegs, evilpegs_clients, evilpegs_game, evilpegs_protocol)
    homes = dict.fromkeys(str(Path(package.__file__).parents[1]) for package in packages)
    found = {}
    for name, line in request.param(folder, homes):
        found.setdefault(name, set()).add(int(line))
    return [found.get(f"script_{number}", set()) for number in range(len(WRONG) + len(RIGHT))]


@pytest.mark.parametrize("number", range(len(WRONG)), ids=WRONG)
def test_wrong_script_is_refused(number, complaints):
    assert complaints[number] == {2}


@pytest.mark.parametrize("number", range(len(RIGHT)))
def test_right_script_passes(number, complaints):
    assert complaints[len(WRONG) + number] == set()
