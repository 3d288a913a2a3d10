"""Change the product at random places, one at a time, and see which changes the tests notice.

    python -m tools.mutants --seed 1 --count 60
    python -m tools.mutants --seed 1 --count 60 --tests ../other-checkout

A change flips a comparison, drops a statement, changes a constant or swaps two arguments. Each is tried in a copy of
the product, against the tests that mirror its file and those of the command line, until the first failure; kernels run
as plain Python. ``--tests`` takes the tests of another checkout, to compare two suites by the same changes. The first
run changes nothing and must not fail.
"""

import argparse
import ast
import copy
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("game", "protocol", "server", "clients", "cli")
OPPOSITES = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
DROPPED = (ast.Expr, ast.AugAssign, ast.Raise, ast.Delete)
PASSED, KILLED, TIMED_OUT = "survived", "killed", "timed out"


@dataclass(frozen=True)
class Mutant:
    """A place in a file, from one byte of a line to another, and what stands there instead."""

    path: Path
    kind: str
    place: tuple[int, int, int, int]
    new: str

    def apply(self, root):
        file = root / self.path
        lines = file.read_bytes().split(b"\n")
        first, begin, last, end = self.place
        old = lines[first - 1 : last]
        head, tail = old[0][:begin], old[-1][end:]
        lines[first - 1 : last] = [head + self.new.encode() + tail]
        file.write_bytes(b"\n".join(lines))

    def __str__(self):
        return f"{self.path}:{self.place[0]}: {self.kind}: {self.new.splitlines()[0][:60]}"


def flipped(node):
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return ast.Compare(node.left, [OPPOSITES[type(node.ops[0])]()], node.comparators)
    return None


def dropped(node):
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return ast.Pass() if isinstance(node, DROPPED) and not is_text else None


def changed(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        return ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
    return None


def swapped(node):
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return None
    first, second, *rest = node.args
    if any(isinstance(each, ast.Starred) for each in (first, second)) or ast.dump(first) == ast.dump(second):
        return None
    new = copy.copy(node)
    new.args = [second, first, *rest]
    return new


KINDS = {"flip": flipped, "drop": dropped, "constant": changed, "swap": swapped}


def is_annotation(parent, field):
    return field in {"annotation", "returns"} or (isinstance(parent, ast.Subscript) and field == "slice")


def nodes_of(node):
    """Yield what is run: no annotations, indexes or parts of formatted texts, nothing for the type checker alone."""
    yield node
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
        return
    for field, value in ast.iter_fields(node):
        if not is_annotation(node, field):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from nodes_of(child)


def mutants_of(root):
    """Return all mutants by kind, in the order of files and lines."""
    found = {kind: [] for kind in KINDS}
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            if "migrations" in file.parts:
                continue
            for node in nodes_of(ast.parse(file.read_text(encoding="utf-8"))):
                for kind, change in KINDS.items():
                    if (new := change(node)) is not None:
                        place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
                        text = ast.unparse(ast.fix_missing_locations(new))
                        # a negative number is an operation on a positive one, and a comparison may stand after `not`
                        text = f"({text})" if kind == "flip" else text
                        found[kind].append(Mutant(file.relative_to(root), kind, place, text))
    return found


def draw(root, seed, count):
    rng = random.Random(seed)
    found = mutants_of(root)
    return [rng.choice(found[rng.choice(list(KINDS))]) for _ in range(count)]


def tests_of(path, tests):
    """Return the test file and the folder that mirror a file of the product, and the tests of the command line."""
    package, _, *inner, name = path.parts
    folder = tests / package
    for part in inner:
        folder = folder / part if (folder / part).is_dir() else folder
    file = folder / f"test_{name}"
    return [*[file] * file.exists(), folder, tests / "cli"]


def run(workspace, paths, seconds):
    """Run the tests until one fails; return what became of them and the last line of the output."""
    packages = ":".join(str(workspace / package) for package in PACKAGES)
    environment = os.environ | {"PYTHONPATH": packages, "NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--tb=line"]
    child = subprocess.Popen(
        [*command, *paths],
        cwd=workspace,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        printed, _ = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        return TIMED_OUT, ""
    finally:
        os.killpg(child.pid, signal.SIGKILL) if child.returncode is None else None
        child.communicate()
    failed = [line for line in printed.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return (PASSED if child.returncode == 0 else KILLED), (failed or [""])[0][:100]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=60.0, help="for the tests of one mutant")
    parser.add_argument("--tests", type=Path, default=ROOT, help="the checkout whose tests are run")
    options = parser.parse_args()
    totals = Counter()
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "tree"
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=options.tests, capture_output=True, text=True, check=True
        ).stdout
        for name in listed.split("\0")[:-1]:
            source = (ROOT if name.split("/")[0] in PACKAGES else options.tests) / name
            if source.is_file():
                (workspace / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, workspace / name)
        for mutant in (None, *draw(ROOT, options.seed, options.count)):
            path = mutant.path if mutant else Path("game/evilpegs_game/codes.py")
            kept = (workspace / path).read_bytes()
            if mutant:
                mutant.apply(workspace)
            verdict, line = run(workspace, tests_of(path, workspace / "tests"), options.seconds)
            (workspace / path).write_bytes(kept)
            print(f"{verdict:9}  {mutant or 'no change'}  {line}", flush=True)
            if mutant:
                totals[verdict] += 1
            elif verdict == KILLED:
                sys.exit("the tests fail without a change")
    print(", ".join(f"{totals[verdict]} {verdict}" for verdict in (KILLED, PASSED, TIMED_OUT)))


if __name__ == "__main__":
    main()
