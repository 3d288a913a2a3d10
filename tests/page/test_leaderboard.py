"""Leaderboards, players and lists of matches that bots have played."""

import json
import re

import pytest
from playwright.sync_api import expect

from support.browser import ARTIFACTS, axe_violations, follow, look, show_theme
from support.page.played_matches import open_match

pytestmark = pytest.mark.full
HIDDEN = "boxes => boxes.map((each) => each.scrollWidth - each.clientWidth)"
CELLS = "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
ROW = {
    "player": "somebody", "client": "some 1", "games": 120, "mean": 7.0, "low": 6.9, "high": 7.1, "worst": 13,
    "solved": 0.9999, "p95_ms": 70_000, "mean_ms": 1_234.5, "histogram": [[7, 119], [13, 1]], "rank": 1,
    "rank_worst": 3, "adjusted_mean": None, "adjusted_low": None, "adjusted_high": None, "all_games": 120,
    "undecided": True, "score": 7.0, "placed": True,
}  # fmt: skip
BOARD = {
    "ladder": "super-evil", "rules": "5x8", "codemaker": "evil", "guess_limit": 12, "ranked_from": 20,
    "placed_from": 10, "rows": [ROW], "places": [1],
}  # fmt: skip
BOTS = {"minimax": 20, "first-consistent": 10}
"""The games of the bots that have played, in the order of their ranks; tests before may have played too."""
SELF_REPORTED = "Version (self-reported)"


def rows(page, table="table"):
    """Return the texts of the cells of a table's body."""
    page.locator(f"{table} tbody tr").first.wait_for()
    return page.locator(f"{table} tbody tr:not(:has(.group))").evaluate_all(CELLS)


def document(page, path):
    """Return a document of the API, as the page gets it."""
    return page.evaluate("path => fetch(path).then((answer) => answer.json())", path)


def serve(page, pattern, body):
    page.route(pattern, lambda route: route.fulfill(json=body))


@pytest.mark.usefixtures("played")
def test_leaderboard_has_rows_of_api_and_charts(open_view):
    page = open_view("#/matches")
    loaded = []
    page.on("request", lambda request: loaded.append(request.url))
    page.locator("match-list table").wait_for()
    assert not any("plot" in each for each in loaded)
    page.get_by_role("link", name="Leaderboard").click()
    page.locator("result-charts svg").nth(1).wait_for()
    assert any("plot" in each for each in loaded)  # charts are loaded only where they are
    follow(page, "#/ladder/classic")
    shown = rows(page, ".card table")
    expected = document(page, "api/v1/ladders/classic/leaderboard")["rows"]
    kinds = {"bot": "bot", "human": "person"}
    assert [row[1].split() for row in shown] == [[row["player"], kinds[row["kind"]]] for row in expected]
    assert {row["placed"] for row in expected} == {True}
    assert [row[2].split()[0] for row in shown] == [f"({row['score']:.2f})" for row in expected]
    assert [row[0].split() for row in shown] == [
        [f"({place})", *f"place {place}".split()] for place, _ in enumerate(expected, 1)
    ]
    assert [row[3] for row in shown] == [str(row["games"]) for row in expected]
    assert [(row["player"], row["games"]) for row in expected if row["player"] in BOTS] == list(BOTS.items())
    for name, count in BOTS.items():
        button = page.get_by_role("button", name=name)
        button.press("Enter")
        expect(button).to_have_attribute("aria-expanded", "true")
        expect(page.get_by_text(SELF_REPORTED)).to_have_count(1)
        expect(page.locator("dl")).to_contain_text("Games by guesses")
        counts = page.locator("dl > div", has_text="Games by guesses").locator("dd").inner_text()
        assert sum(int(each.split(": ")[1]) for each in counts.split(", ")) == count
        button.press("Enter")
        expect(button).to_have_attribute("aria-expanded", "false")
        expect(page.locator("dl")).to_have_count(0)
        expect(page.get_by_text(SELF_REPORTED)).to_have_count(0)
    page.get_by_role("row", name="minimax").locator(".right").click()
    page.get_by_role("link", name="Results and matches of minimax").click()
    page.get_by_role("heading", name="minimax").wait_for()


def test_leaderboard_follows_games_and_ranks_are_words(open_view, server):
    page = open_view("#/ladder/super-evil")
    page.get_by_role("heading", name="Nobody has played here yet").wait_for()
    command = page.get_by_label("Command").input_value()
    assert command == f"evilpegs bot minimax --ladder super-evil --server {server.url}"
    follow(page, "#/ladder/monster")  # which minimax refuses
    expect(page.get_by_label("Command")).to_have_value(f"evilpegs bot sampled --ladder monster --server {server.url}")
    follow(page, "#/ladder/colossus-evil")
    page.get_by_text("This server does not offer the game now").wait_for()
    follow(page, "#/ladder/super-evil")
    serve(page, "**/super-evil/leaderboard", BOARD)
    page.get_by_role("button", name="somebody").click()
    page.locator("dl").wait_for()
    [row] = rows(page, ".card table")[:1]
    assert row[0] == "1–3"
    expect(page.locator(".group")).to_contain_text("Not decided yet")
    facts = dict(zip(page.locator("dt").all_inner_texts(), page.locator("dd").all_inner_texts(), strict=True))
    assert facts["Solved:"] == "99.9 %"
    assert facts["Time per guess:"] == "1.2 s, 95 % within 1.2 min"
    decided = ROW | {"player": "best", "rank_worst": 1, "undecided": False, "kind": "bot"}
    shared = ROW | {"rank": 2, "rank_worst": 3, "undecided": True, "kind": "human"}
    without = ROW | {"rank": None, "rank_worst": None, "undecided": None}
    placed, few = without | {"player": "early"}, without | {"player": "lucky", "placed": False, "score": 2.0}
    serve(page, "**/super/leaderboard", BOARD | {"rows": [decided, shared, placed, few], "places": [1, 2, 3, 4]})
    follow(page, "#/ladder/super")
    page.get_by_role("button", name="best").wait_for()
    first, second, third, fourth = rows(page, ".card table")
    assert (first[0].split(), second[0].split()) == (["1"], ["2–3"])
    assert (third[0].split()[0], fourth[0].split()[0]) == ("(3)", "–")
    assert (first[2].split()[0], second[1].split()) == ("7.00", ["somebody", "person"])
    assert (third[2].split()[0], fourth[2].split()[0]) == ("(7.00)", "(2.00)")
    groups = page.locator(".group").all_inner_texts()
    assert [re.findall(r"\d+", each) for each in groups] == [[], ["20"], ["10"]]
    colors = page.locator(".board td.rank").evaluate_all("cells => cells.map((each) => getComputedStyle(each).color)")
    assert colors[0] == colors[1] != colors[2] == colors[3]
    follow(page, "#/ladder/no-such")
    expect(page.get_by_role("alert")).to_contain_text("no leaderboard of that name")
    page.get_by_label("Ladder").select_option("classic")
    page.get_by_role("heading", name="Leaderboard of classic").wait_for()


@pytest.mark.usefixtures("played")
def test_leaderboard_of_a_kind(open_view, server):
    """A person joins; the filter is part of the address and of the link to the JSON text."""
    page = open_view("#/ladder/classic-evil")
    names = page.locator(".card tbody th button")
    expect(names).to_have_text(["minimax"])
    with open_match(server, "classic-evil", "hedy", "human") as match:
        match.resign()
    expect(names).to_have_text(["hedy", "minimax"])
    page.get_by_label("Players").select_option("human")
    page.wait_for_url("**/#/ladder/classic-evil?kind=human")
    expect(names).to_have_text(["hedy"])
    expect(page.locator(".card tbody td.rank")).to_contain_text("no place yet")
    address = page.get_by_role("link", name="As JSON").get_attribute("href")
    assert [row["player"] for row in document(page, address)["rows"]] == ["hedy"]
    page.get_by_label("Players").select_option("bot")
    expect(names).to_have_text(["minimax"])
    page.get_by_label("Ladder").select_option("super-evil")
    page.wait_for_url("**/#/ladder/super-evil?kind=bot")
    expect(page.get_by_text("No player of this kind")).to_be_visible()
    page.get_by_label("Players").select_option("")
    page.wait_for_url("**/#/ladder/super-evil")


@pytest.mark.usefixtures("played")
def test_tables_of_player_and_matches_are_whole_on_a_phone(open_view):
    page = open_view("#/nothing", viewport={"width": 360, "height": 740})
    for address, tables in (("#/matches", 1), ("#/player/minimax", 2)):
        follow(page, address)
        first = page.locator("match-list tbody tr").first
        first.wait_for()
        expect(page.locator(".scroll")).to_have_count(tables)
        assert not any(page.locator(".scroll").evaluate_all(HIDDEN))
        for name in ("Guesses", "Time", "self-reported"):
            expect(first.locator(f"[data-head='{name}']")).to_be_in_viewport()
    page.evaluate("scrollTo(0, 0)")
    for name in ("Score", "95 % interval", "Games", "Solved"):
        expect(page.locator(f"section:first-of-type [data-head='{name}']").first).to_be_in_viewport()


def test_long_leaderboard_is_drawn_in_pieces_and_searched(open_view, server):
    page = open_view("#/matches")
    tokens = json.dumps({server.url: {"p777": ["a" * 64]}})
    page.evaluate("text => localStorage.setItem('evilpegs.tokens', text)", tokens)
    board = long_board()
    all_rows = [board["rows"][0] | {"player": f"p{place}"} for place in range(1, 1001)]
    serve(page, "**/super-evil/leaderboard", board | {"rows": all_rows, "places": list(range(1, 1001))})
    follow(page, "#/ladder/super-evil")
    names = page.locator(".board .name")
    expect(names).to_have_text([*(f"p{place}" for place in range(1, 101)), "p777"])
    expect(page.locator(".group").last).to_have_text("You, further down")
    page.get_by_role("button", name="Show 100 more").click()
    expect(names).to_have_count(201)
    page.get_by_role("searchbox", name="Player").fill("P99")
    expect(names).to_have_text(["p99", *(f"p{place}" for place in range(990, 1000))])
    expect(page.get_by_role("button", name="more")).to_have_count(0)
    expect(page.get_by_text("11 of 1,000 players")).to_be_visible()
    look(page, "leaderboard-searched")
    page.get_by_role("searchbox", name="Player").fill("nobody")
    expect(names).to_have_count(0)


def long_board():
    """Return a leaderboard with the longest names and figures: rows with a rank, shared ranks, and without one."""
    row = {
        "client": "a-program-with-a-name-of-many-words 12.345.6789", "games": 12_345, "mean": 4.5, "low": 4.41,
        "high": 4.62, "worst": 11, "solved": 0.9876, "p95_ms": 70_000, "mean_ms": 1_234.5, "rank": 10, "kind": "bot",
        "histogram": [[guesses, 1_500] for guesses in range(1, 12)], "rank_worst": 123, "all_games": 23_456,
        "adjusted_mean": 4.43, "adjusted_low": 4.36, "adjusted_high": 4.58, "undecided": True,
        "score": 4.43, "placed": True,
    }  # fmt: skip
    later = {"games": 3, "rank": None, "rank_worst": None, "undecided": None, "kind": "human"}
    without = {"adjusted_mean": None, "adjusted_low": None, "adjusted_high": None, "score": None, "placed": False}
    names = [f"wwwwwwwwwwwwwwwwwww{number}" for number in range(10)]
    ranks = [{"player": name} | (later if place > 4 else {}) for place, name in enumerate(names)]
    return {
        "guess_limit": 10,
        "ranked_from": 100,
        "placed_from": 10,
        "places": list(range(1, len(names) + 1)),
        "rows": [row | each | (without if each["player"] == names[-1] else {}) for each in ranks],
    }


OVERFLOWING = """() => {
  const found = [];
  const walk = (root) => root.querySelectorAll("*").forEach((each) => {
    if (each.shadowRoot) walk(each.shadowRoot);
    if (each.closest(".hidden, .skip")) return;
    const { left, right, width } = each.getBoundingClientRect();
    if (width === 0) return;
    const box = each.closest(".card")?.getBoundingClientRect() ?? { left: 0, right: innerWidth };
    const isCut = !each.closest("svg") && each.clientWidth > 0 && each.scrollWidth > each.clientWidth;
    const isOutside = left < Math.max(box.left, 0) || right > Math.min(box.right, innerWidth);
    if (isCut || isOutside) found.push(`${each.localName} ${each.className} ${each.textContent.trim().slice(0, 40)}`);
  });
  walk(document);
  return found;
}"""
CHARTS_FILL = """columns => {
  const charts = document.querySelector("leaderboard-view").shadowRoot.querySelector("result-charts");
  const cards = [...charts.shadowRoot.querySelectorAll("figure")];
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const main = document.querySelector("main").clientWidth - 2 * rem;
  const share = (main - (columns - 1) * 1.25 * rem) / columns;
  return cards.length === 2 && cards.every((card) => {
    const svg = card.querySelector("svg");
    const inside = card.clientWidth - 2.4 * rem;
    const { width } = svg.getBoundingClientRect();
    const drawn = Number(svg.getAttribute("width")); // for this width, not scaled to it
    return Math.abs(card.offsetWidth - share) < 2 && Math.abs(width - inside) < 2 && Math.abs(drawn - width) < 1;
  });
}"""
GAPS = """chart => {
  const labels = [...chart.querySelectorAll("[aria-label='x-axis tick label'] text")];
  const boxes = labels.map((label) => label.getBoundingClientRect());
  return Math.min(...boxes.slice(1).map((box, index) => box.left - boxes[index].right));
}"""


def test_nothing_overflows_its_box_and_charts_grow_with_window(open_view, server):
    page = open_view("#/nothing")
    own = long_board()["rows"][6]["player"]
    page.evaluate("text => localStorage.setItem('evilpegs.tokens', text)", json.dumps({server.url: {own: ["a" * 64]}}))
    serve(page, "**/classic/leaderboard", long_board())
    follow(page, "#/ladder/classic")
    page.locator("result-charts svg").nth(1).wait_for()
    expect(page.locator(".own")).to_contain_text([own])
    expect(page.locator(".own").get_by_text("you", exact=True)).to_be_visible()
    page.locator(".board .name").first.click()
    page.locator("dl").wait_for()
    heads = page.locator(".board th[scope=col]")
    assert [text.split()[0] for text in heads.all_inner_texts()] == ["Rank", "Player", "Score", "Games"]
    assert [row[2].split()[0] for row in rows(page, ".board table") if len(row) > 1][3:6] == ["4.43", "4.43", "(4.43)"]
    ARTIFACTS.mkdir(exist_ok=True)
    for theme, width, columns in (("light", 360, 1), ("dark", 1280, 2), ("light", 1920, 2)):
        show_theme(page, theme)
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(CHARTS_FILL, arg=columns)
        page.screenshot(path=ARTIFACTS / f"leaderboard-long-{width}-{theme}.png", full_page=True)
        assert page.evaluate(OVERFLOWING) == []
        if width < 1920:
            assert axe_violations(page) == []


@pytest.mark.usefixtures("played")
def test_player_has_versions_matches_and_another_to_be_compared_with(open_view):
    page = open_view("#/player/minimax", viewport={"width": 360, "height": 740})
    expect(page.get_by_role("columnheader", name=SELF_REPORTED).first).to_be_visible()
    results = rows(page, "section:first-of-type table")
    assert {row[0] for row in results} == {"classic", "classic-evil"}
    assert len(rows(page, "match-list table")) == 3
    page.get_by_role("link", name="Lost games").click()
    page.get_by_text("No matches.").wait_for()
    page.go_back()
    page.get_by_role("link", name="Longest games").click()
    page.wait_for_url("**games=longest")
    longest = [max(map(int, row[2].split())) for row in rows(page, "matches-view match-list table")]
    assert longest == sorted(longest, reverse=True)
    follow(page, "#/player/minimax")
    page.locator("select[name=ladder]").select_option("classic")
    page.get_by_role("textbox", name="Other player").fill("First-Consistent")
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url("**/#/player/minimax?ladder=classic&against=First-Consistent")
    pair = page.get_by_role("region", name="Two players")
    expect(pair.locator("tbody th")).to_have_text(["minimax", "first-consistent"])
    compared = document(page, "api/v1/ladders/classic/leaderboard?between=minimax,first-consistent")
    assert (compared["difference"], len(compared["lines"])) == (None, 1)  # one of them has 10 games
    expect(page.locator("section li")).to_have_text(compared["lines"])
    page.locator("result-charts svg").nth(1).wait_for()
    chart = page.locator("result-charts svg").first
    expect(chart).to_contain_text("minimax")
    assert chart.evaluate(GAPS) > 0  # the numbers below are apart on a phone
    versions = [
        ROW | {"client": f"some {each}", "version": each, "mean": 7 + each / 9, "score": 7 + each / 9}
        for each in (2, 1)
    ]
    listed = [{"ladder": "super-evil", "row": each} for each in versions]
    listed.append({"ladder": "classic", "row": ROW})
    serve(page, "**/players/somebody", {"name": "somebody", "kind": "bot", "created_at": 1, "results": listed})
    follow(page, "#/player/somebody")
    charts = page.get_by_role("region", name="Versions on super-evil").locator("svg[role=img]")
    expect(charts).to_have_count(2)
    expect(charts.first).to_contain_text("some 1some 2")
    expect(page.locator("result-charts")).to_have_count(1)


@pytest.mark.usefixtures("played")
def test_players_that_do_not_exist_or_cannot_be_compared_get_one_line(watch):
    page = watch().open("#/player/nobody-here")
    expect(page.get_by_role("alert")).to_have_text("This server has no such player.")
    for second in ("minimax", "nobody-here"):
        follow(page, f"#/player/minimax?ladder=classic&against={second}")
        expect(page.get_by_role("alert")).to_contain_text(second)


@pytest.mark.usefixtures("analyzed")
def test_filters_are_part_of_address_and_results_are_links_to_their_games(open_view):
    page = open_view("#/matches")
    expect(page.get_by_role("columnheader", name=SELF_REPORTED).first).to_be_visible()
    page.get_by_label("Codemaker").select_option("evil")
    page.wait_for_url("**/#/matches?codemaker=evil")
    page.get_by_role("link", name="All matches").wait_for()
    assert all("evil" in row[3] for row in rows(page, "match-list table"))
    page.get_by_label("Player").fill("first-consistent")
    page.get_by_label("Player").press("Enter")
    page.get_by_text("No matches.").wait_for()
    page.get_by_role("link", name="All matches").click()
    page.locator("match-list table").wait_for()
    follow(page, "#/matches?ladder=classic-practice")
    page.get_by_role("link", name="All matches").wait_for()
    newest = rows(page, "match-list table")
    assert len(newest) == 25
    first = page.locator("match-list a").first.get_attribute("href")
    page.get_by_role("link", name="Older").click()
    page.wait_for_url("**cursor=**")
    page.get_by_role("link", name="Newest").wait_for()
    page.locator("match-list table").wait_for()
    expect(page.locator("match-list a").first).not_to_have_attribute("href", first)
    assert len(rows(page, "match-list table")) >= 2
    follow(page, "#/matches?player=minimax&ladder=classic-evil")
    shown = document(page, "api/v1/matches?player=minimax&ladder=classic-evil")["matches"][0]
    links = page.locator("match-list a.game")
    expect(links).to_have_text([str(count) for count in shown["guesses"]])
    page.get_by_role("link", name=f"Game 2: {shown['guesses'][1]} guesses").click()
    page.get_by_role("heading", name="Game 2").wait_for()


def test_lost_game_is_a_link_by_its_mark(watch, server):
    with open_match(server, "classic-evil", "loser") as match:
        match.resign()
    page = watch().open("#/matches")
    page.get_by_label("Games").select_option("lost")
    expect(page.get_by_role("alert")).to_contain_text("name the player")
    page.get_by_label("Player").fill("loser")
    page.get_by_label("Player").press("Enter")
    page.wait_for_url("**player=loser&games=lost")
    link = page.get_by_role("link", name="Game 1: given up")
    expect(link).to_have_text("✗")
    link.click()
    page.get_by_role("heading", name="Game 1: given up").wait_for()


def test_live_match_is_marked_and_followed(open_view, server):
    with open_match(server) as live:
        page = open_view("#/matches?ladder=classic-evil-practice")
        page.get_by_role("link", name=f"Follow {live.match}").click()
        page.locator("match-replay").wait_for()
        live.guess("1122")
        page.get_by_role("button", name="Guess 1").wait_for()
        expect(page.locator("match-replay .jump[aria-current]")).to_have_text("1")
        live.resign()
        page.get_by_role("heading", name="Game 1: given up").wait_for()
