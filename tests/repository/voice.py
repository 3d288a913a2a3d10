"""A check of where docstrings stand: private functions have none, because a reason belongs at its line.

``python tests/repository/voice.py`` prints a line for each that breaks the rule, and exits with status 1.
"""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("game", "protocol", "server", "clients", "cli")


def findings(text, name):
    """Return a line for each private function of a Python file that has a docstring."""
    return [
        f"{name}:{node.lineno}: {node.name} is private: write the reason as a comment at its line"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("_")
        and not node.name.startswith("__")
        and ast.get_docstring(node)
    ]


def check(root=ROOT):
    """Return the findings in all packages."""
    paths = [path for package in PACKAGES for path in sorted((root / package).rglob("*.py"))]
    return [line for path in paths for line in findings(path.read_text(encoding="utf-8"), path.relative_to(root))]


if __name__ == "__main__":
    lines = check()
    print("\n".join(lines), end="\n" if lines else "")
    sys.exit(1 if lines else 0)
