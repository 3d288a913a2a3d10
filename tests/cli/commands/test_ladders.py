"""`evilpegs ladders`."""

import pytest

from evilpegs.commands.ladders import ladders_tables
from evilpegs.output import console
from evilpegs.tables import print_first_fit
from evilpegs_server.match.ladders import load_ladders

KEYS = {"id", "rules", "codemaker", "tie", "exact_up_to", "clock", "guess_limit", "games", "rated"}


def test_ladders_json_lists_built_in_ladders(run):
    ladders = run("ladders", "--json").document["ladders"]
    assert all(set(ladder) == KEYS for ladder in ladders)
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


@pytest.mark.parametrize("width", [120, 80, 60, 30, 10])
def test_ladders_table_never_cuts_ids(capsys, width):
    infos = [ladder.info() for ladder in load_ladders().values()]
    out = console()
    out.width = width
    print_first_fit(out, ladders_tables(infos))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == [info.id for info in infos]
    assert not any("…" in line for line in lines)
    assert width < 30 or all(len(line) <= width for line in lines)
    assert ("clock" in lines[0]) == (width > 60)
