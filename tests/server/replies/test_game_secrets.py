"""The secret of a game follows from both nonces."""

from dataclasses import replace

import pytest

from evilpegs_game.codes import code_at
from evilpegs_game.rules import Rules
from evilpegs_protocol.commitment import secret_index
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.replies.game_secrets import MatchKey

LADDER = replace(load_ladders()["classic"], rules=Rules(2, 3))
MATCH = "00112233445566aa"
KEY = MatchKey(MATCH, LADDER, bytes(range(32)), 2)


@pytest.mark.parametrize("client_nonce", [None, "mine"])
def test_fixed_secret_follows_from_both_nonces(client_nonce):
    secrets = KEY.game_secrets(3, client_nonce)
    index = secret_index(KEY.nonce(3), client_nonce, MATCH, 3, 9)
    assert secrets.secret(LADDER) == code_at(index, Rules(2, 3))


def test_secrets_belong_to_game_and_client_nonce():
    each = [KEY.game_secrets(1, "a"), KEY.game_secrets(1, "b"), KEY.game_secrets(2, "b")]
    assert [(secrets.game, secrets.client_nonce) for secrets in each] == [(1, "a"), (1, "b"), (2, "b")]
    assert KEY.game_secrets(2, "b") == each[-1]


def test_representation_discloses_no_nonce():
    assert KEY.nonce(1) not in repr(KEY.game_secrets(1, "mine"))
