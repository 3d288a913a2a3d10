"""Built-in ladders are compared field by field with golden values, because an id never changes meaning."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evilpegs_game.errors import MalformedError
from evilpegs_protocol.server_messages import LadderInfo
from evilpegs_server.match.ladders import Ladder, load_ladders

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "ladders.json").read_text())
LADDERS = load_ladders()

FILE = """
[rules]
classic = { guess_limit = 7 }

[[kinds]]
suffix = "-quick"
codemaker = "fixed"
clock = "3+2"
games = 5
rated = true
"""


@pytest.mark.parametrize("expected", GOLDEN, ids=lambda golden: golden["id"])
def test_built_in_ladder_equals_golden_entry(expected):
    assert LADDERS[expected["id"]].info().model_dump(mode="json") == expected


def test_golden_table_lists_every_ladder():
    assert list(LADDERS) == [golden["id"] for golden in GOLDEN]


@pytest.mark.parametrize("ladder", LADDERS.values(), ids=list(LADDERS))
class TestEvery:
    def test_ladder_is_keyed_by_id_and_serializable(self, ladder):
        assert LADDERS[ladder.id] is ladder
        info = LadderInfo.model_validate_json(ladder.info().model_dump_json())
        assert info == ladder.info()
        assert replace(Ladder.from_info(info), worst_work=ladder.worst_work) == ladder

    def test_ladder_is_rated_only_if_timed(self, ladder):
        assert ladder.rated == (ladder.clock is not None)

    def test_ladder_has_tie_rule_of_kind(self, ladder):
        """A rated opponent must not be deterministic: one memorized line would beat it."""
        evil = "largest/seeded" if ladder.rated else "largest"
        assert ladder.tie == (None if ladder.codemaker == "fixed" else evil)


def test_load_ladders_reads_file(tmp_path):
    path = tmp_path / "ladders.toml"
    path.write_text(FILE)
    assert {name: ladder.info().model_dump(mode="json") for name, ladder in load_ladders(path).items()} == {
        "classic-quick": {
            "id": "classic-quick",
            "rules": "4x6",
            "codemaker": "fixed",
            "tie": None,
            "exact_up_to": None,
            "clock": {"base_ms": 3_000, "increment_ms": 2_000},
            "guess_limit": 7,
            "games": 5,
            "rated": True,
        }
    }


@pytest.mark.parametrize(
    ("good", "bad", "error"), [("classic", "clasic", MalformedError), ('"3+2"', '"3 s"', ValueError)]
)
def test_load_ladders_refuses_mistakes(tmp_path, good, bad, error):
    path = tmp_path / "ladders.toml"
    path.write_text(FILE.replace(good, bad))
    with pytest.raises(error):
        load_ladders(path)
