"""Responses of the routes: JSON and problems, and their descriptions in the OpenAPI document."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from evilpegs_server.leaderboard.live_leaderboards import CountingError
from evilpegs_server.representation import Representation
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.reads import BusyError
from evilpegs_server.work.pool import UnwantedError

PageSize = Annotated[int, Field(ge=1, le=100)]
MEDIA_TYPE: Final = "application/problem+json"
RETRY_SECONDS: Final = 2
RETRY: Final[Mapping[str, str]] = {"Retry-After": str(RETRY_SECONDS)}
ALLOWED_METHODS: Final = "GET, HEAD"
_HEADERS: Final[Mapping[str, str]] = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_NO_HEADERS: Final[Mapping[str, str]] = {}
_QUOTED: Final = 40
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
    409: "The match is not over yet.",
    421: "The request names a host that is not allowed here.",
    429: "The address has too many requests in progress; the header Retry-After says when to try again.",
    500: "The server failed.",
    503: "The server is too busy; the header Retry-After says when to try again.",
}
_ALWAYS: Final = (405, 421, 429, 500, 503)


class Problem(BaseModel):
    """A problem document: the HTTP status of an error response, the name of the status, and a line about the error."""

    model_config = ConfigDict(frozen=True)

    type: str = "about:blank"
    title: str
    status: int
    detail: str


def is_stream(scope: Scope) -> bool:
    """Return True for a request for server-sent events, whose response has no end that middleware could wait for."""
    path: str = scope["path"]
    return path.startswith("/api/v1/") and path.endswith("/events")


def problem_response(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    problem = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail)
    return Response(problem.model_dump_json(), status, {**_HEADERS, **(headers or {})}, MEDIA_TYPE)


def busy_response(detail: str) -> Response:
    """Return a response with status 503 that asks the client to try again in `RETRY_SECONDS`."""
    return problem_response(503, detail, RETRY)


def quote(value: object) -> str:
    """Return the start of a value from a client, quoted and escaped as printable ASCII."""
    return ascii(str(value)[:_QUOTED])


def unknown_match(match: str) -> HTTPException:
    return HTTPException(404, f"there is no match {quote(match)}; see /api/v1/matches")


def problem_statuses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI descriptions of a route's errors: ``statuses`` and those of every route."""
    schema = {"$ref": f"#/components/schemas/{Problem.__name__}"}
    return {
        status: {"description": _MEANINGS[status], "content": {MEDIA_TYPE: {"schema": schema}}}
        for status in sorted({*statuses, *_ALWAYS})
    }


def text_description(description: str, media_type: str) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI description of an answer that is no JSON."""
    return {200: {"description": description, "content": {media_type: {"schema": {"type": "string"}}}}}


class _Represented(Response):
    def __init__(self, content: Representation, headers: Mapping[str, str], media_type: str) -> None:
        super().__init__(content.body, 200, headers, media_type)
        self._content = content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("state", {})[REPRESENTATION] = self._content
        await super().__call__(scope, receive, send)


REPRESENTATION: Final = "representation"
"""The name, in the state of a request, of the representation of its answer, if there is one already."""


def answer(
    content: Representation | bytes | str,
    cache: str | None = None,
    media_type: str = JSON,
    headers: Mapping[str, str] = _NO_HEADERS,
) -> Response:
    """Return a response; without ``cache``, its Cache-Control, clients must validate it before each use."""
    headers = headers if cache is None else {"Cache-Control": cache, **headers}
    if isinstance(content, Representation):
        return _Represented(content, headers, media_type)
    return Response(content, 200, headers, media_type)


def document(model: BaseModel, cache: str | None = None) -> Response:
    return answer(model.model_dump_json(), cache)


def next_page(base_path: str, path: str, query: Mapping[str, Any], cursor: str | None) -> str | None:
    """Return the URL path of the next page of a list, with the parameters of this page; None without ``cursor``."""
    if cursor is None:
        return None
    wanted = {name: value for name, value in query.items() if value is not None} | {"cursor": cursor}
    return f"{base_path}{path}?{urlencode(wanted)}"


def handle_problems(app: FastAPI) -> None:
    """Turn HTTP errors, invalid requests and database errors into error responses."""
    app.add_exception_handler(HTTPException, _refusal)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    for busy in (BusyError, CountingError, DatabaseUnusableError, UnwantedError):
        app.add_exception_handler(busy, _busy)


async def _refusal(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class
    match error.status_code:
        case 404 if error.detail == HTTPStatus.NOT_FOUND.phrase:
            return problem_response(404, "no such path; see / for the list")
        case 405:
            detail = f"this method is not allowed; use {ALLOWED_METHODS.replace(',', ' or')}"
            return problem_response(405, detail, {"Allow": ALLOWED_METHODS})
    return problem_response(error.status_code, error.detail, error.headers)


async def _busy(_request: Request, error: Exception) -> Response:
    if isinstance(error, DatabaseUnusableError):  # whose text names files
        return busy_response("the database cannot be read now; try again soon")
    return busy_response(str(error))


async def _invalid_request(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class
    first = error.errors()[0]
    where, *path = first["loc"]
    name = str(path[-1]) if path else str(where)
    if where == "path":
        return problem_response(404, f"there is no {name} {quote(first['input'])}")
    return problem_response(400, _describe(name, first))


def _describe(name: str, error: Mapping[str, Any]) -> str:
    context = error.get("ctx", {})
    match error["type"]:
        case "extra_forbidden":
            return f"unknown parameter {quote(name)}; see /api/v1/openapi.json"
        case "int_parsing" | "int_parsing_size" | "int_from_float":
            wanted = "a whole number"
        case "greater_than_equal":
            wanted = f"{context['ge']} or more"
        case "less_than_equal":
            wanted = f"{context['le']} or less"
        case "bool_parsing":
            wanted = "true or false"
        case "string_pattern_mismatch":
            wanted = f"text like {context['pattern']}"
        case "literal_error":
            wanted = str(context["expected"])
        case _:
            wanted = "as described in /api/v1/openapi.json"
    return f"{name} is {quote(error['input'])}; it must be {wanted}"
