import fcntl
import json
import multiprocessing
import os
import re
import stat

import pytest

from evilpegs_clients.connection.tokens import MAX_TOKENS, TokenFile, default_token_file, sole_user
from evilpegs_clients.errors import DamagedTokenFileError, TokenFileError

HERE = "ws://127.0.0.1:8765/v1"
THERE = "ws://pegs.example/v1"


def refusal(call):
    with pytest.raises(TokenFileError) as caught:
        call()
    assert type(caught.value) is TokenFileError
    assert "\n" not in str(caught.value)
    return str(caught.value)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_tokens_are_kept_by_server_and_name(tokens):
    assert tokens.get(HERE, "ann") == ()
    tokens.add(HERE, "ann", "a")
    tokens.add(HERE, "bob", "b")
    tokens.add(THERE, "ann", "c")
    again = TokenFile(tokens.path)
    assert [again.get(HERE, "ann"), again.get(HERE, "bob"), again.get(THERE, "ann")] == [("a",), ("b",), ("c",)]
    assert again.get(THERE, "bob") == ()


def test_tokens_keep_newest_first(tokens):
    for token in "abcdef":
        tokens.add(HERE, "ann", token)
    tokens.add(HERE, "ann", "d")
    assert tokens.get(HERE, "ann") == ("d", "f", "e", "c")[:MAX_TOKENS]


def test_token_file_is_private(tmp_path):
    tokens = TokenFile(tmp_path / "new" / "dir" / "tokens.json")
    tokens.add(HERE, "ann", "a")
    assert [mode(each) for each in (tokens.path, tokens.path.parent, tmp_path / "new")] == [0o600, 0o700, 0o700]
    assert sorted(path.name for path in tokens.path.parent.iterdir()) == ["tokens.json", "tokens.json.lock"]


def test_token_file_mode_is_restored(tokens):
    tokens.add(HERE, "ann", "a")
    tokens.path.chmod(0o644)
    assert tokens.get(HERE, "ann") == ("a",)
    assert mode(tokens.path) == 0o600


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", '{"s": []}', '{"s": {"n": "t"}}', '{"s": {"n": [1]}}', "[" * 100_000]
)
def test_damaged_token_file_is_left_unchanged(tokens, text):
    tokens.path.write_text(text)
    for use in (lambda: tokens.get(HERE, "ann"), lambda: tokens.add(HERE, "ann", "a"), tokens.check_writable):
        with pytest.raises(DamagedTokenFileError, match=re.escape(str(tokens.path))) as caught:
            use()
        assert "\n" not in str(caught.value)
    assert tokens.path.read_text() == text


def test_binary_token_file_is_refused(tokens):
    tokens.path.write_bytes(b"\xff\xfe\x00")
    complaint = refusal(lambda: tokens.get(HERE, "ann"))
    assert str(tokens.path) in complaint
    assert "UTF-8" in complaint


def test_pipe_as_token_file_is_refused_at_once(tokens):
    tokens.path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(tokens.path)
    assert "it is a pipe" in refusal(lambda: tokens.get(HERE, "ann"))


def test_token_file_may_begin_with_byte_order_mark(tokens):
    tokens.path.write_text(f'\ufeff{{"{HERE}":\r\n{{"ann": ["a"]}}}}', encoding="utf-8")
    assert tokens.get(HERE, "ann") == ("a",)


def test_unwritable_token_folder_is_refused(tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("")
    tokens = TokenFile(blocked / "tokens.json")
    complaint = refusal(tokens.check_writable)
    assert str(tokens.path) in complaint
    assert "XDG_DATA_HOME" in complaint


def test_failed_write_keeps_old_tokens(tokens, monkeypatch):
    tokens.add(HERE, "ann", "a")

    def fail(file):
        raise OSError(28, "disk-full")

    monkeypatch.setattr("os.fsync", fail)
    assert "disk-full" in refusal(lambda: tokens.add(HERE, "ann", "b"))
    assert tokens.get(HERE, "ann") == ("a",)
    assert len(list(tokens.path.parent.iterdir())) == 2


def add_many(path, name):
    for number in range(20):
        TokenFile(path).add(HERE, f"{name}{number}", "t")


def test_concurrent_programs_keep_all_tokens(tokens):
    context = multiprocessing.get_context("fork")
    programs = [context.Process(target=add_many, args=(tokens.path, name)) for name in "abcd"]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    assert len(json.loads(tokens.path.read_text())[HERE]) == 80


def test_sole_user_is_one_program(tokens):
    with sole_user(tokens, HERE, "ann") as first, sole_user(tokens, HERE, "ann") as second:
        assert (first, second) == (True, False)
        with sole_user(tokens, HERE, "bob") as bob, sole_user(tokens, THERE, "ann") as there:
            assert bob
            assert there
    with sole_user(tokens, HERE, "ann") as again:
        assert again
    with sole_user(tokens, HERE, None) as guest:
        assert not guest


def test_names_share_one_lock_file(tokens):
    before = set(tokens.path.parent.iterdir())
    for name in ("ann", "bob", "cleo"):
        with sole_user(tokens, HERE, name):
            tokens.add(HERE, name, "token")
    added = {path.name for path in set(tokens.path.parent.iterdir()) - before}
    assert added == {"tokens.json", "tokens.json.lock", "tokens.json.players.lock"}


def test_lock_of_a_name_outlives_that_of_another(tokens):
    """Locks of the process would end when any descriptor of the file is closed."""
    with sole_user(tokens, HERE, "ann"):
        with sole_user(tokens, HERE, "bob"):
            pass
        with sole_user(tokens, HERE, "ann") as second:
            assert not second


def test_system_without_such_locks_knows_one_name_at_a_time(tokens, monkeypatch):
    monkeypatch.delattr(fcntl, "F_OFD_SETLK")
    with sole_user(tokens, HERE, "ann") as ann, sole_user(tokens, HERE, "bob") as bob:
        assert (ann, bob) == (True, False)


def test_default_token_file_follows_xdg(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_token_file() == tmp_path / "evilpegs" / "tokens.json"


def test_names_of_this_machine_share_tokens(tokens):
    tokens.add("ws://localhost:8765/v1", "ann", "one")
    tokens.add("ws://127.0.0.1:8765/v1", "ann", "two")
    tokens.add("ws://127.0.0.1:9000/v1", "ann", "other port")
    tokens.add("ws://192.0.2.1:8765/v1", "ann", "other machine")
    tokens.add("wss://localhost:8765/v1", "ann", "other scheme")
    assert set(tokens.get("ws://[::1]:8765/v1", "ann")) == {"one", "two"}
    assert tokens.get("ws://127.0.0.1:8765/v1", "ann") == ("two", "one")
    assert tokens.get("ws://192.0.2.1:8765/v1", "ann") == ("other machine",)
    assert len(tokens.servers_with("ann")) == 5
