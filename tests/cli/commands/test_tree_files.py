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


@pytest.mark.parametrize("command", [["duel", PACKED], ["evaluate", PACKED], ["compare", PACKED, "minimax"]])
def test_game_of_other_rules_ends_with_one_line(run, command):
    result = run(*command)
    assert (result.status, result.out) == (2, "")
    assert result.complaint.startswith(f"{PACKED} is a tree of 3x3 and cannot play 4x6")


def test_compare_plays_trees(run):
    Path("best.tree").write_text(evilpegs.format_tree(evilpegs.tree("optimal", "4x6")))
    result = run("compare", "best.tree", "optimal", "--ladder", "classic", "--max-pairs", "30", "--json")
    assert (result.document["a"], result.document["b"]) == ("best.tree", "optimal")
    assert "seed 0 is known" in result.err


def test_tournament_plays_trees(run):
    few = ("--games", "2", "--seed", "1", "--json")
    document = run("tournament", PLAIN, PACKED, "minimax", "--rules", "3x3", *few).document
    rows = {each["name"]: each for each in document["entrants"]}
    assert {name: row["failed"] for name, row in rows.items()} == {"mine": 0, "small": 0, "minimax": 0}
    refused = run("tournament", PLAIN, "minimax", *few)
    assert (refused.status, refused.out) == (2, "")
    assert {"mine.tree", "3x3", "4x6;"} <= set(refused.complaint.split())


def test_tournament_shows_version_of_tree(run):
    run("tournament", PLAIN, "minimax", "--rules", "3x3", "--games", "2", "--seed", "1", "--records", "records")
    (record,) = [text for path in Path("records").iterdir() if "mine" in (text := path.read_text())]
    assert f'"{load_strategy(PLAIN).version}"' in record
