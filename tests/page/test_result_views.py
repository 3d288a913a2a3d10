"""The rules of every view of results: hostile texts are text, axe finds nothing, and the view fits the screen."""

import json

import pytest
from playwright.sync_api import expect

from support.browser import ARTIFACTS, axe_violations
from support.page.hostile_texts import HOSTILE, RAN
from tools.page_records import RECORDS

pytestmark = pytest.mark.full
EVIL = next(row["events"] for row in json.loads(RECORDS.read_text())["honest"] if row["name"] == "evil")
MATCH = EVIL[0]["match"]
THEMES = ("light", "dark")
WIDTHS = (360, 1280)
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def documents(text):
    """Return documents of the API, by the end of their paths, with a text in every place that may hold one."""
    row = {
        "player": text, "client": text, "games": 120, "mean": 4.5, "low": 4.4, "high": 4.6, "worst": 6, "solved": 1.0,
        "p95_ms": 3, "mean_ms": 1.2, "histogram": [[4, 60], [5, 60]], "rank": 1, "rank_worst": 1,
    }  # fmt: skip
    entry = {
        "match": text, "ladder": text, "player": text, "client": text, "started_at": 1, "over": False,
        "outcomes": [text], "guesses": [4], "elapsed_ms": 12,
    }  # fmt: skip
    worth = {
        "before": 9, "after": 3, "bits": 1.0, "expected_bits": 1.0, "chance": 1.0, "candidate": True, "among": text,
        "best": [{"criterion": text, "code": text, "figure": text, "played": text},
                 {"criterion": "minimax", "code": text, "figure": text, "played": text}],
        "optimal": text, "regret": {"kind": text, "at_least": 0.1, "at_most": 0.2},
    }  # fmt: skip
    ladder = {
        "id": text, "rules": text, "codemaker": text, "clock": None, "guess_limit": 10, "games": 1, "rated": True,
    }  # fmt: skip
    heading = {
        "id": text, "ladder": ladder, "sealed": False, "state": "over", "opens": 1, "closes": 2, "adjusted": True,
        "entrants": [],
    }  # fmt: skip
    result = {"place": 1, "mean": 4.5, "games": 1, "failed": 0, "not_played": 0, "ahead_of": [text]}
    entrant = {"player": text, "ended": 1, "excluded": None, "result": result}
    games = [{"game": each, "turns": [{"analysis": worth}] * 9} for each in (1, 2, 3, 4)]
    return {
        "/leaderboard?between=*": {"guess_limit": 10, "rows": [row, row], "lines": [text, text]},
        "/leaderboard": {"ladder": text, "rules": text, "codemaker": text, "guess_limit": 10, "rows": [row]},
        "/players/eve": {"name": text, "kind": text, "created_at": 1, "results": [{"ladder": text, "row": row}]},
        "/rounds": {"rounds": [heading]},
        "/rounds/eve": heading | {"entrants": [entrant, entrant | {"excluded": text, "result": None}]},
        "/matches": {"matches": [entry], "next": f"/api/v1/matches?cursor={text}"},
        "/analysis": {"games": games},
    }


def hostile_record(text):
    """Return a record whose texts are hostile and whose turns can be shown."""
    started = EVIL[0] | {"player": text, "ladder": text, "codemaker": text, "client": {"name": text, "version": text}}
    feedbacks = [event | {"method": text} for event in EVIL if event["type"] == "feedback"]
    over = [event | {"outcome": text} for event in EVIL if event["type"] in {"game_over", "match_over"}]
    return "".join(json.dumps(event) + "\n" for event in (started, *feedbacks, *over))


def answer(body):
    return lambda route: route.fulfill(json=body)


def serve(page, text):
    """Answer the API's documents with a text in every place."""
    page.unroute_all()
    page.route("**/record", lambda route: route.fulfill(body=hostile_record(text), content_type="application/jsonl"))
    for end, body in documents(text).items():
        pattern = "**/api/v1/matches?*" if end == "/matches" else f"**{end}"
        page.route(pattern, answer(body))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_texts_of_results_run_nothing(open_view, text):
    page = open_view("#/nothing")
    serve(page, text)
    site = page.url.partition("#")[0]
    for address, awaited in (
        ("#/ladder/classic", "leaderboard-view result-charts svg"),
        ("#/player/eve", "player-view match-list tbody tr"),
        ("#/player/eve?ladder=classic&against=adam", "player-view result-charts svg"),
        ("#/matches", "matches-view match-list tbody tr"),
        ("#/watch", "watch-view tbody tr"),
        ("#/rounds", "rounds-view tbody tr"),
        ("#/round/eve", "rounds-view details"),
        (f"#/match/{MATCH}?guess=2", "guess-worth table"),
    ):
        page.goto(site + address)
        page.locator(awaited).first.wait_for()
        assert page.evaluate(RAN) is None
    page.get_by_role("button", name="Verify in this page").click()
    page.locator("record-check .bad").first.wait_for()
    assert page.evaluate(RAN) is None


def test_hostile_name_is_shown_as_text(open_view):
    page = open_view("#/nothing")
    serve(page, HOSTILE[0])
    page.goto(page.url.replace("nothing", "ladder/classic"))
    expect(page.locator("tbody th button").first).to_have_text(HOSTILE[0])
    expect(page.locator("result-charts svg").first).to_contain_text("<script>window.r")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_record_file_runs_nothing(open_view, text):
    page = open_view("#/verify")
    body = hostile_record(text).encode()
    page.get_by_label("choose its file").set_input_files({"name": "x.jsonl", "mimeType": "", "buffer": body})
    page.locator("record-check .bad, [role=alert]").first.wait_for()
    page.keyboard.press("End")
    page.locator("guess-worth").wait_for()
    assert page.evaluate(RAN) is None


def views(played):
    """Return the address of every view of results and what is there once it is complete."""
    match = played["minimax", "classic-evil"]
    return {
        "leaderboard": ("#/ladder/classic", "leaderboard-view result-charts svg"),
        "leaderboard-empty": ("#/ladder/huge-evil", "leaderboard-view copy-text"),
        "player": ("#/player/minimax", "player-view match-list tbody tr"),
        "compare": ("#/player/minimax?ladder=classic&against=first-consistent", "player-view result-charts svg"),
        "matches": ("#/matches", "matches-view match-list tbody tr"),
        "replay": (f"#/match/{match}?game=2&guess=2", ".regret"),
        "replay-end": (f"#/match/{match}?game=2&guess=5", ".ending"),
        "verify": ("#/verify", ".drop"),
        "bots": ("#/bots", "bots-view copy-text"),
        "protocol": ("#/protocol", "article table"),
    }


@pytest.mark.parametrize("theme", THEMES)
def test_views_of_results_hold_in_theme(open_view, played, theme):
    page = open_view("#/nothing", color_scheme=theme, reduced_motion="reduce")
    site = page.url.partition("#")[0]
    ARTIFACTS.mkdir(exist_ok=True)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 740 if width < 600 else 900})
        for name, (address, awaited) in views(played).items():
            page.goto(site + address)
            page.locator(awaited).first.wait_for()
            page.screenshot(path=ARTIFACTS / f"{name}-{width}-{theme}.png", full_page=True)
            assert page.evaluate(WIDER) == 0, name
            assert axe_violations(page) == [], name
