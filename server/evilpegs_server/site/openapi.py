"""The description of the HTTP API in the terms of OpenAPI 3.1, which is committed as docs/openapi.json.

``python -m evilpegs_server.site.openapi`` writes that file again.
"""

import json
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from evilpegs_server.site.problems import Problem
from evilpegs_server.site.routes import add_routes

OPENAPI_FILE: Final = Path(__file__).parents[3] / "docs/openapi.json"
DESCRIPTION: Final = (
    "Everything that an evilpegs server knows and may tell. Every path answers GET and HEAD. Answers have an entity"
    " tag; errors are problems as in RFC 9457."
)


def openapi_text() -> str:
    """Return the description as the text of docs/openapi.json."""
    app = FastAPI(openapi_url=None)
    add_routes(app)
    document = get_openapi(title="evilpegs", version="1", description=DESCRIPTION, routes=app.routes)
    return json.dumps(_with_problems(document), indent=1, sort_keys=True) + "\n"


def _with_problems(document: dict[str, Any]) -> dict[str, Any]:
    """Describe invalid parameters as the site answers them: with a problem, not with FastAPI's own document."""
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas[Problem.__name__] = Problem.model_json_schema()
    for methods in document["paths"].values():
        for operation in methods.values():
            operation["responses"].pop("422", None)
    return document


if __name__ == "__main__":
    OPENAPI_FILE.write_text(openapi_text())
