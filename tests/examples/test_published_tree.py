"""The example reads trees in the notations of other publications."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from evilpegs_game.codes import all_codes, format_code
from evilpegs_game.errors import MalformedError
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.guessing.criteria import MINIMAX
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.partition import split
from evilpegs_game.rules import Rules
from evilpegs_game.trees.certificate import certify
from evilpegs_game.trees.tree import format_tree, parse_tree, tree_from_strategy
from support.patience import PATIENCE

PROGRAM = Path(__file__).parents[2] / "examples" / "published_tree.py"
convert = runpy.run_path(str(PROGRAM))["convert"]

RULES = [Rules(1, 4), Rules(2, 3), Rules(3, 3), Rules(2, 4, repeats=False)]


def minimax(rules):
    return tree_from_strategy(lambda position: best_guess(position, MINIMAX), rules)


def figure(node, codes, omitted):
    """Return a node in the notation of figures; ``omitted`` leaves out the whites that no code gives."""
    pegs = len(node.guess)
    parts = {given: part for given, part in split(codes, node.guess) if given != all_black(pegs)}
    rows = []
    for black in range(pegs):
        whites = [0] if omitted and black == pegs - 1 else range(pegs - black, -1, -1)
        given = [Feedback(black, white) for white in whites]
        rows.append(
            ", ".join(figure(node.children[each], parts[each], omitted) if each in parts else "0" for each in given)
        )
    ended = "1" if len(parts) < len(split(codes, node.guess)) else "0"
    return f"{codes.shape[1]} ({format_code(node.guess)}: {'; '.join([*rows, ended])})"


def braces(node):
    guess = format_code(node.guess)
    branches = ",".join(f"{given.black}{given.white}:{braces(child)}" for given, child in node.children.items())
    return f"{{{guess}:{{{branches}}}}}" if branches else guess


@pytest.mark.parametrize("omitted", [True, False])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_convert_reads_figures(rules, omitted):
    tree = minimax(rules)
    assert convert(figure(tree.root, all_codes(rules), omitted), rules) == tree


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_convert_reads_braces(rules):
    tree = minimax(rules)
    assert convert(braces(tree.root), rules) == tree


def test_convert_reads_letters():
    rules = Rules(2, 2)
    wanted = "evilpegs tree 1\nrules 2x2\n11\n  0,0 22\n  1,0 12\n    0,2 21\n"
    assert format_tree(convert("4(11: 0,0,1; 0,2A; 1)\n\nA = (12)\n", rules)) == wanted
    assert format_tree(convert("4(11: 0,0,1; 2; 1)", rules)) == wanted
    assert format_tree(convert("{AA:{10:{AB:{02:BA}},00:BB}}", rules)) == wanted


def test_convert_reads_marked_guess():
    tree = convert("4 (1: 3 (1*); 1)", Rules(1, 4))
    assert tree.root.children[Feedback(0, 0)].guess == (0,)
    assert certify(tree).distribution == (1, 0, 1, 1, 1)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("4(11: 0,0,2; 2; 1)", r"\b2\b.*\b1\b"),
        ("4(11: 0,0,1; 2; 1", r"^\).*''$"),
        ("4(11: 0,1,1; 2; 1)", r"^0\b.*'1 , 1 ; 2 ; 1 \)'$"),
        ("{11:{00:22,10}}", r"^:.*'} } '$"),
        ("{11:{00:22", r"^}.*''$"),
        ("{11:{00:2I}}", "'2I'"),
        ("{11:{00:éé}}", "'ÉÉ'"),
    ],
)
def test_convert_refuses_malformed_text(text, named):
    with pytest.raises(MalformedError, match=named):
        convert(text, Rules(2, 2))


def test_program_prints_tree(tmp_path):
    path = tmp_path / "tree.txt"
    path.write_bytes(b"\xef\xbb\xbf{11:{10:{12:{02:21}},\r\n00:22}}")
    done = subprocess.run(
        [sys.executable, PROGRAM, "2x2", path], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert certify(parse_tree(done.stdout)).total == 8


@pytest.mark.parametrize(
    ("arguments", "named"),
    [([], "published_tree.py RULES FILE"), (["2x2", "nowhere"], "'nowhere'"), (["2by2", __file__], "'2by2'")],
)
def test_program_refuses_in_one_line(arguments, named):
    done = subprocess.run(
        [sys.executable, PROGRAM, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert named in done.stderr
