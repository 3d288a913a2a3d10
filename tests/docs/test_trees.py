"""The trees, errors and notations shown in the document are correct."""

import re
import runpy
from pathlib import Path

import pytest

import evilpegs
from evilpegs_game.errors import GameError
from evilpegs_game.rules import Rules
from evilpegs_game.trees.certificate import certify
from evilpegs_game.trees.tree import format_tree, parse_tree

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/trees.md").read_text()
convert = runpy.run_path(str(ROOT / "examples/published_tree.py"))["convert"]


def test_tree_in_document_is_certified():
    shown = re.findall(r"```text\n(evilpegs tree.*?)```", TEXT, re.DOTALL)
    assert len(shown) == 1
    certified = certify(parse_tree(shown[0]))
    assert (certified.total, certified.max, certified.count) == (74, 4, 27)
    assert format_tree(parse_tree(shown[0])) == shown[0]


def refusal(text):
    with pytest.raises(GameError) as caught:
        evilpegs.certify(text)
    return str(caught.value)


def test_errors_in_document_are_current():
    shown, below = re.findall(r"```text\n(line.*?)```", TEXT, re.DOTALL)
    (tree,) = re.findall(r"```text\n(evilpegs tree.*?)```", TEXT, re.DOTALL)
    wrong = [tree.replace("1,1 331", new, 1) for new in ("1,2 331", "# nothing", "0,0 111\n    1,1 331")]
    assert shown.splitlines() == [refusal(text) for text in wrong]
    (tree,) = re.findall(r"```text\n(evilpegs adversary.*?)```", TEXT, re.DOTALL)
    assert evilpegs.certify(tree).at_least == 7
    wrong = [
        tree.replace(*change, 1)
        for change in (("  34 0,0\n    56 0,0\n", ""), ("\n12 0,0", "\n12 1,0"), ("12 0,0", "12 2,0"))
    ]
    assert below.splitlines() == [refusal(text) for text in wrong]


def test_notations_in_document_are_one_tree():
    figures, braces = re.findall(r"`(4\(11.*?)`", TEXT) + re.findall(r"`(\{11.*?)`", TEXT)
    trees = {format_tree(convert(text, Rules(2, 2))) for text in (figures, braces)}
    assert len(trees) == 1
    assert certify(parse_tree(trees.pop())).total == 8
