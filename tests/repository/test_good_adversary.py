"""The search for adversary's trees of large rules proves known worst cases, and refuses what is not so."""

import sys

import pytest

from evilpegs_game.trees.adversary import parse_tree_or_adversary
from evilpegs_game.trees.lower_bound import certify_adversary
from tools.good_adversary import main

pytestmark = pytest.mark.full

# the worst cases of Ville, and for two pegs of Chen and Lin
VALUES = {"4x6": 5, "4x7": 6, "3x8": 6, "2x10": 7, "5x7": 6}


@pytest.fixture
def search(monkeypatch, tmp_path):
    """Search for replies that some guesses do not beat; return the text of the tree."""
    out = tmp_path / "a.adversary"

    def search(rules, guesses):
        monkeypatch.setattr(sys, "argv", ["good_adversary", rules, str(guesses), "--out", str(out)])
        main()
        return out.read_text()

    return search


@pytest.mark.parametrize(("rules", "value"), VALUES.items())
def test_search_proves_worst_case(search, rules, value):
    assert certify_adversary(parse_tree_or_adversary(search(rules, value - 1))).at_least == value
    if rules != "5x7":  # where the search for six takes minutes
        with pytest.raises(SystemExit, match=str(value)):
            search(rules, value)
