import fcntl
import json
import multiprocessing
import stat

import pytest

from evilpegs_clients.errors import TokenFileError
from evilpegs_clients.tokens import MOST_KEPT, TokenFile, default_token_file, sole_user

HERE = "ws://127.0.0.1:8765/v1"
THERE = "ws://pegs.example/v1"


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_tokens_are_kept_by_server_and_name(tokens):
    assert tokens.kept(HERE, "ann") == ()
    tokens.keep(HERE, "ann", "a")
    tokens.keep(HERE, "bob", "b")
    tokens.keep(THERE, "ann", "c")
    again = TokenFile(tokens.path)
    assert [again.kept(HERE, "ann"), again.kept(HERE, "bob"), again.kept(THERE, "ann")] == [("a",), ("b",), ("c",)]
    assert again.kept(THERE, "bob") == ()


def test_the_newest_comes_first_and_few_are_kept(tokens):
    for token in "abcdef":
        tokens.keep(HERE, "ann", token)
    tokens.keep(HERE, "ann", "d")
    assert tokens.kept(HERE, "ann") == ("d", "f", "e", "c")[:MOST_KEPT]


def test_only_the_owner_can_read_the_file(tmp_path):
    tokens = TokenFile(tmp_path / "new" / "dir" / "tokens.json")
    tokens.keep(HERE, "ann", "a")
    assert mode(tokens.path) == 0o600
    assert sorted(path.name for path in tokens.path.parent.iterdir()) == ["tokens.json", "tokens.json.lock"]


def test_a_mode_that_is_too_open_is_mended(tokens):
    tokens.keep(HERE, "ann", "a")
    tokens.path.chmod(0o644)
    assert tokens.kept(HERE, "ann") == ("a",)
    assert mode(tokens.path) == 0o600


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", '{"s": []}', '{"s": {"n": "t"}}', '{"s": {"n": [1]}}', "[" * 100_000]
)
def test_a_damaged_file_is_said_in_one_line_and_left_as_it_is(tokens, text):
    tokens.path.write_text(text)
    for use in (lambda: tokens.kept(HERE, "ann"), lambda: tokens.keep(HERE, "ann", "a"), tokens.check_writable):
        with pytest.raises(TokenFileError, match="damaged") as caught:
            use()
        assert "\n" not in str(caught.value)
    assert tokens.path.read_text() == text


def test_a_file_that_is_not_text_is_said(tokens):
    tokens.path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TokenFileError, match="it is not text"):
        tokens.kept(HERE, "ann")


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("")
    tokens = TokenFile(blocked / "tokens.json")
    with pytest.raises(TokenFileError, match=r"cannot write the file of tokens .*; set XDG_DATA_HOME to move it"):
        tokens.check_writable()


def test_a_failed_write_leaves_the_old_file_and_no_other(tokens, monkeypatch):
    tokens.keep(HERE, "ann", "a")

    def fail(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(TokenFileError, match="No space left"):
        tokens.keep(HERE, "ann", "b")
    assert tokens.kept(HERE, "ann") == ("a",)
    assert len(list(tokens.path.parent.iterdir())) == 2


def keep_many(path, name):
    for number in range(20):
        TokenFile(path).keep(HERE, f"{name}{number}", "t")


def test_programs_at_the_same_time_lose_nothing(tokens):
    context = multiprocessing.get_context("fork")
    programs = [context.Process(target=keep_many, args=(tokens.path, name)) for name in "abcd"]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    assert len(json.loads(tokens.path.read_text())[HERE]) == 80


def test_one_program_at_a_time_is_the_sole_user(tokens):
    with sole_user(tokens, HERE, "ann") as first, sole_user(tokens, HERE, "ann") as second:
        assert (first, second) == (True, False)
        with sole_user(tokens, HERE, "bob") as bob, sole_user(tokens, THERE, "ann") as there:
            assert bob
            assert there
    with sole_user(tokens, HERE, "ann") as again:
        assert again
    with sole_user(tokens, HERE, None) as guest:
        assert not guest


def test_who_opened_the_lock_while_another_held_it_is_still_seen(tokens):
    with sole_user(tokens, HERE, "ann"):
        (path,) = tokens.path.parent.glob("tokens.json.*.lock")
        late = path.open("w")
    with late:
        fcntl.flock(late, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with sole_user(tokens, HERE, "ann") as third:
            assert not third


def test_the_default_file_is_in_the_user_data_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_token_file() == tmp_path / "evilpegs" / "tokens.json"
