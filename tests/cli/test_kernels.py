"""Commands say what happens to compiled kernels, and offer a directory beside the database."""

import logging
import os
import sys
import tempfile

import pytest

from evilpegs.kernels import keep_kernels_beside, report_kernels
from evilpegs_game.kernel_folder import FOLDER_VARIABLE

LOGGER = logging.getLogger("evilpegs_game")


@pytest.fixture
def environment(monkeypatch, tmp_path):
    """An environment without variables of evilpegs, with its own directory for temporary files; restored at the end."""
    for name in (FOLDER_VARIABLE, "EVILPEGS_DATABASE"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return os.environ


@pytest.fixture
def logger(environment):
    """The logger of the game, without the handler that a server in this process may have left; restored at the end."""
    for handler in [each for each in logging.getLogger().handlers if type(each) is logging.StreamHandler]:
        logging.getLogger().removeHandler(handler)
    level, handlers = LOGGER.level, list(LOGGER.handlers)
    LOGGER.handlers.clear()
    yield LOGGER
    LOGGER.setLevel(level)
    LOGGER.handlers[:] = handlers


def test_kernels_are_kept_beside_database(environment, tmp_path):
    keep_kernels_beside(tmp_path / "games.sqlite3")
    assert environment[FOLDER_VARIABLE] == str(tmp_path / "games.sqlite3.kernels")


def test_named_folder_wins(environment, tmp_path):
    environment[FOLDER_VARIABLE] = "/named"
    keep_kernels_beside(tmp_path / "games.sqlite3")
    assert environment[FOLDER_VARIABLE] == "/named"


def test_nothing_is_kept_beside_temporary_database(environment, tmp_path):
    keep_kernels_beside(tmp_path / "temporary" / "demo" / "games.sqlite3")
    assert FOLDER_VARIABLE not in environment


@pytest.mark.parametrize(("url", "folder"), [("sqlite:////a/games", "/a/games.kernels"), ("postgresql://x", None)])
def test_database_of_environment_is_used(logger, environment, url, folder):
    environment["EVILPEGS_DATABASE"] = url
    report_kernels()
    assert environment.get(FOLDER_VARIABLE) == folder


@pytest.mark.parametrize("is_terminal", [True, False])
def test_compilation_is_reported_on_terminal(logger, capsys, monkeypatch, is_terminal):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    report_kernels()
    report_kernels()
    LOGGER.info("compiling")
    assert capsys.readouterr().err == "evilpegs: compiling\n" * is_terminal


def test_warning_is_always_reported(logger, capsys):
    report_kernels()
    LOGGER.warning("cannot be stored")
    assert capsys.readouterr().err == "evilpegs: cannot be stored\n"
