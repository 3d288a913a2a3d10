"""`evilpegs partition`."""

import pytest


def test_the_document(run):
    document = run("partition", "--rules", "4x6", "1122", "1123", "--json").document
    assert set(document) == {"rules", "after", "candidates", "guesses"}
    assert (document["rules"], document["after"], document["candidates"]) == ("4x6", [], 1296)
    first, second = document["guesses"]
    assert set(first) == {"code", "candidate", "parts", "largest", "expected_size", "bits"}
    assert (first["code"], first["candidate"], first["largest"], len(first["parts"])) == ("1122", True, 256, 13)
    assert sum(size for _, _, size in first["parts"]) == 1296
    assert second["expected_size"] == pytest.approx(240108 / 1296)


@pytest.mark.parametrize(
    "arguments",
    [
        ["2345", "--after", "1122:1,0", "3344:0,1"],
        ["2345", "--after", "1122:1,0", "--after", "3344:0,1"],
        ["--after", "1122:1,0", "3344:0,1", "2345"],
        ["--after", "1122:1,0", "--after", "3344:0,1", "--", "2345"],
    ],
)
def test_turns_may_stand_before_or_after_the_guess(run, arguments):
    document = run("partition", *arguments, "--json").document if "--" not in arguments else None
    document = document or run("partition", "--json", *arguments).document
    assert [turn["code"] for turn in document["after"]] == ["1122", "3344"]
    assert [guess["code"] for guess in document["guesses"]] == ["2345"]
    assert document["candidates"] < 256


def test_presets_and_lower_case(run):
    document = run("partition", "--rules", "monster", "--after", "1", "--json")
    assert document.status == 2
    assert run("partition", "--rules", "3x12", "aab", "--json").document["guesses"][0]["code"] == "AAB"


def test_the_table(run):
    lines = run("partition", "1122", "1123").out.splitlines()
    assert lines[0] == "4x6: 1,296 candidates"
    assert "●●●● 4,0                  1             1" in lines
    assert "largest                 256           276" in lines


def test_more_guesses_than_fit_go_below(run):
    guesses = [f"{number}{number}22" for number in (1, 2, 3, 4, 5, 6)] * 2
    result = run("partition", *guesses, "--after", "1122:1,0")
    lines = result.out.splitlines()
    assert lines[0] == "4x6 after 1 turn: 256 candidates"
    assert all(len(line) <= 120 for line in lines)
    assert "…" not in result.out
    headings = [line for line in lines if line.startswith("feedback")]
    assert len(headings) == 2
    assert sum(line.count("2  2") for line in headings) >= len(guesses)


def test_a_plot(run, tmp_path):
    path = tmp_path / "parts.svg"
    result = run("partition", "1122", "1123", "--after", "1122:1,0", "--plot", path)
    assert result.status == 0
    assert result.out.startswith("4x6 after 1 turn: 256 candidates")
    drawn = path.read_text()
    assert drawn.startswith("<?xml")
    for text in ("4x6 after 1 turn: 256 candidates", "guess 1122", "guess 1123", "candidates left", ">1,0<"):
        assert text in drawn


def test_a_plot_beside_the_document(run, tmp_path):
    path = tmp_path / "parts.png"
    assert run("partition", "1122", "--plot", path, "--json").document["candidates"] == 1296
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["1122", "--plot", "parts.jpg"], "a plot is a .png or a .svg file"),
        (["1122", "--plot", "none/parts.png"], "there is no directory none"),
        (["1" * 16, "--rules", "16x34"], "codes; at most"),
        (["1122", "--rules", "9999999999x6"], "pegs must be 1 to 16"),
        (["1122", "--after", "1122"], "has no feedback"),
    ],
)
def test_what_cannot_be_done_is_told_before_anything_else(run, arguments, says):
    result = run("partition", *arguments)
    assert (result.status, result.out) == (2, "")
    assert says in result.complaint
