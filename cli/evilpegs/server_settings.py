"""The settings of a server as the command line gives them, and what to say when they will not do."""

import os
import tomllib
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from evilpegs.errors import CommandError
from evilpegs_server.settings import Settings


def server_settings(**options: Any) -> Settings:
    """The settings; options that are None are taken from the environment, `evilpegs.toml` or the defaults.

    Raises:
        CommandError: a value that will not do, with where it comes from, or a file that cannot be read.
    """
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        message = f"{_source(first, given)}: {_what(first)}"
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        message = f"evilpegs.toml is not TOML: {error}; mend it or move it away"
    except OSError as error:
        message = f"evilpegs.toml cannot be read: {error.strerror}; mend it or move it away"
    raise CommandError(message)


def _what(error: ErrorDetails) -> str:
    if error["type"] == "extra_forbidden":
        return f"there is no such setting; there are {', '.join(Settings.model_fields)}"
    if error["type"] == "string_too_short":
        return "must not be empty; leave it out for the default"
    return error["msg"]


def _source(error: ErrorDetails, options: dict[str, Any]) -> str:
    name = str(error["loc"][0]) if error["loc"] else "settings"
    if name in options:
        return f"--{name.replace('_', '-')}"
    variable = f"EVILPEGS_{name.upper()}"
    if variable in {known.upper() for known in os.environ}:
        return f"environment variable {variable}"
    return f"{name} in evilpegs.toml"
