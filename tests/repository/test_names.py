"""Test names are unique within a test package, and tests read public facts only."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEST_PACKAGES = sorted(path.name for path in (ROOT / "tests").iterdir() if any(path.rglob("test_*.py")))


def names_of_tests(package):
    """Return where each test function of a test package is defined, by name; inherited contracts count once."""
    found = defaultdict(list)
    for path in sorted((ROOT / "tests" / package).rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                found[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


def repeated(found):
    return {name: places for name, places in found.items() if len(places) > 1}


@pytest.mark.parametrize("package", TEST_PACKAGES)
def test_test_names_are_unique_within_package(package):
    assert repeated(names_of_tests(package)) == {}


def test_repeated_names_are_noticed():
    """The control of the tests above."""
    assert repeated({"Frame": ["a.py", "b.py"], "Turn": ["a.py"]}) == {"Frame": ["a.py", "b.py"]}


def test_tests_read_no_private_state():
    """Tests use public facts: no ``other._attribute``, no import of a private name."""
    reads = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            private = isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
            own = private and isinstance(node.value, ast.Name | ast.Call) and ast.unparse(node.value) in OWN
            if private and not own and node.attr not in ALLOWED:
                reads.append(f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}")
            if isinstance(node, ast.ImportFrom):
                reads += [f"{path.relative_to(ROOT)}:{node.lineno} {a.name}" for a in node.names if a.name[0] == "_"]
    assert reads == []


OWN = {"self", "cls", "super()"}
ALLOWED = {"_asdict", "_replace", "_fields", "_make", "_exit"}
"""Public members of named tuples, and `os._exit`."""
