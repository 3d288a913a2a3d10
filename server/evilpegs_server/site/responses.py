"""Responses of the routes, and their descriptions in the OpenAPI document."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from fastapi import Response
from pydantic import BaseModel

from evilpegs_server.site import problems

JSON: Final = "application/json"
MINUTE: Final = "max-age=60"
"""The Cache-Control of responses that seldom change."""
HOUR: Final = "max-age=3600"
"""The Cache-Control of responses about finished matches, which do not change."""

_MEANINGS: Final[Mapping[int, str]] = {
    400: "A parameter is wrong.",
    403: "Metrics are for the machine of the server only.",
    404: "There is no such thing.",
    405: "The method is not GET or HEAD.",
    406: "The header Accept excludes the form of the answer.",
    409: "The match is not over yet.",
    421: "The request names a host that is not allowed here.",
    500: "The server failed.",
    503: "The server is too busy; the header Retry-After says when to try again.",
}
_ALWAYS: Final = (405, 406, 421, 500, 503)


def problem_statuses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI descriptions of a route's errors: ``statuses`` and those of every route."""
    schema = {"$ref": f"#/components/schemas/{problems.Problem.__name__}"}
    return {
        status: {"description": _MEANINGS[status], "content": {problems.MEDIA_TYPE: {"schema": schema}}}
        for status in sorted({*statuses, *_ALWAYS})
    }


def json_body(body: bytes | str, cache: str | None = None) -> Response:
    """Return a JSON response; without ``cache``, its Cache-Control, clients must validate it before each use."""
    return Response(body, 200, None if cache is None else {"Cache-Control": cache}, JSON)


def document(model: BaseModel, cache: str | None = None) -> Response:
    """Return ``model`` as `json_body` does."""
    return json_body(model.model_dump_json(), cache)


def next_page(base_path: str, path: str, query: Mapping[str, Any], cursor: str | None) -> str | None:
    """Return the URL path of the next page of a list, with the parameters of this page; None without ``cursor``."""
    if cursor is None:
        return None
    wanted = {name: value for name, value in query.items() if value is not None} | {"cursor": cursor}
    return f"{base_path}{path}?{urlencode(wanted)}"
