"""Steps of tests in a game that the browser plays by itself: reading the board, guessing, and playing until the end."""

from playwright.sync_api import expect

ROWS = "guess-table tbody tr"
GUESSES = f"{ROWS} .pegs .hidden"
"""A selector of the guesses on the board, as text with a blank between two pegs."""


def expect_guesses(page, *codes):
    """Wait until these guesses are on the board, and no others."""
    expect(page.locator(GUESSES)).to_have_text([" ".join(code) for code in codes])


def expect_draft(page, draft):
    """Wait until the row of the next guess has these pegs; a dot is an empty one."""
    for slot, symbol in enumerate(draft):
        content = "empty" if symbol == "." else symbol
        expect(page.locator(f"[data-slot='{slot}']")).to_have_attribute("aria-label", f"Peg {slot + 1}: {content}")


def type_code(page, code):
    """Guess a code by typing it."""
    page.keyboard.type(f"{code}\n")


def play(page, *codes, guess=type_code):
    """Make these guesses, each when the one before has its row; ``guess`` is called to make one."""
    page.locator("code-entry").wait_for()
    for code in codes:
        before = page.locator(ROWS).count()
        guess(page, code)
        page.locator(ROWS).nth(before).wait_for()


def first_code_left(page):
    """Return the first of the codes left, which the page lists once they are few."""
    page.locator("code-list summary").wait_for()
    return page.locator("code-list li .hidden").first.text_content().replace(" ", "")


def play_to_end(page, guess=type_code):
    """Play a game on 4x6 to its end.

    All that a reply changes on the board is drawn at once, so what is counted after its row has come is the new state.
    """
    for code in ("1344", "3526"):
        if page.locator("code-list summary, .result").count() == 0:
            play(page, code, guess=guess)
    while page.locator(".result").count() == 0:
        play(page, first_code_left(page), guess=guess)
