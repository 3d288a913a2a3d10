"""`evilpegs partition`."""

import pytest

from support.printed import numbers_in, svg_texts


def test_partition_json_has_documented_keys(run):
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
def test_partition_takes_turns_before_or_after_guess(run, arguments):
    document = run("partition", *arguments, "--json").document if "--" not in arguments else None
    document = document or run("partition", "--json", *arguments).document
    assert [turn["code"] for turn in document["after"]] == ["1122", "3344"]
    assert [guess["code"] for guess in document["guesses"]] == ["2345"]
    assert document["candidates"] < 256


def test_partition_reads_presets_and_lower_case(run):
    document = run("partition", "--rules", "monster", "--after", "1", "--json")
    assert document.status == 2
    assert run("partition", "--rules", "3x12", "aab", "--json").document["guesses"][0]["code"] == "AAB"


def test_partition_table_shows_part_sizes(run):
    lines = run("partition", "1122", "1123").out.splitlines()
    assert numbers_in(lines[0]) == {"4x6", "1,296"}
    assert ["●●●●", "4,0", "1", "1"] in [line.split() for line in lines]
    assert ["256", "276"] in [line.split()[1:] for line in lines]


def test_partition_table_wraps_many_guesses(run):
    guesses = [f"{number}{number}22" for number in (1, 2, 3, 4, 5, 6)] * 2
    result = run("partition", *guesses, "--after", "1122:1,0")
    lines = result.out.splitlines()
    assert numbers_in(lines[0]) == {"4x6", "1", "256"}
    assert all(len(line) <= 120 for line in lines)
    assert "…" not in result.out
    headings = [line for line in lines if line.startswith("feedback")]
    assert len(headings) == 2
    assert sum(line.count("2  2") for line in headings) >= len(guesses)


def test_partition_plot_shows_guesses(run, tmp_path):
    path = tmp_path / "parts.svg"
    result = run("partition", "1122", "1123", "--after", "1122:1,0", "--plot", path)
    assert result.status == 0
    title, *_ = result.out.splitlines()
    assert numbers_in(title) == {"4x6", "1", "256"}
    assert path.read_text().startswith("<?xml")
    texts = svg_texts(path)
    assert {title, "1,0"} <= texts
    assert {"1122", "1123"} <= numbers_in(" ".join(texts))


def test_partition_plots_beside_json(run, tmp_path):
    path = tmp_path / "parts.png"
    assert run("partition", "1122", "--plot", path, "--json").document["candidates"] == 1296
    assert path.read_bytes().startswith(b"\x89PNG")
