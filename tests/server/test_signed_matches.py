"""A running server signs the end of each match with the key that it names in welcome."""

import contextlib
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from evilpegs_protocol.record import parse_bytes, signed_statement
from evilpegs_server.storage.server_key import KeyUnusableError
from support.in_process import serving
from support.servers import dial


@contextlib.asynccontextmanager
async def dialled(database, **settings):
    async with serving(database, **settings) as server, dial(server.url) as player:
        yield player


def remove_key(database):
    Path(database.removeprefix("sqlite:///") + ".key").unlink()


def check(key, over):
    """Raise InvalidSignature unless the last event of a record is signed with the key."""
    public_key = Ed25519PublicKey.from_public_bytes(parse_bytes(key, 32))
    public_key.verify(parse_bytes(over["signature"], 64), signed_statement(over))


async def resigned(player):
    """Play and resign a match; return its `match_over`."""
    match = await player.play("classic-practice")
    return await player.ask("match_over", type="resign", match=match, id="7")


async def test_match_over_is_signed_with_key_of_welcome(database):
    async with dialled(database) as player:
        key = (await player.hello("ann"))["server"]["key"]
        over = await resigned(player)
    check(key, over)
    with pytest.raises(InvalidSignature):
        check(key, over | {"at": over["at"] + 1})


async def test_signature_is_same_after_restart_with_other_key(database):
    async with dialled(database) as player:
        first = (await player.hello("ann"))["server"]["key"]
        token, over = player.token, await resigned(player)
    remove_key(database)
    async with dialled(database) as player:
        second = (await player.hello(token=token))["server"]["key"]
        again = await player.ask("match_over", type="resume", match=over["match"], seq=0)
        check(second, await resigned(player))
    assert first != second
    assert again == {name: value for name, value in over.items() if name != "re"}
    check(first, again)


async def test_setting_names_file_of_key(database, tmp_path):
    async with dialled(database, server_key=tmp_path / "mine") as player:
        key = (await player.hello("ann"))["server"]["key"]
    assert (tmp_path / "mine.pub").read_text().split()[-1] == key


async def test_server_with_unusable_key_does_not_start(database, tmp_path):
    (tmp_path / "mine").touch()
    with pytest.raises(KeyUnusableError, match="mine"):
        async with dialled(database, server_key=tmp_path / "mine"):
            pass
