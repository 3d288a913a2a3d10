"""The row of a leaderboard is declared once: whatever has rows has a field that is added there."""

import json
import subprocess
import sys

# in a process of its own, because other modules take the class when they are imported
ADD_FIELD = """
import importlib.util, sys
from pathlib import Path

spec = importlib.util.find_spec("evilpegs_protocol.leaderboard")
module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
text = Path(spec.origin).read_text()
before = "\\n    placed: "
assert text.count(before) == 1
exec(compile(text.replace(before, "\\n    streak: Count = 7" + before), spec.origin, "exec"), vars(module))
"""
SHOW_ROW = """
import json, sys
from evilpegs.commands.leaderboard.comma_separated import write_rows
from evilpegs_protocol.leaderboard import LeaderboardDocument
from evilpegs_server.leaderboard.leaderboard import Leaderboard
from evilpegs_server.leaderboard.row import leaderboard_document, leaderboard_text
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.site.models import BetweenDocument
from evilpegs_server.site.openapi import openapi_text
from evilpegs_server.site.routes import player_text
from evilpegs_server.storage.derived.browse import PlayerEntry

board, ladder = Leaderboard(guess_limit=10, ranked_from=1, adjusted=False), load_ladders()["classic"].info()
board.set_player(1, "anna")
board.add_games(1, "tester 1", "solved", 4, 20)
rows = board.rows()
text = leaderboard_text(ladder, rows)
read = LeaderboardDocument.model_validate_json(text)
between = BetweenDocument(ladder="classic", guess_limit=10, rows=rows, difference=None, lines=())
player = json.loads(player_text(PlayerEntry(name="anna", kind="bot", created_at=0), [("classic", rows[0])]))
print(json.dumps({
    "site and feed": json.loads(text)["rows"][0],
    "page of a player": player["results"][0]["row"],
    "page of a difference": json.loads(between.model_dump_json())["rows"][0],
    "command, of a database": leaderboard_document(ladder, rows).model_dump(mode="json")["rows"][0],
    "command, of a server": read.model_dump(mode="json")["rows"][0],
    "description": json.loads(openapi_text())["components"]["schemas"]["LeaderboardRow"]["properties"],
}))
write_rows(sys.stdout, [read])
"""


def shown_fields(code):
    """Return the names of a row's fields in each document, the line of CSV, and all values of the new field."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    documents, columns, cells = done.stdout.splitlines()
    documents = json.loads(documents)
    return documents, dict(zip(columns.split(","), cells.split(","), strict=True))


def test_field_is_added_to_row_in_one_place():
    documents, cells = shown_fields(SHOW_ROW)
    longer, longer_cells = shown_fields(ADD_FIELD + SHOW_ROW)
    for name, row in documents.items():
        assert set(longer[name]) == {*row, "streak"}, name
        assert set(row) == set(cells) - {"ladder", "place"}, name
        assert set(row) == set(documents["description"]), name
    assert [row["streak"] for name, row in longer.items() if name != "description"] == [7] * 5
    assert longer_cells == cells | {"streak": "7"}
