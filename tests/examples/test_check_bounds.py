"""The program that checks trees with numpy alone, beside `evilpegs certify`."""

import ast
import gzip
import lzma
import runpy
import sys
from pathlib import Path

import pytest

from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.errors import GameError
from evilpegs_game.rules import Rules
from evilpegs_game.trees.adversary import format_adversary, parse_tree_or_adversary
from evilpegs_game.trees.certificate import certify
from evilpegs_game.trees.lower_bound import LowerBound, certify_adversary
from evilpegs_game.trees.tree import format_tree, parse_tree
from evilpegs_game.trees.worst_case_trees import find_adversary, find_strategy
from support.printed import numbers_in

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "check_bounds.py"
BOUNDS = ROOT / "docs" / "bounds"
main = runpy.run_path(str(PROGRAM))["main"]

# the worst cases in the literature: Jäger and Peczarski, Ville, Chen and Lin for two pegs
VALUES = {"3x3": 4, "3x5": 5, "4x4": 4, "4x6": 5, "4x6-distinct": 5, "3x8": 6, "2x10": 7}

RECORDS = {
    "5x6": 6,
    "4x10-distinct": 7,
    "5x7": 6,
    "5x8": 6,
    "5x5": 5,
    "6x4": 5,
    "4x9-distinct": 6,
    "3x13-distinct": 7,
    "3x15-distinct": 8,
    "3x16-distinct": 8,
    "3x18-distinct": 9,
}
"""The bounds that docs/bounds.md proves."""
TOTALS = {"5x6": (36_721, 6), "5x8": (178_877, 8)}
"""Totals and worst cases of the trees with few guesses in all."""


@pytest.fixture
def check(tmp_path, capsys):
    """Run the program on a text; return its status, and what it printed besides the name of the file."""

    def check(text):
        (tmp_path / "a").write_bytes(text if isinstance(text, bytes) else text.encode())
        status = main(str(tmp_path / "a"))
        out, err = capsys.readouterr()
        assert bool(err) == bool(status)
        return status, (out + err).removeprefix(f"{tmp_path / 'a'}: ").partition(";")[0]

    return check


@pytest.mark.parametrize(("rules", "value"), VALUES.items())
def test_program_agrees_on_worst_case(check, rules, value):
    worst = WorstCase(Rules.parse(rules))
    strategy = find_strategy(worst, value)
    status, printed = check(format_tree(strategy))
    assert status == 0
    assert numbers_in(printed) == {str(value), str(certify(strategy).total), str(worst.rules.size)}
    status, printed = check(format_adversary(find_adversary(worst, value - 1)))
    assert (status, numbers_in(printed)) == (0, {str(value - 1)})


# 3x8 needs six guesses; line 13 is 123 0,1
TREE = format_adversary(find_adversary(WorstCase(Rules(3, 8)), 5))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("guesses 5", "guesses 6", "4"),
        ("111 0,0\n", "", "3"),
        ("  456 0,1\n", "", "13"),
        ("  341 0,1\n", "  341 2,0\n", "9"),
        ("123 0,1\n", "123 0,2\n", "13"),
        ("123 0,1\n", "123 3,0\n", "13"),
        ("112 0,0\n  134", "112 2,1\n  134", "5"),
        ("  456 0,1\n", "  459 0,1\n", "25"),
        ("  456 0,1\n", "      456 0,1\n", "25"),
        ("rules 3x8", "rules 3x9x", "2"),
    ],
)
def test_both_programs_refuse_what_proves_nothing(check, old, new, line):
    text = TREE.replace(old, new, 1)
    assert text != TREE
    status, printed = check(text)
    assert (status, printed.partition(":")[0]) == (1, f"line {line}")
    with pytest.raises(GameError):
        certify_adversary(parse_tree_or_adversary(text))


@pytest.mark.parametrize(("old", "new", "line"), [("  0,0 2\n", "", "3"), ("0,0 2", "0,0 1", "4"), ("1x2", "1x3", "4")])
def test_program_refuses_tree_that_solves_less(check, old, new, line):
    status, printed = check("evilpegs tree 1\nrules 1x2\n1\n  0,0 2\n".replace(old, new))
    assert (status, printed.partition(":")[0]) == (1, f"line {line}")


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_program_reads_compressed_trees(check, compress):
    assert check(compress(TREE.encode()))[0] == 0


def test_program_shares_no_code():
    imports = [
        node for node in ast.walk(ast.parse(PROGRAM.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    modules = {node.module if isinstance(node, ast.ImportFrom) else node.names[0].name for node in imports}
    assert "numpy" in modules
    assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names | {"numpy"}


@pytest.mark.parametrize("rules", sorted(path.name.partition(".")[0] for path in BOUNDS.glob("*.adversary")))
def test_shipped_adversary_is_certified(rules):
    adversary = parse_tree_or_adversary((BOUNDS / f"{rules}.adversary").read_text())
    assert certify_adversary(adversary) == LowerBound(Rules.parse(rules), RECORDS[rules])


@pytest.mark.parametrize("rules", sorted(path.name.partition(".")[0] for path in BOUNDS.glob("*.tree.gz")))
def test_shipped_tree_is_certified(check, rules):
    data = (BOUNDS / f"{rules}.tree.gz").read_bytes()
    certified = certify(parse_tree(gzip.decompress(data).decode()))
    codes = Rules.parse(rules).size
    total, worst = TOTALS.get(rules, (certified.total, RECORDS[rules]))
    assert (certified.count, certified.total, certified.max) == (codes, total, worst)
    status, printed = check(data)
    assert (status, numbers_in(printed)) == (0, {str(certified.max), str(certified.total), str(codes)})
