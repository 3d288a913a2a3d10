"""The public Python API: its list of names, its examples, and how little an import takes."""

import ast
import doctest
import inspect
import pkgutil
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import evilpegs
from support.patience import PATIENCE

PUBLIC = [
    "Advice",
    "Certificate",
    "ClientError",
    "Code",
    "Codemaker",
    "Contradiction",
    "ContradictionError",
    "Devil",
    "Duel",
    "EvaluationResult",
    "EvaluationResults",
    "Evil",
    "EvilpegsError",
    "Feedback",
    "Fixed",
    "Game",
    "GameAnalysis",
    "History",
    "IllegalCodeError",
    "LeastGuesses",
    "LowerBound",
    "MalformedError",
    "OutOfRangeError",
    "OverBudgetError",
    "Partition",
    "Position",
    "Replay",
    "Rules",
    "Solution",
    "Strategy",
    "StrategyComparison",
    "StrategyError",
    "StuckError",
    "StuckStrategyError",
    "TooLargeError",
    "Tournament",
    "Tree",
    "TreeError",
    "TreeTextError",
    "Turn",
    "Verification",
    "advise",
    "analyze",
    "certify",
    "compare",
    "duel",
    "evaluate",
    "events",
    "events_async",
    "feedback",
    "format_code",
    "format_tree",
    "leaderboard",
    "load_strategy",
    "local_server",
    "parse_code",
    "parse_tree",
    "partition",
    "play",
    "play_matches",
    "plot",
    "replay",
    "solve",
    "strategies",
    "tournament",
    "tree",
    "verify",
    "verify_match",
]
DATA = {"Code", "History", "strategies"}
"""Public names that cannot carry a docstring of their own; the docstring of the package describes them."""
ERRORS = {name for name in PUBLIC if name.endswith("Error")} - {"EvilpegsError"}
"""An error's example is in the docstring of what raises it."""
RECORD = Path(__file__).parents[2] / "compatibility" / "v0.1.0" / "evil.jsonl"
HEAVY = ("numba", "numpy", "pydantic", "rich", "sqlalchemy", "websockets")


def test_public_names_are_pinned():
    assert evilpegs.__all__ == PUBLIC


def test_every_public_name_resolves():
    assert all(getattr(evilpegs, name) is not None for name in PUBLIC)
    assert dir(evilpegs) == sorted(PUBLIC)


def test_names_are_those_that_type_checkers_import():
    """What `evilpegs` imports for type checkers is what it imports at runtime."""
    nodes = ast.walk(ast.parse(inspect.getsource(evilpegs)))
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module.startswith("evilpegs")]
    homes = {each.asname or each.name: (node.module, each.name) for node in imports for each in node.names}
    assert sorted(homes) == sorted(PUBLIC)
    for name, (module, attribute) in homes.items():
        assert getattr(evilpegs, name) is getattr(import_module(module), attribute), name


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'nonsense'"):
        _ = evilpegs.nonsense


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_public_errors_are_evilpegs_errors_with_docstring(name):
    assert issubclass(getattr(evilpegs, name), evilpegs.EvilpegsError)
    assert getattr(evilpegs, name).__doc__


@pytest.mark.parametrize(
    ("mistyped", "meant"), [("Postion", "Position"), ("evalute", "evaluate"), ("zzz", None), ("_Position", None)]
)
def test_unknown_name_suggests_only_near_names(mistyped, meant):
    with pytest.raises(AttributeError) as caught:
        getattr(evilpegs, mistyped)
    assert ("did you mean" in str(caught.value)) is (meant is not None)
    assert meant is None or str(caught.value).endswith(f" {meant}?")


def test_version_is_that_of_the_installation():
    assert evilpegs.__version__ == version("evilpegs")


def test_type_checkers_see_the_same_names():
    guard, _ = [node for node in ast.parse(inspect.getsource(evilpegs)).body if isinstance(node, ast.If)]
    seen = {
        alias.asname or alias.name: getattr(import_module(node.module), alias.name)
        for node in guard.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {name: getattr(evilpegs, name) for name in PUBLIC}


@pytest.mark.parametrize("name", [name for name in PUBLIC if name not in DATA | ERRORS])
def test_public_name_has_running_example(name, server, tmp_path):
    shutil.copy(RECORD, tmp_path / "match.jsonl")
    value, globs = getattr(evilpegs, name), {"server": server.url}
    tests = [test for test in doctest.DocTestFinder(recurse=False).find(value, name, globs=globs) if test.examples]
    assert tests, "the docstring has no example"
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in tests:
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_package_docstring_runs():
    assert doctest.testmod(evilpegs).failed == 0
    assert all(f"``{name}``" in evilpegs.__doc__ for name in DATA)


def test_import_takes_nothing_heavy():
    script = f"import evilpegs, sys; print(*sorted(sys.modules.keys() & set({HEAVY!r})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout == "\n"


def test_no_submodule_bears_a_public_name():
    submodules = {module.name for module in pkgutil.iter_modules([str(Path(evilpegs.__file__).parent)])}
    assert submodules.isdisjoint(PUBLIC)
