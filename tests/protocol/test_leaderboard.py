"""The leaderboard of a ladder, as a newer and an older server write it."""

import json

import pytest
from pydantic import ValidationError

from evilpegs_protocol.leaderboard import LeaderboardDocument
from support.fragments import Fragment

ROW = {
    "player": "anna", "client": "tester 1.0", "games": 200, "mean": 4.5, "low": 4.375, "high": 4.625, "worst": 6,
    "solved": 1.0, "p95_ms": 12, "mean_ms": 3.25, "histogram": [[4, 100], [5, 100]], "rank": 1, "rank_worst": 2,
}  # fmt: skip
NEWER = {
    "solved_low": 0.96875, "solved_high": 1.0, "adjusted_mean": 4.4375, "adjusted_low": 4.375, "adjusted_high": 4.5,
    "adjusted_deviation": 0.125, "adjusted_games": 200, "version": 2, "versions": 2, "all_games": 300,
    "all_matches": 30, "kind": "human", "undecided": True, "score": 4.4375, "placed": True,
}  # fmt: skip


def standings(*rows):
    table = {"ladder": "classic", "rules": "4x6", "codemaker": "fixed", "guess_limit": 10, "rows": rows}
    return LeaderboardDocument.model_validate_json(json.dumps(table))


def read(row):
    return standings(row).model_dump(mode="json")["rows"][0]


def test_row_of_standings_round_trips():
    assert read(ROW | NEWER) == ROW | NEWER
    unranked = {"low": None, "high": None, "rank": None, "rank_worst": None}
    assert read(ROW | NEWER | unranked) == ROW | NEWER | unranked


def test_row_of_older_server_has_nulls():
    assert read(ROW) == ROW | dict.fromkeys(NEWER)


def test_field_of_newer_server_is_left_out():
    assert read(ROW | NEWER | {"streak": 7}) == ROW | NEWER


@pytest.mark.parametrize(("field", "value"), [("games", -1), ("mean", -0.5), ("rank", 0), ("client", 1), ("low", "1")])
def test_row_with_impossible_value_is_refused(field, value):
    with pytest.raises(ValidationError, match=field):
        read(ROW | {field: value})


def test_notebooks_show_standings_as_a_table():
    unranked = {"player": "bob", "client": "<script>", "rank": None, "rank_worst": None, "low": None, "high": None}
    shown = Fragment(standings(ROW | NEWER, ROW | unranked)._repr_html_())
    assert shown.tags.count("tr") == 3
    facts = ["classic", "1-2", "anna", "4.438", "4.375-4.625", "100%", "bob", "<script>"]
    assert [each for each in facts if each not in shown.text] == []
