"""Steps of tests in a game of the server: beginning it, guessing by mouse or keyboard, and finding the code."""

from itertools import product

from evilpegs_game.codes import format_code, parse_code
from evilpegs_game.feedback import Feedback
from evilpegs_game.feedback import feedback as feedback_of
from evilpegs_game.rules import Rules

CLASSIC = Rules(4, 6)
OPEN = "code-entry .key:not([disabled])"
"""A selector of an element that is on the page while a guess can be made."""
OVER = "match-result, .ready"
"""A selector of an element that is on the page after the last guess of a game."""
WORDS = "rows => rows.map(row => [...row.querySelectorAll('.hidden')].map(each => each.textContent))"
"""The text that a screen reader reads in the rows of the table, as a function of JavaScript."""


def begin(page):
    """Begin a match in the view of a ladder, and wait until its board is on the page."""
    page.locator("button.large").click()
    page.locator("server-board").wait_for()


def wait_for_turn(page):
    """Wait until a guess can be made."""
    page.locator(OPEN).first.wait_for()


def click_code(page, code):
    """Guess a code by clicking on its colors and on the button."""
    wait_for_turn(page)
    for symbol in code:
        page.get_by_role("group", name="Colors").locator(f".key:has-text('{symbol}')").click()
    page.get_by_role("button", name="Guess", exact=True).click()


def type_code(page, code):
    """Guess a code by typing it."""
    wait_for_turn(page)
    page.keyboard.type(code)
    page.keyboard.press("Enter")


def replies(page):
    """Return the guesses on the board with their feedback, as pairs."""
    rows = page.locator("server-board guess-table tbody tr")
    texts = rows.evaluate_all(WORDS)
    return [(guess.replace(" ", ""), read_feedback(words)) for guess, words in texts]


def read_feedback(words):
    """Return the feedback that the page writes as "1 black, 2 white"."""
    black, white = (int(word.split()[0]) for word in words.split(", "))
    return Feedback(black, white)


def first_consistent(rules, replies):
    """Return the first code in code order that agrees with all replies."""
    played = [(parse_code(guess, rules), given) for guess, given in replies]
    for code in product(range(rules.colors), repeat=rules.pegs):
        if all(feedback_of(guess, code) == given for guess, given in played):
            return format_code(code)
    raise LookupError


def play_to_end(page, guess, rules=CLASSIC):
    """Play the open game to its end; ``guess`` is called to make one guess. On 4x6 this takes at most 9 guesses."""
    wait_for_turn(page)
    while page.locator(OVER).count() == 0:
        played = replies(page)
        guess(page, first_consistent(rules, played))
        page.locator("server-board guess-table tbody tr").nth(len(played)).wait_for()
        page.locator(f"{OPEN}, {OVER}").first.wait_for()
