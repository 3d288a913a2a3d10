"""Players: names that cannot be mistaken for one another, and tokens that are kept only as hashes."""

import hashlib
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_server.storage.log.look_alikes import skeleton
from evilpegs_server.storage.log.players import (
    NameRefusedError,
    Player,
    Players,
    check_name,
    hash_token,
    new_token,
)

GOOD_NAMES = st.from_regex(r"[a-z][a-z0-9_-]{1,19}", fullmatch=True).filter(lambda name: not name.startswith("guest-"))


@pytest.fixture
def players():
    return Players()


def add_player(players, name, kind="bot"):
    """Add a player and return them with their token."""
    player, token = players.new_player(name, kind), new_token()
    players.add(player, hash_token(token))
    return player, token


def refusal(players, name):
    with pytest.raises(NameRefusedError) as caught:
        players.new_player(name, "bot")
    return caught.value


@given(GOOD_NAMES)
def test_good_name_can_be_claimed(name):
    check_name(name)
    assert Players().new_player(name, "human") == Player(1, name, "human")


@pytest.mark.parametrize(
    "name",
    ["", "a", "a" * 21, "Ann", "1ann", "-ann", "_ann", "ann bo", "ann\n", "änn", "аnn", "ann\0", "guest-1", "\ud800a"],
)
def test_bad_name_is_refused_unquoted(players, name):
    error = refusal(players, name)
    assert not error.taken
    assert str(error).isascii()
    assert str(error).isprintable()


@pytest.mark.parametrize(
    ("taken", "wanted"),
    [
        ("anna", "anna"),
        ("anna", "an-na"),
        ("anna", "an_na_"),
        ("bot0", "boto"),
        ("lil", "l1l"),
        ("lil", "lll"),
        ("bob5", "bobs"),
        ("corn", "com"),
        ("vvilly", "willy"),
        ("r-nd", "md"),
        ("max", "nnax"),
        ("max", "rnax"),
        ("cleo", "cl3o"),
        ("clan", "dan"),
        ("c1an", "dan"),
        ("rrn", "nnn"),
        ("uurn", "wm"),
        ("a4ron", "aaron"),
        ("be77y", "betty"),
        ("bo8", "bob"),
        ("quinn", "guinn"),
        ("ze2e", "zeze"),
    ],
)
def test_look_alike_name_is_refused_both_ways(taken, wanted):
    for first, second in [(taken, wanted), (wanted, taken)]:
        players = Players()
        add_player(players, first)
        assert refusal(players, second).taken


@pytest.mark.parametrize(
    "name", ["admin", "adm1n", "server", "evilpegs", "root", "r00t", "moderator", "sys-tem", "mod"]
)
def test_names_of_the_server_are_reserved(players, name):
    assert refusal(players, name).taken
    check_name(name)


@pytest.mark.parametrize("name", [*STRATEGIES, "teacher", "opt1mal"])
def test_names_of_strategies_and_roles_are_reserved(players, name):
    why = str(refusal(players, name))
    assert "only the operator can give it" in why
    assert ("looks like optimal" in why) == (name == "opt1mal")


@pytest.mark.parametrize("name", ["admins", "serve", "evil", "roots", "devil"])
def test_names_like_those_of_the_server_are_free(players, name):
    assert add_player(players, name)[0].name == name


def test_lapsed_name_is_taken_without_token(players):
    _, token = add_player(players, "ann")
    players.lapse(hash_token(token))
    assert (len(players), players.by_token(token)) == (0, None)
    assert refusal(players, "ann").taken


def test_new_players_get_free_ids_in_order_and_then_those_of_the_next_range(players):
    players.free_ids, players.next_ids = range(42, 44), range(7, 9)
    given = []
    for number in range(4):
        given.append(players.new_guest())
        players.add(given[-1], f"{number}" * 64)
    assert [each.id for each in given] == [42, 43, 7, 8]


def test_guest_is_found_by_number(players):
    guest, (ann, _) = players.new_guest(), add_player(players, "ann")
    assert players.guest(guest.id) is None
    players.add(guest, "hash")
    assert (players.guest(guest.id), players.guest(ann.id + 100)) == (guest, None)
    assert players.by_hash("hash") == guest
    players.remove(guest, "hash")
    assert players.guest(guest.id) is None


@pytest.mark.parametrize(("one", "other"), [("anna", "anne"), ("bot1", "bot2"), ("ann", "nan")])
def test_distinct_names_can_both_be_claimed(players, one, other):
    assert add_player(players, one)[0].id != add_player(players, other)[0].id


@given(GOOD_NAMES)
def test_skeleton_is_no_longer_than_name(name):
    assert len(skeleton(name)) <= len(name) <= 20


def test_player_is_found_by_token_only(players):
    ann, token = add_player(players, "ann")
    assert players.by_token(token) is ann
    assert players.by_token(new_token()) is None
    assert players.by_token(hash_token(token)) is None


def test_new_player_without_add_reserves_nothing(players):
    assert players.new_player("ann", "bot") == players.new_player("ann", "bot")
    assert len(players) == 0


def test_player_ids_continue_from_highest(players):
    players.add(Player(41, "ann", "bot"), "hash")
    assert players.new_player("bob", "bot").id == 42
    assert players.new_guest().id == 42


def test_removed_player_frees_name(players):
    ann, token = add_player(players, "ann")
    players.remove(ann, hash_token(token))
    assert players.by_token(token) is None
    assert add_player(players, "ann")[0].name == "ann"


def test_guest_has_reserved_name(players):
    guest = players.new_guest()
    assert guest.is_guest
    assert guest.name.startswith("guest-")
    assert not add_player(players, "ann")[0].is_guest
    with pytest.raises(NameRefusedError):
        check_name(guest.name)


def test_guest_name_is_never_taken(players, monkeypatch):
    drawn = iter(["00000000000a", "00000000000a", "00000000000b"])
    monkeypatch.setattr("secrets.token_hex", lambda _size: next(drawn))
    first = players.new_guest()
    players.add(first, "hash")
    assert (first.name, players.new_guest().name) == ("guest-00000000000a", "guest-00000000000b")


def test_name_of_guest_who_left_is_not_drawn_again(players):
    # nothing is added, as if all had left; of 300,000 names of eight digits, ten were drawn twice
    names = {players.new_guest().name for _ in range(300_000)}
    assert len(names) == 300_000


def test_token_is_random_and_kept_as_hash(players):
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(bytes.fromhex(token)) == 32 for token in tokens)
    _, token = add_player(players, "ann")
    assert hash_token(token) == hashlib.sha256(token.encode()).hexdigest()
    assert token.encode() not in pickle.dumps(players)
    assert hash_token(token).encode() in pickle.dumps(players)


def test_names_from_before_that_look_alike_keep_working(players):
    # of a database that an earlier version wrote
    ann, one = Player(1, "cleo", "bot"), Player(2, "cl3o", "bot")
    for player in (ann, one):
        players.add(player, player.name * 16)
    assert (players.by_hash("cleo" * 16), players.by_hash("cl3o" * 16)) == (ann, one)
    assert str(refusal(players, "cleo")) == "cleo is taken; cleo-2 is free"
    players.forget(one)
    assert "cleo, which is taken" in str(refusal(players, "cl3o"))
    players.remove(ann, "cleo" * 16)
    assert add_player(players, "cl3o")[0].id == 3


@pytest.mark.parametrize("base", ["bot", "bot-", "ann_1"])
def test_all_numbered_names_can_be_claimed(players, base):
    for number in range(100):
        add_player(players, f"{base}{number}")
