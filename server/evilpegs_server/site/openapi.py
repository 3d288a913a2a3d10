"""The OpenAPI 3.1 description of the HTTP API.

``python -m evilpegs_server.site.openapi`` writes the description to docs/openapi.json.
"""

import json
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.sse import EventSourceResponse

from evilpegs_server.site.responses import Problem
from evilpegs_server.site.routes import add_routes

OPENAPI_FILE: Final = Path(__file__).parents[3] / "docs/openapi.json"
DESCRIPTION: Final = (
    "Everything that an evilpegs server knows and may tell. Every path answers GET and HEAD. Answers have an entity"
    " tag; errors are problems as in RFC 9457."
)

_MEANINGS: Final = {
    "Allow": "The methods that the path has.",
    "Cache-Control": "How long the answer may be kept: no-cache means until the server is asked again.",
    "ETag": "The tag of the answer, for the header If-None-Match of the next request.",
    "Retry-After": "The seconds after which to try again.",
    "Vary": "The headers of the request that the form of the answer depends on.",
}


def openapi_text(base_path: str = "") -> str:
    """Return the description of the site at ``base_path``; that of ``""`` is in docs/openapi.json."""
    app = FastAPI(openapi_url=None)
    add_routes(app)
    document = get_openapi(
        title="evilpegs", version="1", description=DESCRIPTION, routes=app.routes, servers=[{"url": base_path or "/"}]
    )
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas[Problem.__name__] = Problem.model_json_schema()
    for methods in document["paths"].values():
        _describe_responses(methods["get"]["responses"])
        methods["head"] = _head_of(methods["get"])
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def _head_of(operation: dict[str, Any]) -> dict[str, Any]:
    responses = {
        status: {name: value for name, value in response.items() if name != "content"}
        for status, response in operation["responses"].items()
    }
    name = f"{operation['operationId']}_head"
    return operation | {"operationId": name, "description": "The headers of the answer to GET.", "responses": responses}


def _describe_responses(responses: dict[str, Any]) -> None:
    # the site answers invalid requests with other statuses
    responses.pop("422", None)
    if EventSourceResponse.media_type in responses["200"].get("content", {}):
        responses["200"]["headers"] = _headers("Cache-Control")
    else:
        responses["200"]["headers"] = _headers("ETag", "Cache-Control", "Vary")
        responses["304"] = {
            "description": "The client has this answer already: the header If-None-Match of the request names its tag.",
            "headers": _headers("ETag", "Cache-Control", "Vary"),
        }
    responses["405"]["headers"] = _headers("Allow")
    responses["503"]["headers"] = _headers("Retry-After")


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"description": _MEANINGS[name], "schema": {"type": "string"}} for name in names}


if __name__ == "__main__":
    OPENAPI_FILE.write_text(openapi_text())
