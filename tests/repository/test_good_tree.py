"""The search for a good tree finds one near the best, goes on from its journal, and never gets worse."""

import gzip
import json
import sys

import pytest

from evilpegs_game.trees.certificate import certify
from evilpegs_game.trees.tree import parse_tree
from tools.good_tree import main

pytestmark = pytest.mark.full

OPTIMUM, ENTROPY = 2463, 2476


@pytest.fixture
def search(monkeypatch, tmp_path):
    """Search for a tree of 4x5 with these options; return its total and the lines of its journal."""
    out = tmp_path / "4x5.tree.gz"

    def search(*options):
        monkeypatch.setattr(sys, "argv", ["good_tree", "4x5", *options, "--out", str(out)])
        main()
        journal = (tmp_path / "4x5.tree.gz.journal").read_text().splitlines()
        return certify(parse_tree(gzip.decompress(out.read_bytes()).decode())).total, list(map(json.loads, journal))

    return search


def test_tree_is_near_the_best_and_gets_no_worse(search):
    narrow, lines = search("1123", "--second", "4", "--full", "1", "--third", "1")
    assert OPTIMUM <= narrow < ENTROPY
    assert narrow <= 625 + sum(line["total"] for line in lines)
    wide, more = search("1123", "--second", "20", "--full", "3", "--third", "3")
    assert OPTIMUM <= wide <= narrow
    assert more[: len(lines)] == lines
    assert len(more) == 2 * len(lines)


def test_search_goes_on_where_it_was_stopped(search, tmp_path):
    found, lines = search("1123", "--second", "4", "--full", "1", "--third", "1")
    journal = tmp_path / "4x5.tree.gz.journal"
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines[:-2]))
    again, repeated = search("1123", "--second", "4", "--full", "1", "--third", "1")
    assert (again, repeated) == (found, lines)
