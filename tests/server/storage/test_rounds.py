"""Rounds as the commands store them and the server reads them."""

from dataclasses import replace

import pytest

from evilpegs_server.storage.log import acts, writes
from evilpegs_server.storage.log.players import Player, new_token
from evilpegs_server.storage.log.rounds import (
    Round,
    RoundError,
    admit,
    exclude,
    find_round,
    load_change,
    load_entered,
    load_entrants,
    load_rounds,
    open_round,
    publish_round,
    set_closing,
)
from support.matches import TINY
from support.stored_matches import PLAYERS, StoredPlay, store, store_players

DATABASES = ("sqlite", "postgresql")

FINAL = Round("final", "classic", 5, sealed=True, opens=1, closes=None, published=None)
ANN, BOB, EVE = (PLAYERS[name].id for name in ("ann", "bob", "eve"))


@pytest.fixture
def rounds(engine):
    """A database with the players ann, bob and eve, and the round final, whose entrants are ann and bob."""
    store_players(engine)
    open_round(engine, FINAL, ["ann", "bob"])
    return engine


def test_rounds_are_read_back_by_opening(rounds):
    earlier = replace(FINAL, id="semifinal", sealed=False, opens=0, closes=9)
    assert open_round(rounds, earlier, []) == 0
    assert load_rounds(rounds) == [earlier, FINAL]
    assert find_round(rounds, "final") == FINAL
    with pytest.raises(RoundError, match="no round 'finale'; did you mean final"):
        find_round(rounds, "finale")


def test_everybody_enters_but_banned_and_hidden_players(rounds):
    acts.add_players(rounds, {"zoe": new_token()}, "human", 1)
    store(rounds, [writes.insert_player(Player(7, "guest-7", "guest"), "7" * 64, 1)])
    acts.act_on_player(rounds, "ban", "bob", 2)
    acts.act_on_player(rounds, "hide", "eve", 3)
    assert open_round(rounds, replace(FINAL, id="open"), None) == 2
    entered = {player for name, player in load_entrants(rounds) if name == "open"}
    assert ANN in entered
    assert not entered & {BOB, EVE, 7}


@pytest.mark.parametrize("used", ["final", "tiny"])
def test_id_of_a_round_or_a_played_ladder_is_in_use(rounds, used):
    store(rounds, StoredPlay(1, TINY).start())
    with pytest.raises(RoundError, match=f"the id {used} is in use"):
        open_round(rounds, replace(FINAL, id=used), None)
    assert load_rounds(rounds) == [FINAL]


def test_unknown_entrant_opens_no_round(rounds):
    with pytest.raises(acts.UnknownPlayerError, match="'bop'"):
        open_round(rounds, replace(FINAL, id="other"), ["ann", "bop"])
    assert load_rounds(rounds) == [FINAL]


def test_excluded_entrants_are_admitted_again(rounds):
    exclude(rounds, "final", "bob", "copied", 40)
    assert load_entrants(rounds) == {("final", ANN)}
    assert admit(rounds, "final", ["bob", "eve"], 45) == 2
    assert load_entrants(rounds) == {("final", ANN), ("final", BOB), ("final", EVE)}


def test_closed_round_takes_back_excluded_entrants_and_no_new_ones(rounds):
    exclude(rounds, "final", "bob", "copied", 40)
    with pytest.raises(RoundError, match="final is closed, and eve is no entrant"):
        admit(rounds, "final", ["bob", "eve"], 45, with_new=False)
    assert load_entrants(rounds) == {("final", ANN)}
    assert admit(rounds, "final", ["bob"], 45, with_new=False) == 1
    assert load_entrants(rounds) == {("final", ANN), ("final", BOB)}


def test_only_an_entrant_is_excluded(rounds):
    with pytest.raises(RoundError, match="eve is no entrant of final"):
        exclude(rounds, "final", "eve", "late", 40)
    with pytest.raises(acts.UnknownPlayerError, match="'zoe'"):
        exclude(rounds, "final", "zoe", "late", 40)


def test_closing_is_set(rounds):
    set_closing(rounds, "final", 77)
    assert find_round(rounds, "final") == replace(FINAL, closes=77)


def test_round_is_over_once_when_no_match_of_it_is_open(rounds):
    first, *more = StoredPlay(1, replace(TINY, id="final")).play(("solved", [3]))
    store(rounds, first)
    assert load_entered(rounds) == {("final", ANN)}
    assert not publish_round(rounds, "final", 50)
    store(rounds, *more)
    assert find_round(rounds, "final").published is None
    assert publish_round(rounds, "final", 60)
    assert not publish_round(rounds, "final", 70)
    assert find_round(rounds, "final").published == 60
    assert load_entered(rounds) == set()


def test_results_that_change_after_the_end_say_when(rounds):
    def changed():
        return load_change(rounds, find_round(rounds, "final"))

    open_round(rounds, replace(FINAL, id="other"), ["bob"])
    exclude(rounds, "final", "bob", "copied", 40)
    assert changed() is None
    publish_round(rounds, "final", 60)
    exclude(rounds, "other", "bob", "copied", 61)
    admit(rounds, "final", ["ann"], 62, with_new=False)
    acts.act_on_player(rounds, "hide", "eve", 63)
    acts.rename_player(rounds, "ann", "anna", 64)
    assert changed() is None
    for at, change in (
        (70, lambda: admit(rounds, "final", ["bob"], 70, with_new=False)),
        (71, lambda: exclude(rounds, "final", "bob", "copied", 71)),
        (72, lambda: acts.act_on_player(rounds, "hide", "bob", 72)),
        (73, lambda: acts.act_on_player(rounds, "show", "bob", 73)),
        (74, lambda: acts.forget_player(rounds, "bob", 74, with_open=False)),
    ):
        change()
        assert changed() == at
