"""The game of the day: the same for everyone on a date. `tests/page` compares it with the page's."""

from datetime import date, timedelta

import pytest

from evilpegs_clients.daily import (
    DAILY_LIMIT,
    DAILY_RULES,
    DateError,
    after_reply,
    daily_position,
    first_guess,
    is_solved,
    parse_date,
    share_text,
)
from evilpegs_game.codemakers.codemaker import Evil
from evilpegs_game.codes import check_code
from evilpegs_game.live.position import Position

DAY = date(2026, 11, 22)


def test_date_draws_same_guess_every_time():
    assert first_guess(DAY) == first_guess(parse_date("2026-11-22")) == (0, 0, 4, 4)
    assert first_guess(date(2026, 11, 23)) != first_guess(DAY)


def test_dates_draw_many_codes_of_several_colors():
    guesses = [first_guess(DAY + timedelta(days=day)) for day in range(400)]
    for guess in guesses:
        check_code(guess, DAILY_RULES)
        assert len(set(guess)) > 1
    assert len(set(guesses)) > 300


def test_reply_to_date_is_that_of_evil():
    position = daily_position(DAY)
    (turn,) = position.history
    assert turn.feedback == Evil().reply(Position(DAILY_RULES), turn.guess)
    assert position.count == 256


@pytest.mark.parametrize(
    "text", ["", "today", "2026-11-31", "20261122", "2026-W47-7", "2026-1-1", "2026-11-22\n", "२०२६-11-22"]
)
def test_text_that_is_no_date_is_refused(text):
    with pytest.raises(DateError) as caught:
        parse_date(text)
    assert repr(text) in str(caught.value)


def test_shared_text_shows_feedback_and_no_code():
    position = daily_position(DAY)
    while not is_solved(position.history):
        position = after_reply(position, position.first_candidate)
    heading, *rows = share_text(DAY, position.history).splitlines()
    assert heading == f"evilpegs daily 2026-11-22 {len(position.history)}/{DAILY_LIMIT}"
    assert rows[0] == "····"
    assert rows[-1] == "⚫⚫⚫⚫"
    assert [len(row) for row in rows] == [4] * len(position.history)
    assert share_text(DAY, position.history, letters=True).splitlines()[-1] == "BBBB"
    assert share_text(DAY, position.history[:-1]).splitlines()[0].endswith(f" X/{DAILY_LIMIT}")
