import pytest

from evilpegs_clients.connection.identity import Identity, Introduction
from evilpegs_clients.errors import ServerRefusedError
from evilpegs_protocol.client_messages import ClientInfo, Hello
from evilpegs_protocol.server_messages import ErrorCode, Welcome

CLIENT = ClientInfo(name="test", version="1")
SERVER = "ws://127.0.0.1:8765/v1"
OLD, NEW = "0" * 64, "1" * 64


def welcome(token=None):
    limits = {"frame_bytes": 1, "nesting": 1, "open_matches": 1, "requests_per_second": 1}
    server = {"name": "s", "version": "1"}
    fields = {"open": (), "ladders": (), "limits": limits, "server": server}
    return Welcome(player="ann", kind="bot", token=token, **fields)


def test_guest_hello_uses_issued_token(tokens):
    guest = Introduction(SERVER, Identity(CLIENT), tokens)
    [hello] = guest.hellos()
    assert hello == Hello(client=CLIENT)
    guest.accepted(hello, welcome(NEW))
    assert guest.hellos() == [Hello(client=CLIENT, token=NEW)]
    assert not tokens.path.exists()
    guest.keep_guest("guest-1")
    assert tokens.kept(SERVER, "guest-1") == (NEW,)


def test_new_name_is_claimed_and_kept(tokens):
    ann = Introduction(SERVER, Identity(CLIENT, "ann", "human"), tokens)
    [hello] = ann.hellos()
    assert hello == Hello(client=CLIENT, name="ann", kind="human")
    ann.accepted(hello, welcome(NEW))
    assert ann.hellos() == [Hello(client=CLIENT, token=NEW)]
    assert Introduction(SERVER, Identity(CLIENT, "ann"), tokens).hellos()[0].token == NEW


def test_kept_tokens_precede_new_claim(tokens):
    tokens.keep(SERVER, "ann", OLD)
    tokens.keep(SERVER, "ann", NEW)
    ann = Introduction(SERVER, Identity(CLIENT, "ann"), tokens)
    hellos = ann.hellos()
    assert [(hello.token, hello.name) for hello in hellos] == [(NEW, None), (OLD, None), (None, "ann")]
    ann.accepted(hellos[1], welcome())
    assert tokens.kept(SERVER, "ann") == (OLD, NEW)
    assert ann.hellos() == [hellos[1]]


@pytest.mark.parametrize(
    ("code", "kept", "is_explained"),
    [
        (ErrorCode.NAME_TAKEN, True, True),
        (ErrorCode.NAME_TAKEN, False, False),
        (ErrorCode.BAD_NAME, True, False),
    ],
)
def test_taken_name_refusal_names_token_file(tokens, code, kept, is_explained):
    if kept:
        tokens.keep(SERVER, "ann", OLD)
    refused = ServerRefusedError(code, "bad")
    explained = Introduction(SERVER, Identity(CLIENT, "ann"), tokens).explained(refused)
    assert explained.code is code
    assert ("ann" in explained.message and str(tokens.path) in explained.message) == is_explained
    assert (explained is refused) != is_explained
