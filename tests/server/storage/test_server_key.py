"""The key of a server is created once, private, and leaves its public half behind when it is replaced."""

import os
import shutil
import stat
import subprocess
from codecs import BOM_UTF8

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from evilpegs_server.storage import server_key
from evilpegs_server.storage.server_key import (
    KeyUnusableError,
    key_copies,
    key_path,
    load_public_keys,
    load_server_key,
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "keys" / "server.key"


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def listed(path):
    lines = path.with_name(path.name + ".pub").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]


def test_key_path_defaults_beside_database(tmp_path):
    database = f"sqlite:///{tmp_path / 'a.sqlite3'}"
    assert key_path(database, None) == tmp_path / "a.sqlite3.key"
    assert key_path(database, tmp_path / "b") == tmp_path / "b"


def test_new_key_is_private_and_stays(path):
    first = load_server_key(path)
    assert [mode(path), mode(path.parent)] == [0o600, 0o700]
    assert sorted(file.name for file in path.parent.iterdir()) == ["server.key", "server.key.pub"]
    again = load_server_key(path)
    assert again.public_key == first.public_key
    assert listed(path) == [first.public_key]


def test_replaced_key_is_still_listed(path):
    keys = []
    for _ in range(3):
        keys.append(load_server_key(path).public_key)
        path.unlink()
    last = load_server_key(path)
    assert listed(path) == [*keys, last.public_key]


def test_key_that_returns_is_listed_last(path):
    first = load_server_key(path)
    kept = path.rename(path.with_name("kept"))
    second = load_server_key(path)
    kept.replace(path)
    load_server_key(path)
    assert listed(path) == [second.public_key, first.public_key]


def test_key_with_lax_mode_is_tightened(path):
    load_server_key(path)
    path.chmod(0o644)
    load_server_key(path)
    assert mode(path) == 0o600


def test_copies_are_those_of_files_that_exist(tmp_path):
    database, target = f"sqlite:///{tmp_path / 'a.sqlite3'}", tmp_path / "b"
    assert key_copies(database, None, target) == {}
    load_server_key(key_path(database, None))
    copies = {file.name: copy.name for file, copy in key_copies(database, None, target).items()}
    assert copies == {"a.sqlite3.key": "b.key", "a.sqlite3.key.pub": "b.key.pub"}


def test_openssl_reads_key(path):
    load_server_key(path)
    shown = subprocess.run(["openssl", "pkey", "-in", path, "-noout", "-text"], capture_output=True, check=True)
    assert b"ED25519" in shown.stdout.upper()


def test_key_of_other_server_that_was_faster_wins(path, tmp_path, monkeypatch):
    """Two servers with one key file start at the same time, and the other one creates the file first."""
    faster = load_server_key(tmp_path / "faster.key")

    class Randomness:
        def token_bytes(self, size):
            shutil.copy(tmp_path / "faster.key", path)
            return bytes(size)

    path.parent.mkdir()
    monkeypatch.setattr(server_key, "secrets", Randomness())
    assert load_server_key(path).public_key == faster.public_key
    assert sorted(file.name for file in path.parent.iterdir()) == ["server.key", "server.key.pub"]


OTHER_KEY = X25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def test_pipe_as_key_is_refused_at_once(path):
    path.parent.mkdir()
    os.mkfifo(path)
    with pytest.raises(KeyUnusableError, match=r"server\.key.*server_key"):
        load_server_key(path)


def test_pipe_as_list_of_keys_is_refused_at_once(path):
    load_server_key(path)
    list_of_keys = path.with_name(path.name + ".pub")
    list_of_keys.unlink()
    os.mkfifo(list_of_keys)
    with pytest.raises(KeyUnusableError, match=r"server\.key\.pub is not a list"):
        load_server_key(path)


@pytest.mark.parametrize("contents", [b"", b"not a key", b"\xff\xfe", OTHER_KEY])
def test_other_contents_are_refused_and_kept(path, contents):
    path.parent.mkdir()
    path.write_bytes(contents)
    path.chmod(0o640)
    with pytest.raises(KeyUnusableError, match=r"server\.key.*server_key") as refused:
        load_server_key(path)
    assert "\n" not in str(refused.value)
    assert path.read_bytes() == contents
    assert mode(path) == 0o640


@pytest.mark.parametrize("contents", [b"# a comment\nAAAA\n", b"\xff\n"])
def test_damaged_list_is_refused(path, contents):
    path.parent.mkdir()
    path.with_name("server.key.pub").write_bytes(contents)
    with pytest.raises(KeyUnusableError, match=r"server\.key\.pub"):
        load_server_key(path)


def test_list_may_begin_with_byte_order_mark(path):
    key = load_server_key(path).public_key
    listed = path.with_name("server.key.pub")
    listed.write_bytes(BOM_UTF8 + listed.read_bytes().replace(b"\n", b"\r\n"))
    assert load_public_keys(path) == [key]


def test_directory_in_place_of_key_is_one_line(path):
    path.mkdir(parents=True)
    with pytest.raises(KeyUnusableError, match=r"server\.key") as refused:
        load_server_key(path)
    assert "\n" not in str(refused.value)
