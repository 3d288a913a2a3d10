"""Whose doing an error is."""

from importlib import import_module

import pytest

from evilpegs.errors import USERS_DOING, CommandError, explained
from evilpegs_clients.errors import ServerUnreachableError
from evilpegs_game.errors import MalformedError


@pytest.mark.parametrize("name", sorted(USERS_DOING))
def test_every_error_of_the_list_exists(name):
    module, _, kind = name.rpartition(".")
    assert issubclass(getattr(import_module(module), kind), Exception)


@pytest.mark.parametrize("kind", [CommandError, MalformedError, ServerUnreachableError])
def test_the_errors_of_users_are_told_in_one_line(kind):
    assert explained(kind("what is\n  wrong")) == "what is wrong"


@pytest.mark.parametrize("error", [ValueError("x"), OSError("x"), ModuleNotFoundError("x", name="json")])
def test_other_errors_are_not_explained(error):
    assert explained(error) is None
