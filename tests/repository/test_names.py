"""One name means one thing: classes and functions in the packages, and tests within a test package."""

import ast
import re
from collections import defaultdict
from pathlib import Path

from evilpegs.commands import COMMANDS, GROUPS

ROOT = Path(__file__).parents[2]
PACKAGES = ("game", "protocol", "server", "clients", "cli")
INDEPENDENT = "verification/independent/"
"""The independent check is written apart on purpose and shares no code; it may use the terms of the game again."""
CLASS = re.compile(r"^class ([A-Za-z]\w*)", re.MULTILINE)
FUNCTION = re.compile(r"^(?:async )?def ([A-Za-z]\w*)", re.MULTILINE)
TYPED = {name.replace("-", "_") for name in COMMANDS}.union(*GROUPS.values())
"""What users type; a command may be called like what it does in the game or on the server."""
SHARED = {
    "main": "the start of a process",
    "search": "the kernel of a search, in a module of that name in the package of the search",
}
TEST = re.compile(r"^ *(?:async )?def (test_\w+)", re.MULTILINE)
PRIVATE = re.compile(r"\._[A-Za-z]|\bimport .*\b_|^ +_\w+,$", re.MULTILINE)
"""What may be a private name; the syntax trees of all tests would take seconds."""


def defined(pattern, paths, group=lambda path: None):
    """Return where each name is defined, by the group of its file and its name."""
    found = defaultdict(list)
    for path in sorted(paths):
        for name in pattern.findall(path.read_text()):
            found[group(path), name].append(str(path.relative_to(ROOT)))
    return found


def package_of_test(path):
    return path.relative_to(ROOT / "tests").parts[0]


def repeated(found):
    return {name: places for name, places in found.items() if len(places) > 1}


def test_public_class_names_are_unique():
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    classes = defined(CLASS, [path for path in paths if INDEPENDENT not in path.as_posix()])
    assert len(classes) > 300
    assert repeated(classes) == {}


def test_public_function_names_are_unique():
    """The Python API has the names of commands on purpose, and Alembic gives those of migrations."""
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    apart = (INDEPENDENT, "cli/evilpegs/api/", "storage/migrations/")
    functions = defined(FUNCTION, [path for path in paths if not any(part in path.as_posix() for part in apart)])
    assert len(functions) > 700
    ours = {
        name: [place for place in places if name not in TYPED or not place.startswith("cli/evilpegs/commands/")]
        for (_, name), places in functions.items()
    }
    found = repeated(ours)
    assert {name: places for name, places in found.items() if name not in SHARED} == {}
    assert found.keys() == SHARED.keys()


def test_test_names_are_unique_within_package():
    """Inherited contracts count once."""
    tests = defined(TEST, (ROOT / "tests").rglob("test_*.py"), package_of_test)
    assert len(tests) > 3_000
    assert repeated(tests) == {}


def test_repeated_names_are_noticed():
    """The control of the tests above."""
    assert repeated({"Frame": ["a.py", "b.py"], "Turn": ["a.py"]}) == {"Frame": ["a.py", "b.py"]}


def test_tests_read_no_private_state():
    """Tests use public facts: no ``other._attribute``, no import of a private name."""
    reads = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if PRIVATE.search(text) else ():
            private = isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
            own = private and isinstance(node.value, ast.Name | ast.Call) and ast.unparse(node.value) in OWN
            if private and not own and node.attr not in ALLOWED:
                reads.append(f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}")
            if isinstance(node, ast.ImportFrom):
                reads += [f"{path.relative_to(ROOT)}:{node.lineno} {a.name}" for a in node.names if a.name[0] == "_"]
    assert reads == []


def test_requests_of_tests_have_a_limit_of_their_own():
    """httpx waits five seconds by default, which a busy machine does not keep."""
    impatient = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "httpx." in text else ():
            waits = isinstance(node, ast.Call) and ast.unparse(node.func) in WAITING
            if waits and not any(each.arg == "timeout" for each in node.keywords):
                impatient.append(f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}")
    assert impatient == []


WAITING = {f"httpx.{name}" for name in ("get", "head", "post", "request", "stream", "Client", "AsyncClient")}
OWN = {"self", "cls", "super()"}
ALLOWED = {"_asdict", "_replace", "_fields", "_make", "_exit", "_current_frames", "_repr_html_"}
"""Public members of named tuples, of the modules os and sys, and of what notebooks show."""
