"""The names that bots get by default."""

import getpass
import re

import pytest

from evilpegs.kit.bots import default_names
from evilpegs_clients.connection.tokens import TokenFile

SERVER = "ws://127.0.0.1:8765/v1"


@pytest.fixture
def tokens(tmp_path):
    return TokenFile(tmp_path / "tokens.json")


def test_default_names_join_strategy_and_user(tokens):
    assert default_names("minimax", False, SERVER, tokens)[:2] == ["minimax-ann", "minimax-ann-2"]


@pytest.mark.parametrize("file", ["best.py", "best.tree", "best.tree.gz"])
def test_default_names_leave_out_ending_of_file(tokens, file):
    assert default_names(file, False, SERVER, tokens)[0] == "best-ann"


def test_default_names_mark_candidates_only(tokens):
    assert default_names("minimax", True, SERVER, tokens)[0] == "minimax-c-ann"


def test_default_names_put_kept_token_first(tokens):
    tokens.add(SERVER, "minimax-ann-3", "ab" * 32)
    assert default_names("minimax", False, SERVER, tokens)[:2] == ["minimax-ann-3", "minimax-ann"]


@pytest.mark.parametrize(
    "strategy", ["minimax", "random-consistent", "a.py", "My Bot.py", "7.py", "_.py", "é" * 40, "x" * 40]
)
@pytest.mark.parametrize("user", ["ann", "Ann O'Nym", "0", "a-very-long-user-name", "", "ä"])
def test_default_names_are_valid(tokens, monkeypatch, strategy, user):
    monkeypatch.setattr(getpass, "getuser", lambda: user)
    names = default_names(strategy, True, SERVER, tokens)
    assert all(re.fullmatch("[a-z][a-z0-9_-]{1,19}", name) for name in names)
    assert len(set(names)) == len(names)


def test_default_names_without_user_name(tokens, monkeypatch):
    def nobody():
        raise KeyError

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert default_names("minimax", False, SERVER, tokens)[0] == "minimax"
