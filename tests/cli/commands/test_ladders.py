"""`evilpegs ladders`."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from evilpegs.commands.ladders import COLUMNS
from evilpegs.output import console, print_table
from evilpegs_game.luck.game_luck import curve_path, load_value_curve, read_value_curve
from evilpegs_game.rules import Rules
from evilpegs_server.match.ladders import load_ladders

KEYS = {"id", "rules", "codemaker", "tie", "exact_up_to", "clock", "guess_limit", "games", "rated"}


def test_ladders_json_lists_built_in_ladders(run):
    ladders = run("ladders", "--json").document["ladders"]
    assert all(set(ladder) - {"kind"} == KEYS for ladder in ladders)
    assert {ladder["id"]: ladder["kind"] for ladder in ladders if "kind" in ladder} == {"classic-people": "human"}
    classic = ladders[0]
    assert (classic["id"], classic["rules"], classic["guess_limit"], classic["rated"]) == ("classic", "4x6", 10, True)
    assert {"classic-evil", "super-blitz", "grand-practice", "bulls-and-cows-evil-practice"} <= {
        ladder["id"] for ladder in ladders
    }


def test_ladders_json_lists_what_server_offers(run, server):
    built_in = run("ladders", "--json").document["ladders"]
    offered = run("ladders", "--server", server.url, "--json").document["ladders"]
    too_expensive = ["colossus-evil", "colossus-practice", "colossus-evil-practice"]
    assert offered == [ladder for ladder in built_in if ladder["id"] not in too_expensive]


def test_built_in_ladders_that_servers_lack_are_named(run, server):
    """They are told for built-in ladders only: a server lists what it has."""
    own_words = run("ladders").out.splitlines()[-1]
    offered = {ladder["id"] for ladder in run("ladders", "--server", server.url, "--json").document["ladders"]}
    built_in = {ladder["id"] for ladder in run("ladders", "--json").document["ladders"]}
    named = {word.strip(",;") for word in own_words.split()}
    assert named & built_in == built_in - offered
    assert named & built_in
    assert "colossus-evil" not in run("ladders", "--server", server.url).out


def test_ladders_table_shows_rules_clock_and_kind(run):
    lines = run("ladders").out.splitlines()
    words = lines[2].split()
    assert words[:3] + words[-3:] == ["classic", "4x6", "fixed", "10", "10", "rated"]
    assert [word for word in words[3:-3] if word.isdigit()] == ["60", "1"]
    assert any("untimed" in line and "practice" in line for line in lines)


FRIDAY = """
[ladders.friday]
rules = "5x6"
codemaker = "evil"
guess_limit = 12
closes = 2026-11-27T10:00:00Z
"""


def test_ladders_of_the_file_are_listed_after_built_in_ones(run):
    Path("evilpegs.toml").write_text(FRIDAY)
    *built_in, friday = run("ladders", "--json").document["ladders"]
    assert [ladder["id"] for ladder in built_in] == list(load_ladders())
    assert (friday["rules"], friday["games"], friday["tie"]) == ("5x6", 4, "largest/seeded")
    assert friday["closes"] == datetime(2026, 11, 27, 10, tzinfo=UTC).timestamp() * 1000
    assert "opens" not in friday
    lines = run("ladders").out.splitlines()
    assert any(line.split()[:3] == ["friday", "5x6", "evil"] for line in lines)
    (times,) = [line for line in lines if line.startswith("friday closes at ")]
    assert datetime.fromisoformat(times.removeprefix("friday closes at ")).timestamp() * 1000 == friday["closes"]


def test_ladders_of_a_wrong_file_are_one_line(run):
    Path("evilpegs.toml").write_text(FRIDAY.replace("12", "0"))
    result = run("ladders")
    assert (result.status, result.out) == (2, "")
    assert "ladders.friday.guess_limit" in result.complaint


@pytest.mark.parametrize("width", [120, 80, 60, 30, 10])
def test_ladders_table_never_cuts_ids(capsys, width):
    infos = [ladder.info() for ladder in load_ladders().values()]
    out = console()
    out.width = width
    print_table(out, infos, COLUMNS)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == [info.id for info in infos]
    assert not any("…" in line for line in lines)
    assert width < 30 or all(len(line) <= width for line in lines)
    assert ("clock" in lines[0]) == (width > 60)


def test_calibrate_writes_the_frozen_curve(run, tmp_path):
    """The curve that the command writes today is the one in the package."""
    result = run("ladders", "--calibrate", "classic", "--folder", tmp_path, "--json").document
    path, frozen = tmp_path / "4x6-10.json", load_value_curve(Rules(4, 6), 10)
    assert result["file"] == str(path)
    assert path.read_bytes() == curve_path(Rules(4, 6), 10).read_bytes()
    assert (result["hash"], result["knots"]) == (frozen.hash, len(frozen.knots))
    assert result["expected"] == pytest.approx(5722 / 1296, abs=1e-6)


def test_calibrate_replaces_a_curve_only_if_forced(run, tmp_path):
    path = tmp_path / "4x6-10.json"
    path.write_text("kept")
    refused = run("ladders", "--calibrate", "classic-blitz", "--folder", tmp_path)
    assert (refused.status, path.read_text()) == (2, "kept")
    assert all(word in refused.complaint for word in (str(path), "--force"))
    assert str(path) in run("ladders", "--calibrate", "classic-blitz", "--folder", tmp_path, "--force").out
    assert read_value_curve(path, Rules(4, 6), 10).hash == load_value_curve(Rules(4, 6), 10).hash


def test_calibrate_large_rules_with_games_of_a_seed(run, tmp_path, monkeypatch):
    monkeypatch.setattr("evilpegs.commands.ladders.EXACT_SIZE", 1000)
    words = ("ladders", "--calibrate", "classic", "--folder", tmp_path, "--force", "--json", "--games", "5", "--seed")
    first, again, other = (run(*words, seed).document for seed in (1, 1, 2))
    assert first == again
    assert first["hash"] != other["hash"]
    assert "5 games, seed 1" in first["calibration"]
