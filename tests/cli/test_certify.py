"""`evilpegs tree` and `evilpegs certify`."""

import io
import subprocess
import sys
from types import SimpleNamespace

import pytest

SMALL = "evilpegs tree 1\nrules 1x3\n1\n  0,0 2\n    0,0 3\n"


@pytest.fixture
def certify(run, tmp_path):
    """Certify a text."""

    def certify(text, *options):
        path = tmp_path / "a.tree"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return run("certify", "a.tree", *options)

    return certify


def type_in(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))


def test_the_document(run, certify):
    document = certify(run("tree", "minimax", "--rules", "4x6").out, "--json").document
    assert document == {
        "rules": "4x6",
        "first": "1122",
        "codes": 1296,
        "total": 5801,
        "mean": 5801 / 1296,
        "exact_mean": "5801/1296",
        "max": 5,
        "distribution": [1, 6, 62, 533, 694],
        "proved": "at most 5 guesses against any codemaker on 4x6",
    }


def test_what_people_read(certify):
    lines = certify(SMALL).out.splitlines()
    assert lines[0].split() == ["a", "tree", "of", "1x3,", "first", "guess", "1"]
    assert lines[1] == "3 codes, 6 guesses, mean 6/3 = 2.000000, at most 3"
    assert lines[4].split() == ["1", "1", "█" * 40]
    assert lines[-1] == "proved: at most 3 guesses against any codemaker on 1x3"


def test_one_guess(certify):
    assert "at most 1 guess against" in certify("evilpegs tree 1\nrules 2x1\n11\n").out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "evilpegs: a.tree: line 1: the text ends here"),
        (SMALL + "nothing\n", "evilpegs: a.tree: line 6: only the first guess stands at the beginning"),
        (SMALL.replace("    0,0 3\n", ""), "evilpegs: a.tree: line 4: after 1 0,0: nothing follows 0,0 to 2, which 3"),
        (SMALL + "      0,0 1\n", "evilpegs: a.tree: line 6: after 1 0,0, 2 0,0, 3 0,0: no code that is possible"),
        (SMALL.encode() + b"\n\xff", "evilpegs: a.tree: line 7: this is not text"),
        ("evilpegs tree 1\nrules 10x12\n1234567890\n", "evilpegs: a.tree: to certify a tree of 10x12 takes "),
    ],
)
def test_a_wrong_tree_is_refused_in_one_line(certify, text, told):
    result = certify(text)
    assert result.status == 2
    assert result.out == ""
    assert result.err.startswith(told)
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nowhere", "cannot read nowhere: No such file or directory; write a tree with: evilpegs tree STRATEGY"),
        (".", "cannot read .: Is a directory"),
        ("a\0b", "there can be no such file"),
        ("--jsno", "--jsno stands where a file should"),
    ],
)
def test_a_file_that_cannot_be_read(run, name, told):
    result = run("certify", name)
    assert result.status == 2
    assert told in result.err
    assert result.err.count("\n") == 1


def test_standard_input(run, monkeypatch):
    type_in(monkeypatch, SMALL.encode())
    assert run("certify", "-", "--json").document["total"] == 6
    type_in(monkeypatch, b"x")
    assert run("certify", "-").err.startswith("evilpegs: standard input: line 1: 'x' does not begin a tree")


def test_standard_input_that_is_closed(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert run("certify", "-").err.startswith("evilpegs: standard input: line 1: the text ends here")


def test_a_pipe_from_tree_to_certify():
    def piped(data, *words):
        command = [sys.executable, "-m", "evilpegs", *words]
        return subprocess.run(command, input=data, capture_output=True, timeout=100, check=True).stdout

    written = piped(b"", "tree", "first-consistent", "--rules", "3x3")
    assert b"27 codes, 89 guesses, mean 89/27" in piped(written, "certify", "-")


def test_a_tree_in_a_file(run, tmp_path):
    result = run("tree", "minimax", "--rules", "3x3", "--out", "mine.tree")
    assert result.out == "minimax on 3x3: 27 lines of guesses in mine.tree\n"
    assert (tmp_path / "mine.tree").read_text() == run("tree", "minimax", "--rules", "3x3").out
    assert run("certify", "mine.tree", "--json").document["distribution"] == [1, 7, 17, 2]


def test_a_tree_with_another_first_guess_among_candidates(run):
    lines = run("tree", "minimax", "--rules", "2x3", "--first", "33", "--candidates-only").out.splitlines()
    assert lines[2] == "33"


def test_what_a_strategy_prints_is_no_part_of_the_tree(run, talker):
    result = run("tree", talker, "--rules", "1x2")
    assert result.out == "evilpegs tree 1\nrules 1x2\n1\n  0,0 2\n"
    assert result.err.startswith("loaded\nthinking\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["minimax", "--out", "."], "cannot write .: Is a directory; choose another file"),
        (["minimax", "--out", "no/a.tree"], "cannot write no/a.tree: No such file or directory"),
        (["minimax", "--out", "a\0b"], "there can be no such file"),
        (["minimax", "--out=--json"], "--json stands where a file should"),
        (["minimax", "--rules", "8x10"], "bytes; the bound is"),
        (["minimax", "--first", "9999"], "has a color that 4x6 lacks"),
    ],
)
def test_a_tree_that_cannot_be_written(run, arguments, told):
    result = run("tree", "--rules", "4x6", *arguments) if "--rules" not in arguments else run("tree", *arguments)
    assert result.status == 2
    assert told in result.err
    assert result.err.count("\n") == 1


def test_a_strategy_that_is_stuck_is_named(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return (0,) * 3\n")
    assert run("tree", "mine.py", "--rules", "3x3").complaint.startswith("mine.py: the strategy is stuck: ")
