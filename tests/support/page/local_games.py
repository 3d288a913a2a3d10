"""Steps of tests in a game that the browser plays by itself: reading the board, and playing until the end."""


def codes_left(page):
    """Return the number of codes left, which the panel shows in large type."""
    return int(page.locator(".left strong").inner_text().replace(",", ""))


def guesses(page):
    """Return the guesses on the board, as text."""
    rows = page.locator("guess-table tbody tr .pegs .hidden").all_inner_texts()
    return [row.replace(" ", "") for row in rows]


def said(page):
    """Return the latest text that a screen reader reads aloud."""
    return page.locator("local-board [role=status]").text_content()


def first_code_left(page):
    """Return the first of the codes left, which the page lists once they are few."""
    page.locator("code-list summary").wait_for()
    return page.locator("code-list li .hidden").first.text_content().replace(" ", "")


def play_to_end(page, type_code):
    """Play a game on 4x6 to its end; ``type_code`` types one guess."""
    table = page.locator("guess-table tbody tr")
    for code in ("1344", "3526"):
        if page.locator("code-list summary").count() == 0:
            before = table.count()
            type_code(code)
            table.nth(before).wait_for()
    while page.locator(".result").count() == 0:
        before = table.count()
        type_code(first_code_left(page))
        table.nth(before).wait_for()
