"""The operator's acts are stored together with what they change, all or nothing."""

import pytest
from sqlalchemy import text

from evilpegs_server.storage import acts
from evilpegs_server.storage.archive import lapsed_tokens, load_player, load_players
from evilpegs_server.storage.players import FIRST_ADDED, NameRefusedError, hash_token, new_token
from support.matches import TINY
from support.stored_matches import StoredPlay, store, store_players

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

    @pytest.mark.parametrize("wrong", ["ann4 b", "guest-7", "bert", "8ert", "b3rt", ""])
    def test_one_wrong_name_adds_nobody(self, engine, wrong):
        add(engine, "bert")
        if wrong == "b3rt":  # it does not look like another
            assert set(add(engine, "dora", wrong)) == {"dora", "b3rt"}
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
        with pytest.raises(acts.NotBannedError):
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
