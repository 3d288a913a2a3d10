"""Commands that play strategies play strategy trees too."""

import gzip
from pathlib import Path

import pytest

import evilpegs
from evilpegs_clients.strategies.loading import load_strategy

TEXT = evilpegs.format_tree(evilpegs.tree("minimax", "3x3"))
PLAIN, PACKED = "mine.tree", "small.tree.gz"


@pytest.fixture(autouse=True)
def _files(run):
    Path(PLAIN).write_text(TEXT)
    Path(PACKED).write_bytes(gzip.compress(TEXT.encode()))


def test_commands_play_trees(run):
    document = run("evaluate", PLAIN, PACKED, "minimax", "--rules", "3x3", "--json", "--jobs", "2").document
    assert {each["strategy"]: each["total"] for each in document["results"]} == {PLAIN: 74, PACKED: 74, "minimax": 74}
    assert run("duel", PACKED, "--rules", "3x3", "--json").document["strategy"] == PACKED
    assert run("certify", PACKED, "--json").document["total"] == 74
    assert run("tree", PACKED, "--rules", "3x3").out == TEXT


def test_compare_plays_trees(run):
    Path("best.tree").write_text(evilpegs.format_tree(evilpegs.tree("optimal", "4x6")))
    result = run("compare", "best.tree", "optimal", "--ladder", "classic", "--max-pairs", "30", "--json")
    assert (result.document["a"], result.document["b"]) == ("best.tree", "optimal")
    assert "seed 0 is known" in result.err


def test_tournament_plays_trees_and_shows_their_version(run):
    few = ("--games", "2", "--seed", "1", "--json")
    document = run("tournament", PLAIN, PACKED, "--rules", "3x3", "--records", "records", *few).document
    assert {each["name"]: each["failed"] for each in document["entrants"]} == {"mine": 0, "small": 0}
    assert f'"{load_strategy(PLAIN).version}"' in Path("records/mine.jsonl").read_text()
    refused = run("tournament", PLAIN, "minimax", *few)
    assert (refused.status, refused.out) == (2, "")
    assert {"mine.tree", "3x3", "4x6;"} <= set(refused.complaint.split())
