"""Text of others is text, never markup, wherever the page shows it; and a page that does something wrong is noticed."""

import json

import pytest
from playwright.sync_api import expect

from support.browser import follow
from support.page.hostile_texts import HOSTILE, KINDS, MARKUP, RAN
from support.page.record_files import HONEST
from support.page.scripted_game import LADDER, ScriptedGame
from support.page.server_games import wait_for_turn

pytestmark = pytest.mark.full
EVIL = HONEST["evil"]
MATCH = EVIL[0]["match"]
PRACTICE = "#/server/classic-practice"
STORE = "pair => localStorage.setItem(...pair)"


def test_inline_script_style_and_foreign_request_are_noticed(watch):
    """The control of every test of the page."""
    watched = watch()
    page = watched.open()
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">')")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))")
    with page.expect_console_message(lambda message: "policy violated: connect-src" in message.text):
        page.evaluate("fetch('http://192.0.2.1/').catch(() => 0)")
    assert page.evaluate("window.ran") is None
    problems = "\n".join(watched.problems)
    assert all(f"policy violated: {each}" in problems for each in ("style-src-attr", "script-src-elem", "connect-src"))


@pytest.mark.parametrize("text", [*HOSTILE[1:4], MARKUP])
def test_text_that_becomes_markup_is_noticed(watch, text):
    """A control too: the policy lets none of these run, but it tells."""
    watched = watch()
    page = watched.open("#/nothing")
    page.locator("not-found-view h1").wait_for()
    with page.expect_console_message(lambda message: "policy violated" in message.text):
        page.evaluate("text => { document.querySelector('main').innerHTML = `<p title='${text}'>${text}`; }", text)
    with pytest.raises(AssertionError):
        watched.check()


def test_request_to_other_machine_is_noticed(watch):
    """A control too."""
    watched = watch(bypass_csp=True)
    page = watched.open()
    with page.expect_request("http://127.0.0.9:1/"):
        page.evaluate("fetch('http://127.0.0.9:1/').catch(() => 0)")
    with pytest.raises(AssertionError):
        watched.check()
    assert "127.0.0.9" in watched.hosts


def documents(text):
    """Return documents of the API by the end of their paths: a row for each hostile text, and one text elsewhere."""
    row = {
        "games": 120, "mean": 4.5, "low": 4.4, "high": 4.6, "worst": 6, "solved": 1.0,
        "p95_ms": 3, "mean_ms": 1.2, "histogram": [[4, 60], [5, 60]], "rank": 1, "rank_worst": 1,
        "score": 4.5, "placed": True,
    }  # fmt: skip
    rows = [row | {"player": each, "client": each} for each in (MARKUP, *HOSTILE)]
    entries = [
        {"match": each, "ladder": each, "player": each, "client": each, "started_at": 1, "over": False,
         "outcomes": [each], "guesses": [4], "elapsed_ms": 12}
        for each in HOSTILE
    ]  # fmt: skip
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
        "changed": 3, "entrants": [],
    }  # fmt: skip
    result = {
        "place": 1,
        "mean": 4.5,
        "games": 1,
        "failed": 0,
        "not_played": 0,
        "ahead_of": HOSTILE,
        "plays_better_than": HOSTILE,
        "fails_less_than": HOSTILE,
    }
    entrant = {"progress": "finished", "ended": 1, "excluded": None, "result": result}
    entrants = [entrant | {"player": each} for each in HOSTILE]
    excluded = [each | {"excluded": each["player"], "result": None} for each in entrants]
    games = [{"game": each, "turns": [{"analysis": worth}] * 9} for each in (1, 2, 3, 4)]
    return {
        "/leaderboard?between=*": {"guess_limit": 10, "rows": rows[:2], "lines": HOSTILE},
        "/leaderboard": {
            "ladder": text, "rules": text, "codemaker": text, "guess_limit": 10, "ranked_from": 100, "placed_from": 10,
            "rows": rows, "places": list(range(1, len(rows) + 1)),
        },
        "/players/eve": {
            "name": text, "kind": text, "created_at": 1,
            "results": [{"ladder": each["player"], "row": each} for each in rows],
        },
        "/rounds": {"rounds": [heading, *({**heading, "id": each} for each in HOSTILE)]},
        "/rounds/eve": heading | {"entrants": entrants + excluded},
        "/api/v1/matches?*": {"matches": entries, "next": f"/api/v1/matches?cursor={text}"},
        "/analysis": {"games": games},
    }  # fmt: skip


def hostile_record(text):
    """Return a record whose texts are hostile and whose turns can be shown."""
    started = EVIL[0] | {"player": text, "ladder": text, "codemaker": text, "client": {"name": text, "version": text}}
    feedbacks = [event | {"method": text} for event in EVIL if event["type"] == "feedback"]
    over = [event | {"outcome": text} for event in EVIL if event["type"] in {"game_over", "match_over"}]
    return "".join(json.dumps(event) + "\n" for event in (started, *feedbacks, *over))


def serve_documents(page):
    """Answer the API's documents with the text that the returned list has."""
    texts = [MARKUP]

    def answer_with(end):
        return lambda route: route.fulfill(json=documents(texts[0])[end])

    page.route(
        "**/record", lambda route: route.fulfill(body=hostile_record(texts[0]), content_type="application/jsonl")
    )
    for end in documents(""):
        page.route(f"**{end}", answer_with(end))
    return texts


def test_texts_of_results_run_nothing(open_view):
    page = open_view("#/nothing")
    texts = serve_documents(page)
    for texts[0] in KINDS:
        for address, awaited in (
            ("#/ladder/classic", "leaderboard-view result-charts svg"),
            ("#/player/eve", "player-view match-list tbody tr"),
            ("#/player/eve?ladder=classic&against=adam", "player-view result-charts svg"),
            ("#/matches", "matches-view match-list tbody tr"),
            ("#/watch", "watch-view tbody tr"),
            ("#/rounds", "rounds-view tbody tr"),
            ("#/round/eve", "rounds-view .name"),
            (f"#/match/{MATCH}?guess=2", "guess-worth table"),
        ):
            follow(page, address)
            page.locator(awaited).first.wait_for()
            assert page.evaluate(RAN) is None
        page.get_by_role("button", name="Verify in this page").click()
        page.locator("record-check .bad").first.wait_for()
        assert page.evaluate(RAN) is None
    follow(page, "#/ladder/classic")
    expect(page.locator("tbody th button").nth(1)).to_have_text(HOSTILE[0])
    expect(page.locator("result-charts svg").first).to_contain_text("<script>window.r")


def test_hostile_record_file_runs_nothing(open_view):
    page = open_view("#/nothing")
    for text in KINDS:
        follow(page, "#/verify")
        body = hostile_record(text).encode()
        page.get_by_label("choose its file").set_input_files({"name": "x.jsonl", "mimeType": "", "buffer": body})
        page.locator("record-check .bad, [role=alert]").first.wait_for()
        page.keyboard.press("End")
        page.locator("guess-worth, [role=alert]").first.wait_for()
        assert page.evaluate(RAN) is None
        follow(page, "#/nothing")


def test_stored_hostile_text_runs_nothing(open_view):
    page = open_view()
    for text in KINDS:
        stored = json.dumps({"rules": text, "codemaker": "evil", "limit": 10, "guesses": [text]})
        page.evaluate(STORE, ["evilpegs.game.4x6-evil", stored])
        page.evaluate(STORE, ["evilpegs.theme", text])
        page.reload()
        page.locator("first-view h1").wait_for()
        assert page.evaluate(RAN) is None
    follow(page, PRACTICE)
    for text in KINDS:
        for value in (text, json.dumps(text), json.dumps({text: {text: [text]}}))[0 if text == MARKUP else 2 :]:
            for key in ("tokens", "player", "matches"):
                page.evaluate(STORE, [f"evilpegs.{key}", value])
            page.reload()
            page.locator("button.large").wait_for()
            assert page.evaluate(RAN) is None


def open_scripted(page):
    """Open the view of a ladder as a new visitor."""
    follow(page, "#/nothing")
    page.evaluate("localStorage.clear()")
    follow(page, PRACTICE)
    page.locator("button.large").click()


def test_texts_of_game_server_run_nothing(open_view):
    page = open_view("#/bots")
    game = ScriptedGame()
    game.serve(page)
    for game.text in KINDS:
        open_scripted(page)
        wait_for_turn(page)
        page.get_by_role("button", name="Hint").click()
        page.get_by_role("button", name="Use it").wait_for()
        page.get_by_role("button", name="Give up…").click()
        page.get_by_role("button", name="Give up", exact=True).click()
        page.locator("record-check .bad").first.wait_for()
        page.get_by_text("What was checked").click()
        if game.text in {MARKUP, KINDS[3]}:
            expect(page.locator(".intro")).to_contain_text(game.text)
            expect(page.locator("player-panel strong")).to_contain_text(game.text)
        assert page.evaluate(RAN) is None
    game.text = MARKUP
    for code in ("bad_name", "auth_failed", "too_many_matches", "not_invented_yet"):
        game.refuses = {"play": code}
        open_scripted(page)
        expect(page.locator("player-panel [role=alert]")).to_contain_text(MARKUP)
        assert page.evaluate(RAN) is None


def test_hostile_ladders_are_text(open_view):
    page = open_view("#/nothing")
    ladders = []
    page.route("**/api/v1/ladders", lambda route: route.fulfill(json={"ladders": ladders}))
    for text in KINDS:
        ladders[:] = [LADDER | {"id": text, "rules": text, "codemaker": text, "codes": 7, "offered": True}]
        with page.expect_request("**/api/v1/ladders"):
            follow(page, "#/ladders")
        page.locator(".way .button").click()
        page.locator("server-play-view .facts").wait_for()
        assert page.evaluate(RAN) is None
        follow(page, "#/nothing")


def test_refused_name_is_told_as_text(open_view):
    page = open_view("#/server/classic")
    field = page.get_by_label("New name")
    for name in (HOSTILE[1], HOSTILE[9], HOSTILE[17], "Admin"):
        # between two names of one refusal there is another, so that each is seen to come
        for refused, words in ((name, "A name has"), ("guest-1", "given by the server")):
            field.fill(refused)
            page.get_by_role("button", name="Take this name").click()
            expect(page.locator("player-panel [role=alert]")).to_contain_text(words)
            assert page.evaluate(RAN) is None
    field.fill("admin")
    page.get_by_role("button", name="Take this name").click()
    page.get_by_text("The server says: the name admin is reserved").wait_for()
