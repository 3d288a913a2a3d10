"""Answers for which the worker of a site computes."""

import json

import pytest
import schemathesis

from evilpegs.main import main
from evilpegs_server.site.openapi import openapi_text
from support.executed import EVENT_LOOP, statements
from support.site_server import read_computed

DESCRIBED = schemathesis.openapi.from_dict(json.loads(openapi_text()))
ANALYSIS = DESCRIBED["/api/v1/matches/{match}/analysis"]["GET"]
POSITION = DESCRIBED["/api/v1/position"]["GET"]


def computed(site, path):
    """Return the answer of a path, once the worker has its kernels."""
    return read_computed(f"{site.url}api/v1/{path}")


def test_analysis_equals_that_of_replay(site, capsys):
    assert main(["replay", site.over, "--database", site.database, "--json"]) == 0
    # the server of this process logs to the same stream, and acts of the operator arrive when it looks for them
    (printed,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("{"))
    assert computed(site, f"matches/{site.over}/analysis").json() == json.loads(printed)


@pytest.mark.parametrize(("name", "status"), [("over", 200), ("evil", 200), ("open", 409)])
def test_analysis_keeps_description(site, name, status):
    match = getattr(site, name)
    computed(site, f"matches/{match}/analysis")
    with statements() as executed:
        answer = ANALYSIS.Case(path_parameters={"match": match}).call_and_validate(base_url=site.url)
    assert answer.status_code == status
    assert [statement for thread, statement in executed if thread == EVENT_LOOP] == []


@pytest.mark.parametrize("query", [{}, {"rules": "2x2"}, {"rules": "2x3", "turns": "11:1,0;22:2,0"}])
def test_position_keeps_description_and_is_not_read(site, query):
    computed(site, "position")
    with statements() as executed:
        POSITION.Case(query=query).call_and_validate(base_url=site.url)
    # threads of others read at any time: who looks for acts, and who follows the log
    assert [text for thread, text in executed if thread == EVENT_LOOP or thread.startswith("reads")] == []


def test_browser_keeps_answer_about_position(site):
    answer = computed(site, "position?rules=4x6&turns=1122:1,0;3344:0,2")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "max-age=3600"
    document = answer.json()
    assert document["after"][1] == {"code": "3344", "black": 0, "white": 2}
    assert document["candidates"] == len(document["codes"]) > 0
    assert [turn["regret"]["kind"] for turn in document["analyses"]] == ["exact", "exact"]
    assert all(isinstance(turn["luck"], float) for turn in document["analyses"])


def test_site_names_contradicting_rows(site):
    document = computed(site, "position?turns=1111:4,0;2222:0,0;1122:0,0").json()
    assert (document["candidates"], [each["row"] for each in document["clash"]]) == (0, [1, 3])
