"""Names and texts of a server are text on the page, no matter who wrote them."""

import json

import pytest
from playwright.sync_api import expect

from support.page.hostile_texts import HOSTILE, RAN
from support.page.scripted_game import LADDER, ScriptedGame
from support.page.server_games import wait_for_turn

SHORT = [HOSTILE[1], HOSTILE[9], HOSTILE[17]]


def play_scripted(page, text):
    """Play a game of a scripted server with hostile texts in every place where a server may write."""
    ScriptedGame(text).serve(page)
    page.reload()
    page.locator("button.large").click()
    wait_for_turn(page)
    page.get_by_role("button", name="Hint").click()
    page.get_by_role("button", name="Use it").wait_for()
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Give up", exact=True).click()
    page.locator("record-check .bad").first.wait_for()
    page.get_by_text("What was checked").click()


def test_texts_of_scripted_server_run_nothing(open_view):
    page = open_view("#/server/classic-practice")
    play_scripted(page, HOSTILE[1])
    expect(page.locator(".intro")).to_contain_text(HOSTILE[1])
    expect(page.locator("player-panel strong")).to_contain_text(HOSTILE[1])
    assert page.evaluate(RAN) is None


def test_refused_name_is_told_as_text(open_view):
    page = open_view("#/server/classic")
    field = page.get_by_label("New name")
    for name in (*SHORT, "Admin"):
        # between two names of one refusal there is another, so that each is seen to come
        for refused, words in ((name, "A name has"), ("guest-1", "given by the server")):
            field.fill(refused)
            page.get_by_role("button", name="Take this name").click()
            expect(page.locator("player-panel [role=alert]")).to_contain_text(words)
            assert page.evaluate(RAN) is None
    field.fill("admin")
    page.get_by_role("button", name="Take this name").click()
    page.get_by_text("This name, or one that looks like it, is taken.").wait_for()


@pytest.mark.full
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_every_hostile_text_of_server_runs_nothing(open_view, text):
    page = open_view("#/server/classic-practice")
    play_scripted(page, text)
    assert page.evaluate(RAN) is None


@pytest.mark.full
@pytest.mark.parametrize("code", ["bad_name", "auth_failed", "too_many_matches", "not_invented_yet"])
def test_hostile_refusals_are_text(open_view, code):
    page = open_view("#/server/classic-practice")
    ScriptedGame(HOSTILE[1], {"play": code}).serve(page)
    page.reload()
    page.locator("button.large").click()
    expect(page.locator("player-panel [role=alert]")).to_contain_text(HOSTILE[1])
    assert page.evaluate(RAN) is None


def answer_ladders(page, ladder):
    """Let the page learn of one ladder only."""
    body = json.dumps({"ladders": [ladder]})
    page.unroute_all()
    page.route("**/api/v1/ladders", lambda route: route.fulfill(body=body, content_type="application/json"))


@pytest.mark.full
def test_hostile_ladders_are_text(open_view):
    page = open_view("#/nothing")
    index = page.url.partition("#")[0]
    for text in HOSTILE:
        answer_ladders(page, LADDER | {"id": text, "rules": text, "codemaker": text, "codes": 7, "offered": True})
        page.goto(f"{index}#/ladders")
        page.reload()
        page.locator(".way .button").click()
        page.locator("server-play-view .facts").wait_for()
        assert page.evaluate(RAN) is None


@pytest.mark.full
def test_hostile_storage_is_text(open_view):
    page = open_view("#/nothing")
    for text in HOSTILE:
        for key in ("tokens", "player", "matches"):
            for value in (text, json.dumps(text), json.dumps({text: {text: [text]}})):
                page.evaluate("pair => localStorage.setItem(...pair)", [f"evilpegs.{key}", value])
        page.goto(page.url.partition("#")[0] + "#/server/classic-practice")
        page.reload()
        page.locator("button.large").wait_for()
        assert page.evaluate(RAN) is None
