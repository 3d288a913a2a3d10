"""The editor of bots: trials in a worker, errors, loops, the code that is kept, and matches on the server."""

import re

import httpx
import pytest
from playwright.sync_api import expect

from support.browser import follow, look
from support.patience import PATIENCE

pytestmark = pytest.mark.full
LATE = "function choose({ turns, candidates }) {\n  if (turns.length === 1) {\n    %s\n  }\n  return candidates[0];\n}"
FIRST_LEFT = "function choose({ candidates }) { return candidates[0]; }"
RATED = "Rated: 4×6 against a fixed secret"
EVIL = "Practice: 4×6 against evil"
GAVE_IN = "Evil gave in after"
CHOICE_MS = 5_000
# No problem has the words of the one after it, so that each is seen to come.
MISTAKES = {
    "oops();": ["ReferenceError", "line 3"],
    "null.x;": ["TypeError", "line 3"],
    "return '117';": ["'117'", "3 pegs", "4x6"],
    "return arguments[0].feedback(1);": ["line 3", "Error"],
    "return '1178';": ["'1178'", "color", "4x6"],
    "throw 'mine';": ["mine", "line 3"],
    "return 1122;": ["1122"],
    "return (async () => candidates[0])();": ["promise", "async"],
}
BROKEN = {"let x = 1;\nlet y = );\n": 2, "function choose() {\n\n": 3, "\nx = 1": 2}
LINE = "field => field.value.slice(0, field.selectionStart).split('\\n').length"
NO_STORAGE = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('blocked'); }})"


def code(page):
    return page.locator("#code")


def open_editor(open_view, text=None):
    """Open the editor with a code of one's own, or with the example."""
    page = open_view("#/bots", reduced_motion="reduce")
    code(page).wait_for()
    if text is not None:
        code(page).fill(text)
    return page


def try_evil(page):
    page.get_by_role("button", name="Play against evil").click()


def status(page):
    return page.locator(".editor > [role=status]")


def problem(page):
    """Return what went wrong, once something did."""
    return page.locator(".editor > [role=alert]")


def replies(page):
    return page.locator("bot-editor guess-table tbody tr")


def test_all_secrets_are_tried_and_editor_fits_every_screen(open_view):
    page = open_editor(open_view, FIRST_LEFT)
    page.get_by_role("button", name="Try all 1,296 secrets").click()
    expect(status(page)).to_contain_text("Mean 5.765, worst 9")  # Shapiro's strategy
    expect(page.locator(".histogram tbody tr")).to_have_count(9)
    assert page.locator("progress").evaluate("bar => bar.value") == 1296
    open_match(page)
    look(page, "editor-tried")
    code(page).fill(LATE % "console.log('x'.repeat(400)); oops();")
    try_evil(page)
    problem(page).wait_for()
    look(page, "editor-problem")


def test_mistake_of_bot_is_one_line(open_view):
    page = open_editor(open_view)
    for statement, says in MISTAKES.items():
        code(page).fill(LATE % statement)
        try_evil(page)
        for each in ["Guess 2", "1111", *says]:
            expect(problem(page)).to_contain_text(each)
        expect(replies(page)).to_have_count(1)
    for text, line in BROKEN.items():
        code(page).fill(text)
        try_evil(page)
        expect(problem(page)).to_contain_text(f"line {line}")
        page.get_by_role("button", name=f"Show line {line}").click()
        expect(code(page)).to_be_focused()
        assert code(page).evaluate(LINE) == line


def test_lines_have_numbers_that_scroll_with_them(open_view):
    page = open_editor(open_view, "\n".join(f"// {line}" for line in range(60)))
    numbers = page.locator(".numbers")
    expect(numbers).to_have_text(re.compile(r"^1\s+2\s(.|\s)*\s60\s*$"))
    for place in ("field.scrollHeight", "100"):
        shown = code(page).evaluate(f"field => (field.scrollTop = {place}, field.scrollTop)")
        assert shown > 0
        expect(numbers).to_have_js_property("scrollTop", shown)
    code(page).fill("")
    expect(numbers).to_have_text(re.compile(r"^1\s*$"))


def test_page_has_one_title_and_a_match_one_way_to_start(open_view):
    page = open_editor(open_view, FIRST_LEFT)
    open_match(page, EVIL)
    expect(page.get_by_role("heading", level=1)).to_have_text(["Write a bot"])
    starts = page.locator("bot-match").get_by_role("button", name=re.compile("^(Start|Let)"))
    expect(starts).to_have_text(["Let the bot play"])
    starts.click()
    page.locator("bot-match record-check .good").wait_for()
    expect(starts).to_have_text(["Start another match"])


def test_bot_that_loops_is_stopped_while_page_responds(open_view):
    page = open_view("#/nothing")
    page.clock.install()
    follow(page, "#/bots")
    code(page).fill(LATE % "while (true);")
    try_evil(page)
    expect(replies(page)).to_have_count(1)
    code(page).fill("// typed while it loops")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.clock.fast_forward(CHOICE_MS)
    expect(problem(page)).to_contain_text("Guess 2")
    expect(problem(page)).to_contain_text("5 seconds")
    code(page).fill("while (true);")
    try_evil(page)
    page.get_by_role("button", name="Stop").click()
    expect(problem(page)).to_contain_text("stopped")
    expect(page.get_by_role("button", name="Play against evil")).to_be_enabled()
    log = "for (let i = 0; i < 90; i++) console.log(turns.length, i, { a: 1 });"
    code(page).fill(f"function choose({{ turns, candidates }}) {{ {log} return candidates[0]; }}")
    try_evil(page)
    expect(status(page)).to_contain_text(GAVE_IN)
    expect(page.locator("[role=log]")).to_contain_text("only the first 100 lines")
    lines = page.locator("[role=log]").inner_text().splitlines()
    assert (lines[0], len(lines)) == ('0 0 {"a":1}', 101)


def answer_dialogs(page, answers):
    """Answer the questions of the page by the words of the list, the last one always; return the list of questions."""
    asked = []

    def answer(dialog):
        asked.append(dialog.message)
        getattr(dialog, answers.pop(0) if len(answers) > 1 else answers[0])()

    page.on("dialog", answer)
    return asked


def test_code_is_kept_and_thrown_away_only_after_question(open_view):
    page = open_view("#/nothing")
    page.evaluate("localStorage.setItem('evilpegs.bot', '{\"a\": 1}')")
    follow(page, "#/bots")
    expect(code(page)).to_have_value(re.compile("function choose"))  # in the place of what is no code
    code(page).fill("// mine")
    page.reload()
    expect(code(page)).to_have_value("// mine")
    asked = answer_dialogs(page, ["dismiss", "accept"])
    reset = page.get_by_role("button", name="Reset to the example")
    reset.click()
    assert len(asked) == 1
    expect(code(page)).to_have_value("// mine")
    for name in ("First code left", "Any code left", "Smallest worst case"):  # these replace each other at once
        page.get_by_label("Example").select_option(name)
        reset.click()
        expect(code(page)).to_have_value(re.compile("function choose"))
        try_evil(page)
        expect(status(page)).to_contain_text(GAVE_IN)
    assert len(asked) == 2


def test_editor_works_where_storage_is_blocked(open_view):
    page = open_view("#/nothing")
    page.add_init_script(NO_STORAGE)
    page.reload()
    page.locator("not-found-view h1").wait_for()
    follow(page, "#/bots")
    expect(page.locator("#keys")).to_contain_text("save your code")
    code(page).fill("// mine")
    follow(page, "#/nothing")
    follow(page, "#/bots")
    expect(code(page)).to_have_value("// mine")  # it lasts as long as the page
    page.reload()
    expect(code(page)).not_to_have_value("// mine")
    try_evil(page)
    expect(status(page)).to_contain_text(GAVE_IN)


def test_code_is_saved_as_file_and_opened_from_it(open_view, tmp_path):
    page = open_editor(open_view, "// mine\n")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a file").click()
    assert saved.value.path().read_text() == "// mine\n"
    answer_dialogs(page, ["accept"])
    (tmp_path / "other.js").write_text("// other")
    page.get_by_label("Open a file").set_input_files(tmp_path / "other.js")
    expect(code(page)).to_have_value("// other")
    (tmp_path / "huge.js").write_text("x" * 100_001)
    page.get_by_label("Open a file").set_input_files(tmp_path / "huge.js")
    expect(problem(page)).to_contain_text("huge.js")
    expect(code(page)).to_have_value("// other")
    code(page).fill("")
    page.keyboard.press("Tab")  # which indents until Escape
    expect(code(page)).to_have_value("  ")
    page.keyboard.press("Control+z")
    expect(code(page)).not_to_have_value("  ")
    code(page).fill("")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(code(page)).not_to_be_focused()
    expect(code(page)).to_have_value("")


def open_match(page, game=None):
    """Open the part that plays on the server, and choose a game."""
    page.get_by_text("A match on this server").click()
    page.locator("bot-match player-panel, bot-match server-board").first.wait_for()
    if game is not None:
        choose_game(page, game)


def choose_game(page, game):
    page.locator("bot-match select").select_option(game)
    page.locator("bot-match h2", has_text=game).wait_for()


def let_play(page, words="Let the bot play"):
    page.get_by_role("button", name=words).click()


def test_bot_plays_rated_match_under_name(open_view, server):
    def get(path):
        return httpx.get(f"{server.site_url}api/v1/{path}", timeout=PATIENCE).json()

    page = open_editor(open_view)
    open_match(page)
    options = page.locator("bot-match select option")
    games = options.all_inner_texts()
    assert any("5×8" in each for each in games)
    assert not any("6×10" in each for each in games)  # too many codes
    offered = options.evaluate_all("all => all.map(({ value }) => value)")
    people = [each["id"] for each in get("ladders")["ladders"] if each.get("kind") == "human"]
    assert people
    assert {"classic", "classic-practice"} <= set(offered)
    assert not set(people) & set(offered)
    choose_game(page, RATED)
    page.get_by_label("New name").fill("tabletbot")
    page.keyboard.press("Enter")
    expect(page.locator("bot-match player-panel .who strong")).to_have_text("tabletbot")
    let_play(page)
    page.locator("bot-match record-check .good").wait_for()
    expect(page.locator("bot-match match-result h2")).to_contain_text("of 10 games solved")
    [played] = get("matches?player=tabletbot")["matches"]
    assert played["ladder"] == "classic"
    assert get("players/tabletbot")["kind"] == "bot"
    names = page.evaluate("Object.values(JSON.parse(localStorage.getItem('evilpegs.tokens'))).map(Object.keys)")
    assert "tabletbot" in names[0]


def test_match_goes_on_after_mistake_is_corrected_and_after_reload(open_view):
    page = open_editor(open_view, "let x = );")
    open_match(page, EVIL)  # no first guess solves it
    let_play(page)
    expect(problem(page)).to_contain_text("line 1")
    expect(page.locator("bot-match select")).to_be_enabled()  # code that cannot run starts no match
    code(page).fill(LATE % "oops();")
    let_play(page)
    expect(problem(page)).to_contain_text("Guess 2")
    board = page.locator("bot-match guess-table tbody tr")
    expect(board).to_have_count(1)
    code(page).fill(FIRST_LEFT)
    let_play(page, "Let the bot go on")
    page.locator("bot-match record-check .good").wait_for()
    expect(page.locator("bot-match match-result h2")).to_contain_text("Solved in")
    code(page).fill(LATE % "while (true);")
    page.get_by_role("button", name="Start another match", exact=True).click()
    expect(board).to_have_count(1)
    page.reload()
    open_match(page, EVIL)
    expect(board).to_have_count(1)
    let_play(page, "Let the bot go on")
    page.get_by_role("button", name="Stop the bot").click()
    page.get_by_role("button", name="Give up…").click()
    page.get_by_role("button", name="Give up", exact=True).click()
    expect(page.locator("bot-match match-result h2")).to_have_text("Given up")
    choose_game(page, RATED)
    let_play(page)
    expect(page.locator("bot-match player-panel [role=alert]")).to_contain_text("name")  # a guest has none
