"""The distinction between errors of the user and faults of the program."""

from importlib import import_module

import pytest

from evilpegs.errors import USERS_DOING, CommandError, explained
from evilpegs_clients.errors import ClientError
from evilpegs_game.errors import MalformedError


@pytest.mark.parametrize("name", sorted(USERS_DOING))
def test_users_doing_names_exceptions(name):
    module, _, kind = name.rpartition(".")
    assert issubclass(getattr(import_module(module), kind), Exception)


@pytest.mark.parametrize("kind", [CommandError, MalformedError, ClientError])
def test_explained_joins_lines_of_user_errors(kind):
    assert explained(kind("4x99\n  5x99")) == "4x99 5x99"


@pytest.mark.parametrize("error", [ValueError("x"), OSError("x"), ModuleNotFoundError("x", name="json")])
def test_explained_leaves_other_errors(error):
    assert explained(error) is None
