"""The distinction between errors of the user and faults of the program."""

import pytest

from evilpegs.errors import CommandError, user_message
from evilpegs_clients.errors import ClientError
from evilpegs_game.errors import EvilpegsError, GameError, MalformedError
from evilpegs_server.listening import AddressUnusableError
from evilpegs_server.storage.errors import DatabaseUnusableError


@pytest.mark.parametrize("kind", [CommandError, ClientError, GameError, AddressUnusableError, DatabaseUnusableError])
def test_user_errors_share_one_base(kind):
    assert issubclass(kind, EvilpegsError)


@pytest.mark.parametrize("kind", [CommandError, MalformedError, ClientError])
def test_explained_joins_lines_of_user_errors(kind):
    assert user_message(kind("4x99\n  5x99")) == "4x99 5x99"


def test_arguments_become_options_only_where_an_error_carries_their_names():
    error = MalformedError("exact_up_to must be over the exact_up_to of evil", arguments=("exact_up_to",))
    assert user_message(error) == "--exact-up-to must be over the --exact-up-to of evil"
    assert user_message(MalformedError("not a code: 'secret'")) == "not a code: 'secret'"


@pytest.mark.parametrize("error", [ValueError("x"), OSError("x"), ModuleNotFoundError("x", name="json")])
def test_explained_leaves_other_errors(error):
    assert user_message(error) is None
