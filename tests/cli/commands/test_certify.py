"""`evilpegs tree` and `evilpegs certify`."""

import sys

import pytest

from evilpegs.main import app
from evilpegs_clients.errors import StuckStrategyError
from evilpegs_game.errors import StuckError
from evilpegs_game.evaluation.exact import MAX_IDLE_TURNS
from support.printed import numbers_in

SMALL = "evilpegs tree 1\nrules 1x3\n1\n  0,0 2\n    0,0 3\n"


@pytest.fixture
def certify(run, tmp_path):
    """Certify a text."""

    def certify(text, *options):
        path = tmp_path / "a.tree"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return run("certify", "a.tree", *options)

    return certify


def test_certify_json_describes_minimax_tree(run, certify):
    document = certify(run("tree", "minimax", "--rules", "4x6").out, "--json").document
    assert numbers_in(document.pop("proved")) == {"5", "4x6"}
    assert document == {
        "rules": "4x6",
        "first": "1122",
        "codes": 1296,
        "total": 5801,
        "mean": 5801 / 1296,
        "exact_mean": "5801/1296",
        "max": 5,
        "distribution": [1, 6, 62, 533, 694],
    }


def test_certify_table_shows_totals_and_bars(certify):
    lines = certify(SMALL).out.splitlines()
    assert numbers_in(lines[0]) == {"1x3", "1"}
    assert numbers_in(lines[1]) == {"3", "6", "6/3", "2.000000"}
    assert lines[4].split() == ["1", "1", "█" * 40]
    assert numbers_in(lines[-1]) == {"3", "1x3"}


def test_certify_proves_lower_bound(certify):
    text = "evilpegs adversary 1\nrules 3x5\nguesses 4\n111 0,0\n112 1,0\n123 1,0\n"
    assert numbers_in(certify(text).out) == {"5", "3x5"}
    document = certify(text, "--json").document
    assert numbers_in(document.pop("proved")) == {"5", "3x5"}
    assert document == {"rules": "3x5", "at_least": 5}
    result = certify(text.replace("112 1,0\n", ""))
    assert (result.status, result.out) == (2, "")
    assert result.complaint.startswith("a.tree: ")
    assert "112" in result.complaint


def test_certify_uses_singular_for_one_guess(certify):
    *_, last = certify("evilpegs tree 1\nrules 2x1\n11\n").out.splitlines()
    assert "1 guess " in last


@pytest.mark.parametrize(
    "words", [["certify", "a\0b"], ["tree", "minimax", "--rules", "2x2", "--out", "a\0b"]], ids=["certify", "tree"]
)
def test_name_with_control_character_is_printed_clean(run, words):
    result = run(*words)
    assert (result.status, result.out) == (2, "")
    assert "a?b" in result.complaint


def test_certify_reads_what_tree_wrote_from_standard_input(run, monkeypatch, tmp_path):
    (tmp_path / "written").write_text(run("tree", "first-consistent", "--rules", "3x3").out)
    with (tmp_path / "written").open() as typed:
        monkeypatch.setattr(sys, "stdin", typed)
        assert {"27", "89", "89/27"} <= numbers_in(run("certify", "-").out)


def test_certify_refuses_closed_standard_input(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    result = run("certify", "-")
    assert result.status == 2
    assert "line 1:" in result.complaint


def test_tree_written_to_file_certifies(run, tmp_path):
    result = run("tree", "minimax", "--rules", "3x3", "--out", "mine.tree")
    text = (tmp_path / "mine.tree").read_text()
    (line,) = result.out.splitlines()
    assert "mine.tree" in line
    assert numbers_in(line) == {"3x3", str(len(text.splitlines()) - 2)}
    assert text == run("tree", "minimax", "--rules", "3x3").out
    assert run("certify", "mine.tree", "--json").document["distribution"] == [1, 7, 17, 2]


def test_tree_starts_with_given_first_guess(run):
    lines = run("tree", "minimax", "--rules", "2x3", "--first", "33", "--candidates-only").out.splitlines()
    assert lines[2] == "33"


def test_tree_output_excludes_strategy_prints(run, talker):
    result = run("tree", talker, "--rules", "1x2")
    assert result.out == "evilpegs tree 1\nrules 1x2\n1\n  0,0 2\n"
    assert result.err.startswith("loaded\nthinking\n")


def test_tree_names_strategy_that_is_stuck(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return (0,) * 3\n")
    with pytest.raises(StuckStrategyError) as caught:
        app(["tree", "mine.py", "--rules", "3x3"])
    assert isinstance(caught.value.__cause__, StuckError)
    result = run("tree", "mine.py", "--rules", "3x3")
    assert (result.status, result.out) == (2, "")
    assert result.complaint.startswith("mine.py: ")
    assert {"3x3", str(MAX_IDLE_TURNS + 1)} <= numbers_in(result.complaint)
