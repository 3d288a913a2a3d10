"""The editor of bots: trials in a worker, errors, loops, the code that is kept, and matches on the server."""

import re

import httpx
import pytest
from playwright.sync_api import expect

from support.browser import axe_violations, follow
from support.patience import PATIENCE

LATE = "function choose({ turns, candidates }) {\n  if (turns.length === 1) {\n    %s\n  }\n  return candidates[0];\n}"
RATED = "Rated: 4×6 against a fixed secret"
EVIL = "Practice: 4×6 against evil"


def open_editor(open_view, code=None, **options):
    """Open the editor with a code of one's own, or with the example."""
    page = open_view("#/bots", **options)
    page.locator("#code").wait_for()
    if code is not None:
        page.locator("#code").fill(code)
    return page


def try_evil(page):
    page.get_by_role("button", name="Play against evil").click()


def problem(page):
    """Return what went wrong, once something did."""
    return page.locator(".editor > [role=alert]")


def answer_dialogs(page, *, accept):
    """Answer every question of the page alike; return the list that has the questions."""
    asked = []

    def answer(dialog):
        asked.append(dialog.message)
        (dialog.accept if accept else dialog.dismiss)()

    page.on("dialog", answer)
    return asked


def test_example_plays_against_evil_and_all_secrets(open_view):
    page = open_editor(open_view, "function choose(position) { return position.candidates[0]; }")
    try_evil(page)
    expect(page.locator(".editor > [role=status]")).to_contain_text("Evil gave in after")
    expect(page.locator("bot-editor guess-table tbody tr").first).to_contain_text("625")
    page.get_by_role("button", name="Try all 1,296 secrets").click()
    expect(page.locator(".editor > [role=status]")).to_contain_text("Mean 5.765, worst 9")  # Shapiro's strategy
    expect(page.locator(".histogram tbody tr")).to_have_count(9)
    assert page.locator("progress").evaluate("bar => bar.value") == 1296


@pytest.mark.full
@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("oops();", ["ReferenceError", "line 3"]),
        ("null.x;", ["TypeError", "line 3"]),
        ("return feedback(1);", ["line 3", "Error"]),
        ("throw 'mine';", ["mine", "line 3"]),
        ("return '117';", ["'117'", "3 pegs", "4x6"]),
        ("return '1178';", ["'1178'", "color", "4x6"]),
        ("return 1122;", ["1122"]),
    ],
)
def test_mistake_of_bot_is_one_line(open_view, statement, says):
    page = open_editor(open_view, LATE % statement.replace("feedback(1)", "arguments[0].feedback(1)"))
    try_evil(page)
    for each in ["Guess 2", "1111", *says]:
        expect(problem(page)).to_contain_text(each)
    expect(page.locator("bot-editor guess-table tbody tr")).to_have_count(1)


@pytest.mark.full
@pytest.mark.parametrize(
    ("code", "line"), [("let x = 1;\nlet y = );\n", 2), ("function choose() {\n\n", 3), ("\nx = 1", 2)]
)
def test_code_that_cannot_run_says_where(open_view, code, line):
    page = open_editor(open_view, code)
    try_evil(page)
    expect(problem(page)).to_contain_text(f"line {line}")
    page.get_by_role("button", name=f"Show line {line}").click()
    selected = page.locator("#code").evaluate("field => field.value.slice(0, field.selectionStart).split('\\n').length")
    assert selected == line
    expect(page.locator("#code")).to_be_focused()


@pytest.mark.full
def test_bot_that_loops_is_stopped_while_page_responds(open_view):
    code = LATE % "while (true);"
    page = open_editor(open_view, code)
    try_evil(page)
    page.locator("bot-editor guess-table tbody tr").wait_for()
    page.locator("#code").fill(f"{code}\n// typed while it loops")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(problem(page)).to_contain_text("Guess 2")
    expect(problem(page)).to_contain_text("5 seconds")
    page.locator("#code").fill("function choose({ candidates }) { return candidates[0]; }")
    try_evil(page)
    expect(page.locator(".editor > [role=status]")).to_contain_text("Evil gave in after")


@pytest.mark.full
def test_running_bot_can_be_stopped(open_view):
    page = open_editor(open_view, "while (true);")
    try_evil(page)
    page.get_by_role("button", name="Stop").click()
    expect(problem(page)).to_contain_text("stopped")
    expect(page.get_by_role("button", name="Play against evil")).to_be_enabled()


@pytest.mark.full
def test_console_is_shown_and_bounded(open_view):
    code = (
        "function choose({ turns, candidates }) { for (let i = 0; i < 90; i++) console.log(turns.length, i, { a: 1 });"
    )
    page = open_editor(open_view, f"{code} return candidates[0]; }}")
    try_evil(page)
    expect(page.locator("[role=log]")).to_contain_text("only the first 100 lines")
    lines = page.locator("[role=log]").inner_text().splitlines()
    assert (lines[0], len(lines)) == ('0 0 {"a":1}', 101)


@pytest.mark.full
def test_code_is_kept_and_thrown_away_only_after_question(open_view):
    page = open_editor(open_view, "// mine")
    page.reload()
    expect(page.locator("#code")).to_have_value("// mine")
    asked = answer_dialogs(page, accept=False)
    page.get_by_role("button", name="Reset to the example").click()
    assert len(asked) == 1
    expect(page.locator("#code")).to_have_value("// mine")


@pytest.mark.full
def test_examples_replace_each_other_without_question(open_view):
    page = open_editor(open_view, "// mine")
    asked = answer_dialogs(page, accept=True)
    for name in ("First code left", "Any code left", "Smallest worst case"):
        page.get_by_label("Example").select_option(name)
        page.get_by_role("button", name="Reset to the example").click()
        expect(page.locator("#code")).to_have_value(re.compile("function choose"))
        try_evil(page)
        expect(page.locator(".editor > [role=status]")).to_contain_text("Evil gave in after")
    assert len(asked) == 1


@pytest.mark.full
def test_editor_works_where_storage_is_blocked(open_view):
    page = open_view("#/nothing")
    page.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new Error('blocked'); }})")
    page.reload()
    page.locator("not-found-view h1").wait_for()
    follow(page, "#/bots")
    expect(page.locator("#keys")).to_contain_text("save your code")
    page.locator("#code").fill("// mine")
    follow(page, "#/nothing")
    follow(page, "#/bots")
    try_evil(page)
    expect(page.locator(".editor > [role=status]")).to_contain_text("Evil gave in after")


@pytest.mark.full
def test_broken_storage_gives_example(open_view):
    page = open_view("#/nothing")
    page.evaluate("localStorage.setItem('evilpegs.bot', '{\"a\": 1}')")
    follow(page, "#/bots")
    expect(page.locator("#code")).to_have_value(re.compile("function choose"))


@pytest.mark.full
def test_code_is_saved_as_file_and_opened_from_it(open_view, tmp_path):
    page = open_editor(open_view, "// mine\n")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a file").click()
    assert saved.value.path().read_text() == "// mine\n"
    answer_dialogs(page, accept=True)
    (tmp_path / "other.js").write_text("// other")
    page.get_by_label("Open a file").set_input_files(tmp_path / "other.js")
    expect(page.locator("#code")).to_have_value("// other")
    (tmp_path / "huge.js").write_text("x" * 100_001)
    page.get_by_label("Open a file").set_input_files(tmp_path / "huge.js")
    expect(problem(page)).to_contain_text("huge.js")
    expect(page.locator("#code")).to_have_value("// other")


@pytest.mark.full
def test_tab_indents_until_escape(open_view):
    page = open_editor(open_view, "")
    page.locator("#code").focus()
    page.keyboard.press("Tab")
    expect(page.locator("#code")).to_have_value("  ")
    page.keyboard.press("Control+z")
    expect(page.locator("#code")).not_to_have_value("  ")
    page.locator("#code").fill("")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(page.locator("#code")).not_to_be_focused()
    expect(page.locator("#code")).to_have_value("")


def open_match(page, game=None):
    """Open the part that plays on the server, and choose a game."""
    page.get_by_text("A match on this server").click()
    page.locator("bot-match player-panel, bot-match server-board").first.wait_for()
    if game is not None:
        page.locator("bot-match select").select_option(game)
        page.locator("bot-match h1", has_text=game).wait_for()


def let_play(page, words="Let the bot play"):
    page.get_by_role("button", name=words).click()


def test_bot_plays_practice_as_guest(open_view):
    page = open_editor(open_view)
    open_match(page)
    let_play(page)
    page.locator("bot-match record-check .good").wait_for()
    expect(page.locator("bot-match match-result h2")).to_contain_text("Solved in")
    replay = page.get_by_role("link", name="Replay")
    before = replay.get_attribute("href")
    page.get_by_role("button", name="Start another match", exact=True).click()
    expect(replay).not_to_have_attribute("href", before)
    page.locator("bot-match record-check .good").wait_for()
    expect(page.get_by_role("button", name="Let the bot play")).to_be_visible()


@pytest.mark.full
def test_bot_plays_rated_match_under_name(open_view, server):
    page = open_editor(open_view)
    open_match(page, RATED)
    page.get_by_label("New name").fill("tabletbot")
    page.keyboard.press("Enter")
    expect(page.locator("bot-match player-panel .who strong")).to_have_text("tabletbot")
    let_play(page)
    page.locator("bot-match record-check .good").wait_for()
    expect(page.locator("bot-match match-result h2")).to_contain_text("of 10 games solved")
    [played] = httpx.get(f"{server.site_url}api/v1/matches?player=tabletbot", timeout=PATIENCE).json()["matches"]
    assert played["ladder"] == "classic"
    player = httpx.get(f"{server.site_url}api/v1/players/tabletbot", timeout=PATIENCE).json()
    assert player["kind"] == "bot"
    names = page.evaluate("Object.values(JSON.parse(localStorage.getItem('evilpegs.tokens'))).map(Object.keys)")
    assert "tabletbot" in names[0]


@pytest.mark.full
def test_rated_match_of_guest_is_refused_in_words(open_view):
    page = open_editor(open_view)
    open_match(page, RATED)
    let_play(page)
    expect(page.locator("bot-match player-panel [role=alert]")).to_contain_text("name")


@pytest.mark.full
def test_match_goes_on_after_mistake_is_corrected(open_view):
    page = open_editor(open_view, LATE % "oops();")
    open_match(page, EVIL)  # no first guess solves it
    let_play(page)
    expect(problem(page)).to_contain_text("Guess 2")
    expect(page.locator("bot-match guess-table tbody tr")).to_have_count(1)
    page.locator("#code").fill("function choose({ candidates }) { return candidates[0]; }")
    let_play(page, "Let the bot go on")
    page.locator("bot-match record-check .good").wait_for()
    expect(page.locator("bot-match match-result h2")).to_contain_text("Solved in")


@pytest.mark.full
def test_match_is_found_again_after_reload_and_given_up(open_view):
    page = open_editor(open_view, LATE % "while (true);")
    open_match(page, EVIL)
    let_play(page)
    page.locator("bot-match guess-table tbody tr").wait_for()
    page.reload()
    open_match(page, EVIL)
    page.locator("bot-match guess-table tbody tr").wait_for()
    let_play(page, "Let the bot go on")
    page.get_by_role("button", name="Stop the bot").click()
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Give up", exact=True).click()
    expect(page.locator("bot-match match-result h2")).to_have_text("Given up")


@pytest.mark.full
def test_code_that_cannot_run_starts_no_match(open_view):
    page = open_editor(open_view, "let x = );")
    open_match(page)
    let_play(page)
    expect(problem(page)).to_contain_text("line 1")
    expect(page.locator("bot-match select")).to_be_enabled()


@pytest.mark.full
def test_games_with_too_many_codes_are_not_offered(open_view):
    page = open_editor(open_view)
    open_match(page)
    games = page.locator("bot-match select option").all_inner_texts()
    assert any("5×8" in each for each in games)
    assert not any("6×10" in each for each in games)


@pytest.mark.full
def test_ladders_for_people_are_not_offered(open_view, server):
    ladders = httpx.get(f"{server.site_url}api/v1/ladders", timeout=PATIENCE).json()["ladders"]
    people = [each["id"] for each in ladders if each.get("kind") == "human"]
    assert people
    page = open_editor(open_view)
    open_match(page)
    offered = page.locator("bot-match select option").evaluate_all("all => all.map(({ value }) => value)")
    assert {"classic", "classic-practice"} <= set(offered)
    assert not set(people) & set(offered)


@pytest.mark.full
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_editor_fits_and_has_no_violations(open_view, theme, width):
    page = open_editor(open_view, color_scheme=theme, reduced_motion="reduce", viewport={"width": width, "height": 740})
    page.get_by_role("button", name="Try all 1,296 secrets").click()
    expect(page.locator(".editor > [role=status]")).to_contain_text("Mean")
    open_match(page)
    assert axe_violations(page) == []
    page.locator("#code").fill(LATE % "console.log('x'.repeat(400)); oops();")
    try_evil(page)
    problem(page).wait_for()
    assert axe_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
