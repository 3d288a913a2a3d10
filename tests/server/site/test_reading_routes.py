"""No route reads the database on the thread of the event loop, so that no read can hold up another answer."""

import json

import pytest
import sqlalchemy
from sqlalchemy import text

from evilpegs_server.site.openapi import openapi_text
from support.executed import EVENT_LOOP, statements

PARAMETERS = {
    "{ladder}": ["classic", "classic-evil"],
    "{player}": ["minimax", "bob"],
    "{match}": ["over", "evil", "open"],
    "{round}": ["final"],
}
"""Values for the parameters of paths. Those of matches are names of attributes of the site."""
WORKING = {"/api/v1/matches/{match}/analysis", "/api/v1/position"}
"""The paths for which the worker computes; test_worker_routes.py reads them."""
READING = [
    "/api/v1/events",
    "/api/v1/ladders/{ladder}/events",
    "/api/v1/live",
    "/api/v1/matches",
    "/api/v1/matches/{match}",
    "/api/v1/matches/{match}/events",
    "/api/v1/matches/{match}/record",
    "/api/v1/players",
    "/api/v1/players/{player}",
    "/api/v1/rounds/{round}",
]
"""The paths that read in the threads of `Reads`. Analyses are read in another, and kept."""
PATHS = sorted(set(json.loads(openapi_text())["paths"]) - WORKING)


def request_all(web, site, path, headers=None):
    """Send a request for each value of the parameter of a path."""
    name = path[path.find("{") : path.find("}") + 1]
    for value in PARAMETERS[name] if name else [""]:
        shown = getattr(site, value, value) if name == "{match}" else value
        with web.stream("GET", path.replace(name, shown) if name else path, headers=headers) as answer:
            assert answer.status_code == 200
            next(answer.iter_raw(), None)  # the rest of a stream has no end


@pytest.mark.parametrize("path", PATHS)
def test_route_reads_outside_event_loop(web, site, path):
    with statements() as executed:
        request_all(web, site, path)
    assert [statement for thread, statement in executed if thread == EVENT_LOOP] == []


def test_routes_that_read_are_known(web, site):
    """The paths above are the ones that are tested: without statements the test would show nothing."""
    reading = []
    for path in PATHS:
        with statements() as executed:
            request_all(web, site, path, {"If-None-Match": '"other"'})
        if any(thread.startswith("reads") for thread, _ in executed):
            reading.append(path)
    assert reading == READING


async def test_statement_on_event_loop_is_noticed():
    """The control of the tests above."""
    engine = sqlalchemy.create_engine("sqlite://")
    with statements() as executed, engine.connect() as connection:
        connection.execute(text("SELECT 1"))
    engine.dispose()
    assert executed == [(EVENT_LOOP, "SELECT 1")]
