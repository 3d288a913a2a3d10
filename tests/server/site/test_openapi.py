"""The description of the API: committed, equal to the code, and true of a real server."""

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from jsonschema import Draft202012Validator
from schemathesis.core.failures import FailureGroup

from evilpegs_server.site.openapi import OPENAPI_FILE, openapi_text

EXAMPLES = 25
"""The number of requests per path and kind of data."""


def test_committed_description_equals_code():
    assert OPENAPI_FILE.read_text() == openapi_text(), "run: make openapi"


def test_description_is_served(web):
    assert web.get("/api/v1/openapi.json").text == openapi_text()


def test_description_has_only_get_and_documented_errors():
    document = json.loads(openapi_text())
    assert document["openapi"].startswith("3.1.")
    for path, methods in document["paths"].items():
        assert list(methods) == ["get", "head"], path
        assert "422" not in methods["get"]["responses"]
        responses = methods["get"]["responses"]
        assert {"200", "405", "421", "500", "503"} <= set(responses)
        assert path.endswith("/events") != ("304" in responses)
        for kept in (responses[status] for status in ("200", "304") if "304" in responses):
            assert {"ETag", "Cache-Control"} <= set(kept["headers"])
    assert "/metrics" in document["paths"]
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


DESCRIBED = schemathesis.openapi.from_dict(json.loads(openapi_text()))
FINITE = DESCRIBED.exclude(path_regex="/(events|position)$")
"""All but the streams, whose answers have no end, and positions, whose turns must fit the rules."""


@FINITE.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_server_keeps_description(case, site):
    case.call_and_validate(base_url=site.url)


@pytest.mark.parametrize(
    ("path", "parameter", "names"),
    [
        ("/api/v1/matches/{match}", "match", ["over", "evil", "open"]),
        ("/api/v1/matches/{match}/record", "match", ["over", "open"]),
        ("/api/v1/ladders/{ladder}/leaderboard", "ladder", ["classic", "classic-evil", "super"]),
        ("/api/v1/players/{player}", "player", ["minimax", "bob"]),
    ],
)
def test_documents_of_played_matches_keep_description(site, web, path, parameter, names):
    for name in names:
        value = getattr(site, name, name)
        case = DESCRIBED[path]["GET"].Case(path_parameters={parameter: value})
        assert case.call_and_validate(base_url=site.url).status_code == 200


def test_wrong_description_is_noticed(site):
    """The control of the tests above."""
    document = json.loads(openapi_text())
    document["components"]["schemas"]["HealthDocument"]["properties"]["status"] = {"type": "integer"}
    case = schemathesis.openapi.from_dict(document)["/healthz"]["GET"].Case()
    with pytest.raises(FailureGroup):
        case.call_and_validate(base_url=site.url)
