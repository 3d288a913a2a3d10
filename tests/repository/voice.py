"""A check of the project's English: how docstrings begin, and how rates are written.

A docstring must stand alone where an editor shows it alone, so it begins with a verb or a noun phrase, never with a
word of `WEAK`. A rate is written with "per", as in "1,400 per second". ``python tests/repository/voice.py`` prints
one line for each place that breaks a rule, and exits with status 1 if there is one.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("game", "protocol", "server", "clients", "cli", "bench", "examples", "tests")
WEAK = ("What", "Whether", "How", "Who", "Where", "The same", "As", "Of")
BEGINS_WEAK = re.compile(rf"(?:{'|'.join(WEAK)})\b")
NUMBER = r"(?<![\w.,-])(?:\d[\d,.]*|\{[^{}]*\})"
UNIT = r"(?:ms|us|ns|s|kB|MB|GB|MiB|rows|guesses|games|matches|messages|requests|events|frames|bytes|seconds|times)"
PER = (
    "second|minute|hour|day|game|guess|turn|peg|match|move|connection|player|process|secret|code|core|request|page|"
    "row|line|step|round|reply|commit|event|message|task|processor|color|address|batch"
)
RATE = re.compile(
    rf"(?:{NUMBER}(?: {UNIT})?|\b(?:many times|once|twice)(?= an? (?:second|minute|hour|day)\b)|\bminutes|\bguesses)"
    rf" an? (?:{PER})\b"
)


def findings(text, name):
    """Return a line for each place of a Python file that breaks a rule; ``name`` is the name of the file."""
    weak = [(line, first) for line, first in docstrings(ast.parse(text)) if BEGINS_WEAK.match(first)]
    rates = [(number, match[0]) for number, line in enumerate(text.splitlines(), 1) for match in RATE.finditer(line)]
    return [f"{name}:{line}: {words}" for line, words in sorted(weak + rates)]


def docstrings(tree):
    """Yield the line and the first line of text of each docstring: of modules, classes, functions and attributes."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        after_module = [None, *node.body]
        for before, statement in zip(after_module, node.body, strict=False):
            if is_text(statement) and (before is None or isinstance(before, ast.Assign | ast.AnnAssign)):
                yield statement.lineno, statement.value.value.strip().partition("\n")[0]


def is_text(statement):
    """Return True for a statement that is nothing but a text."""
    constant = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(constant, ast.Constant) and isinstance(constant.value, str)


def check(root=ROOT):
    """Return the findings in all Python files of the project but this one, whose texts are the rules."""
    paths = [
        path for folder in FOLDERS for path in sorted((root / folder).rglob("*.py")) if "node_modules" not in path.parts
    ]
    return [
        line
        for path in paths
        if path.name not in {"voice.py", "test_voice.py"}
        for line in findings(path.read_text(encoding="utf-8"), path.relative_to(root))
    ]


if __name__ == "__main__":
    lines = check()
    print("\n".join(lines), end="\n" if lines else "")
    sys.exit(1 if lines else 0)
