"""The operator's acts are stored together with what they change, all or nothing."""

import unicodedata

import pytest
from sqlalchemy import text

from evilpegs_server.show.follower import has_match, load_events, load_match_events
from evilpegs_server.storage.derived.browse import (
    MatchFilter,
    find_player,
    list_matches,
    list_open_matches,
    list_shown_players,
)
from evilpegs_server.storage.derived.file import DerivedFile
from evilpegs_server.storage.location import database_file
from evilpegs_server.storage.log import acts
from evilpegs_server.storage.log.archive import (
    lapsed_tokens,
    load_entries,
    load_last_event_id,
    load_match,
    load_player,
    load_players,
)
from evilpegs_server.storage.log.players import FIRST_ADDED, NameRefusedError, hash_token, new_token
from support.matches import TINY
from support.stored_matches import StoredPlay, store, store_players

DATABASES = ("sqlite", "postgresql")

NOW = 1_795_000_000_000


def add(engine, *names, kind="bot"):
    tokens = {name: new_token() for name in names}
    acts.add_players(engine, tokens, kind, NOW)
    return tokens


def names(engine):
    return [each.name for each in acts.list_players(engine)]


class TestAdding:
    def test_players_prove_their_names_with_the_given_tokens(self, engine):
        tokens = add(engine, "anna", "bert", kind="human")
        assert [load_player(engine, hash_token(token)).name for token in tokens.values()] == ["anna", "bert"]
        assert [act.deed for act in acts.load_acts(engine, 0)] == ["add", "add"]
        assert {each.kind for each in acts.list_players(engine)} == {"human"}

    def test_tokens_are_not_stored(self, engine, database):
        (token,) = add(engine, "anna").values()
        with engine.connect() as connection:
            assert token not in str(connection.execute(text("SELECT * FROM players")).all())

    def test_ids_are_not_those_that_a_server_gives(self, engine):
        """A server gives the next ids, to guests for example, before it stores them."""
        store_players(engine)
        before = load_players(engine).new_guest().id
        add(engine, "anna")
        add(engine, "bert")
        assert [act.player.id for act in acts.load_acts(engine, 0)] == [FIRST_ADDED, FIRST_ADDED + 1]
        assert load_players(engine).new_guest().id == before < FIRST_ADDED

    @pytest.mark.parametrize("wrong", ["ann4 b", "guest-7", "bert", "b3rt", "bird", ""])
    def test_one_wrong_name_adds_nobody(self, engine, wrong):
        add(engine, "bert")
        if wrong == "bird":  # it does not look like another
            assert set(add(engine, "dora", wrong)) == {"dora", "bird"}
            return
        with pytest.raises(NameRefusedError):
            add(engine, "anna", wrong)
        assert names(engine) == ["bert"]

    def test_refusal_names_the_other(self, engine):
        add(engine, "anna-1")
        with pytest.raises(NameRefusedError, match="anna_l looks like anna-1, which is taken; anna_l-2 is free"):
            add(engine, "anna_l")

    def test_reserved_names_are_the_operators_to_give(self, engine):
        assert set(add(engine, "moderator")) == {"moderator"}

    def test_added_names_do_not_lapse(self, engine):
        store_players(engine)
        claimed = lapsed_tokens(engine, NOW + 1)
        (added,) = add(engine, "anna").values()
        assert hash_token(added) not in lapsed_tokens(engine, NOW + 1) == claimed != []
        acts.replace_token(engine, load_player(engine, claimed[0]).name, token := new_token(), NOW)
        assert hash_token(token) not in lapsed_tokens(engine, NOW + 1) == claimed[1:]


class TestTokens:
    def test_old_token_proves_nothing_any_more(self, engine):
        (old,) = add(engine, "anna").values()
        acts.replace_token(engine, "anna", new := new_token(), NOW)
        assert load_player(engine, hash_token(old)) is None
        assert load_player(engine, hash_token(new)).name == "anna"

    def test_unknown_player_is_named_with_a_near_one(self, engine):
        add(engine, "anna")
        with pytest.raises(acts.UnknownPlayerError, match="no player 'ana'; did you mean anna"):
            acts.act_on_player(engine, "kick", "ana", NOW)
        with pytest.raises(acts.UnknownPlayerError, match="evilpegs players list"):
            acts.act_on_player(engine, "kick", "zoe", NOW)


class TestState:
    def test_last_ban_counts(self, engine):
        add(engine, "anna", "bert")
        for deed, name, reason in (
            ("ban", "anna", "first"),
            ("unban", "anna", None),
            ("ban", "bert", "once"),
            ("ban", "anna", "second"),
            ("ban", "anna", None),
        ):
            acts.act_on_player(engine, deed, name, NOW, reason)
        assert acts.load_bans(engine) == {FIRST_ADDED: None, FIRST_ADDED + 1: "once"}
        acts.act_on_player(engine, "unban", "bert", NOW)
        with pytest.raises(acts.NothingToUndoError):
            acts.act_on_player(engine, "unban", "bert", NOW)
        assert [each.name for each in acts.list_players(engine) if each.is_banned] == ["anna"]

    def test_registration_is_as_set_last(self, engine):
        assert acts.load_registration(engine) is None
        for is_open in (True, False, True):
            acts.set_registration(engine, NOW, is_open=is_open)
            assert acts.load_registration(engine) is is_open

    def test_acts_are_followed_from_any_on(self, engine):
        add(engine, "anna")
        acts.act_on_player(engine, "kick", "anna", NOW, "why")
        acts.set_registration(engine, NOW, is_open=False)
        assert [(act.deed, act.reason) for act in acts.load_acts(engine, 1)] == [("kick", "why"), ("close", None)]
        assert acts.load_last_act(engine) == 3

    def test_list_counts_matches_and_games(self, engine):
        store_players(engine)
        store(engine, *StoredPlay(1, TINY).play(("solved", [3]), ("solved", [2])))
        store(engine, StoredPlay(2, TINY).start())
        with engine.begin() as connection:
            connection.execute(text("INSERT INTO begun VALUES (1, 1, 0, NULL), (1, 2, 0, NULL), (2, 1, 0, NULL)"))
        listed = [(each.name, each.matches, each.games) for each in acts.list_players(engine) if each.matches]
        assert [(matches, games) for _, matches, games in listed] == [(2, 3)]


@pytest.fixture
def played(engine):
    """Players of whom ann has an open match and one that is over, bob the match between."""
    store_players(engine)
    store(engine, *StoredPlay(1, TINY).play(("solved", [3])))
    store(engine, *StoredPlay(2, TINY, "bob").play(("solved", [5])))
    store(engine, StoredPlay(3, TINY).start())
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO begun VALUES (1, 1, 0, 'nonce')"))
        connection.execute(text("INSERT INTO luck VALUES (1, 1, 5, 'curve')"))
    return engine


@pytest.fixture
def derived(played, database):
    """The results of the matches, brought up to date."""
    derived = DerivedFile(database)
    derived.follow(load_last_event_id(played))
    yield derived
    derived.close()


def shown(derived):
    """Return all names under which matches or players are shown, by the place."""
    last = load_last_event_id(derived.engine)
    return {
        "matches": {each.player for each in list_matches(derived.engine, MatchFilter(), 10)},
        "open": {each.player for each in list_open_matches(derived.engine, last)},
        "players": {each.name for each in list_shown_players(derived.engine)},
        "events": {each.match for each in load_events(derived.engine, 0, last)},
    }


class TestHiding:
    def test_hidden_player_is_nowhere_until_shown_again(self, played, derived):
        before = shown(derived)
        assert {"ann", "bob"} <= before["players"]
        assert before["open"] == {"ann"}
        acts.act_on_player(played, "hide", "ann", NOW)
        after = shown(derived)
        assert after == {"matches": {"bob"}, "open": set(), "players": {"bob", "eve"}, "events": {f"{2:016x}"}}
        assert find_player(played, "ann") is None
        assert not has_match(played, f"{1:016x}")
        assert load_match_events(played, f"{1:016x}", 99) == []
        assert [each.name for each in acts.list_players(played) if each.is_hidden] == ["ann"]
        assert load_match(played, f"{1:016x}").entries, "the record stays"
        acts.act_on_player(played, "show", "ann", NOW)
        assert shown(derived) == before
        with pytest.raises(acts.NothingToUndoError, match="ann is not hidden"):
            acts.act_on_player(played, "show", "ann", NOW)

    @pytest.mark.parametrize("deed", ["hide", "show"])
    def test_results_are_counted_again(self, played, derived, deed):
        if deed == "show":
            acts.act_on_player(played, "hide", "ann", NOW)
            derived.follow(99)
        assert not derived.follow(99)
        acts.act_on_player(played, deed, "ann", NOW)
        assert derived.follow(99)
        assert not derived.follow(99)
        acts.act_on_player(played, "kick", "ann", NOW)
        assert not derived.follow(99), "which changes nothing that is shown"


class TestRenaming:
    def test_everything_but_records_shows_the_new_name(self, played, derived):
        acts.rename_player(played, "ann", "Änne", NOW)
        after = shown(derived)
        assert (after["matches"], after["open"], after["players"]) == (
            {"Änne", "bob"},
            {"Änne"},
            {"Änne", "bob", "eve"},
        )
        assert '"player":"ann"' in load_entries(played, f"{1:016x}")[0].text
        assert load_player(played, f"{1:064x}").name == "Änne"
        assert derived.follow(99)

    @pytest.mark.parametrize("name", ["ann", "a_n_n", "Änne", "anne"])
    def test_old_and_new_name_stay_those_of_the_player(self, played, name):
        acts.rename_player(played, "ann", "Änne", NOW)
        with pytest.raises(NameRefusedError, match="is taken" if name in {"ann", "Änne"} else "looks like"):
            acts.rename_player(played, "bob", name, NOW)
        if name.islower() and name.isascii():
            with pytest.raises(NameRefusedError):
                load_players(played).new_player(name, "bot")
            with pytest.raises(NameRefusedError):
                add(played, name)

    def test_skeletons_of_an_earlier_version_change_nothing(self, played):
        with played.begin() as connection:
            connection.exec_driver_sql("UPDATE players SET skeleton = name || '0'")
        with pytest.raises(NameRefusedError, match="looks like ann"):
            add(played, "an-n")
        assert set(add(played, "ann0")) == {"ann0"}

    def test_name_with_accents_apart_is_that_player(self, played):
        acts.rename_player(played, "ann", "Änne", NOW)
        apart = unicodedata.normalize("NFD", "Änne")
        acts.act_on_player(played, "kick", apart, NOW)
        assert find_player(played, apart) == find_player(played, "Änne") is not None
        acts.rename_player(played, apart, "ann", NOW)
        assert acts.load_acts(played, 0)[-1].reason == "Änne"
        with pytest.raises(NameRefusedError, match="Änne-2 is free"):
            acts.rename_player(played, "bob", "Änne", NOW)

    def test_player_may_have_the_old_name_back(self, played):
        acts.rename_player(played, "ann", "Änne", NOW)
        acts.rename_player(played, "Änne", "ann", NOW)
        assert load_player(played, f"{1:064x}").name == "ann"


class TestForgetting:
    def test_open_matches_are_kept_from_a_running_server(self, played):
        with pytest.raises(acts.OpenMatchesError, match="ann has an open match"):
            acts.forget_player(played, "ann", NOW, with_open=False)
        assert load_match(played, f"{1:016x}") is not None

    def test_nothing_of_the_player_is_left_in_the_files(self, played, derived, database):
        """A name in the file is found before, so it would be found after."""
        acts.rename_player(played, "ann", "rosamunde", NOW)
        acts.act_on_player(played, "ban", "rosamunde", NOW, "bad words")

        def traces():
            files = [*database_file(database).parent.iterdir()]
            return {
                word for word in (b"rosamunde", b"bad words", b'"ann"') for file in files if word in file.read_bytes()
            }

        assert traces() == {b"rosamunde", b"bad words", b'"ann"'}
        assert acts.forget_player(played, "rosamunde", NOW, with_open=True) == 2
        assert derived.follow(99)
        assert played.overwrite_deleted()
        with played.connect() as connection:
            counts = "SELECT (SELECT count(*) FROM begun), (SELECT count(*) FROM luck), (SELECT count(*) FROM matches)"
            assert tuple(connection.execute(text(counts)).one()) == (0, 0, 1)
        assert traces() == set()
        assert shown(derived) == {"matches": {"bob"}, "open": set(), "players": {"bob", "eve"}, "events": {f"{2:016x}"}}
        with derived.engine.connect() as connection:
            assert connection.execute(text("SELECT match FROM games")).scalars().all() == [2]
        assert load_player(played, f"{1:064x}") is None
        assert names(played) == ["bob", "eve", "forgotten-1"]
        assert load_players(played).new_player("rosamunde", "bot").name == "rosamunde"

    def test_names_are_free_again(self, played):
        acts.rename_player(played, "ann", "rosa", NOW)
        acts.forget_player(played, "rosa", NOW, with_open=True)
        assert set(add(played, "ann", "rosa")) == {"ann", "rosa"}

    def test_ids_of_events_are_not_given_twice(self, played, derived):
        """A reader that has read the last event, which is deleted, gets the next one all the same."""
        last = load_last_event_id(played)
        acts.forget_player(played, "ann", NOW, with_open=True)
        assert load_last_event_id(played) == last
        store(played, *StoredPlay(4, TINY, "bob").play(("solved", [1])))
        following = load_events(played, last, 99)
        assert [each.id for each in following] == [last + 1, last + 2, last + 3, last + 4]
        assert load_last_event_id(played) == last + 4
        derived.follow(99)
        with derived.engine.connect() as connection:
            rows = connection.execute(text("SELECT m.id FROM games JOIN matches AS m ON m.number = match ORDER BY 1"))
            assert rows.scalars().all() == [f"{2:016x}", f"{4:016x}"]
