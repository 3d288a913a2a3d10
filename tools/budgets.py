"""The check of the budgets of lines in pyproject.toml: ``make check`` fails if a package is larger than its own."""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def lines_of(folder, suffix):
    """Count the lines of all files of a kind in a folder, but not those of vendored libraries."""
    return sum(
        len(path.read_text(encoding="utf-8").splitlines())
        for path in folder.rglob(f"*{suffix}")
        if "vendor" not in path.parts
    )


def over_budget(root=ROOT):
    """Return a line for each package that is larger than its budget."""
    budgets = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["evilpegs"]["budgets"]
    found = []
    for package, budget in budgets.items():
        folder, suffix = (root / package, ".py") if package != "page" else (root / "clients", ".js")
        lines = lines_of(folder, suffix)
        if lines > budget:
            found.append(f"{package} has {lines:,} lines, its budget is {budget:,}: make something shorter, or say why")
    return found


if __name__ == "__main__":
    print("\n".join(lines := over_budget()), end="\n" if lines else "")
    sys.exit(bool(lines))
