"""Kernels give the same compiled and as plain Python, in small work that executes nearly all of them.

`make coverage` runs all tests of the game as plain Python.
"""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import evilpegs_game
from support import twins
from support.patience import PATIENCE

PACKAGE = Path(evilpegs_game.__file__).parent
TESTS = Path(__file__).parents[1]
TOO_LARGE = {"counting.extend._count_steps"}
"""Kernels that only tables of 100,000 rows need."""

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="compares the other way with the compiled one")


def kernels():
    """Return the names of all kernels, without those of the module that makes them, which all others call."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text())) if module != "kernels" else ():
            if {getattr(each, "id", None) for each in getattr(node, "decorator_list", ())} & {"kernel", "short_kernel"}:
                found.add(f"{module}.{node.name}")
    return found


def play_plain(*work, folder=PACKAGE.parent):
    """Do all work, or these kinds, as plain Python in a process, with the game in this folder; warnings are errors."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{folder}{os.pathsep}{TESTS}"}
    command = [sys.executable, "-W", "error", "-m", "support.twins", *work]
    ran = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=folder
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.fixture(scope="module")
def compiled():
    return twins.results()


def different(compiled, plain):
    """Return the kinds of work whose results differ, with the first results that do."""
    pairs = {work: [*zip(compiled[work], results, strict=True)] for work, results in plain.items()}
    wrong = {work: [pair for pair in each if pair[0] != pair[1]] for work, each in pairs.items()}
    return {work: each[0] for work, each in wrong.items() if each}


def test_plain_twins_give_what_kernels_give(compiled):
    played = play_plain()
    assert different(compiled, played["results"]) == {}
    assert kernels() - set(played["executed"]) == TOO_LARGE


def test_changed_twin_is_noticed(compiled, tmp_path):
    """The control: a kernel whose plain form ranks equal guesses in another order."""
    shutil.copytree(PACKAGE, tmp_path / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / PACKAGE.name / "guessing" / "ranking.py"
    text = file.read_text()
    assert text.count("return int(best.score[-1] - 1)") == 1
    file.write_text(text.replace("return int(best.score[-1] - 1)", "return int(best.score[-1])"))
    played = play_plain("partitions", "guessing", folder=tmp_path)
    assert different(compiled, played["results"]).keys() == {"guessing"}
