"""One name means one thing: classes in the packages, and tests within a test package."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("game", "protocol", "server", "clients", "cli")
INDEPENDENT = "verification/independent/"
"""The independent check is written apart on purpose and shares no code; it may use the terms of the game again."""
TEST_PACKAGES = sorted(path.name for path in (ROOT / "tests").iterdir() if any(path.rglob("test_*.py")))


def public_classes():
    """Return where each public class is defined, by name."""
    found = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if INDEPENDENT in path.as_posix():
                continue
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(str(path.relative_to(ROOT)))
    return found


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


def test_public_class_names_are_unique():
    assert repeated(public_classes()) == {}


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
ALLOWED = {"_asdict", "_replace", "_fields", "_make"}
"""Public members of named tuples."""
