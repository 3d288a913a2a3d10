"""The game of the day: the same for everyone on a date. `tests/page` compares it with the page's."""

import hashlib
from datetime import date, timedelta

import pytest

from evilpegs_clients.daily import (
    WEEKDAYS_BEGIN,
    DateError,
    after_reply,
    daily_codemaker,
    daily_position,
    daily_terms,
    first_guess,
    is_solved,
    parse_date,
    seeded_evil,
    share_text,
)
from evilpegs_game.codemakers.codemaker import Evil, Fixed
from evilpegs_game.codes import check_code, format_code, parse_code
from evilpegs_game.live.position import Position

DAY = date(2026, 11, 22)


def test_date_draws_same_guess_every_time():
    assert first_guess(DAY) == first_guess(parse_date("2026-11-22")) == (0, 0, 4, 4)
    assert first_guess(date(2026, 11, 23)) != first_guess(DAY)


def test_dates_draw_many_codes_of_several_colors():
    guesses = [first_guess(DAY + timedelta(days=day)) for day in range(400)]
    for day, guess in enumerate(guesses):
        check_code(guess, daily_terms(DAY + timedelta(days=day)).rules)
        assert len(set(guess)) > 1
    assert len(set(guesses)) > 300


def test_reply_to_date_is_that_of_evil():
    position = daily_position(DAY)
    (turn,) = position.history
    assert turn.feedback == Evil().reply(Position(daily_terms(DAY).rules), turn.guess)
    assert position.count == 256


def test_games_of_old_dates_stay_the_same():
    """The digest was made before weekdays had games of their own."""
    days = [date(2026, 1, 1) + timedelta(days=number) for number in range(340)]
    assert days[-1] + timedelta(days=1) == WEEKDAYS_BEGIN
    assert {daily_terms(day) for day in days} == {daily_terms(date(1999, 12, 31))}
    text = "\n".join(f"{day} {as_text(daily_position(day))}" for day in days)
    assert hashlib.sha256(text.encode()).hexdigest() == (
        "b4f1190af6b342e7d1a63fa0e8f302b49d3da69afdc5ef9bd6e464440ba97963"
    )


def as_text(position):
    return " ".join(
        f"{format_code(turn.guess)} {turn.feedback.black}{turn.feedback.white}" for turn in position.history
    )


def test_weekdays_differ_in_rules_and_codemaker():
    days = [WEEKDAYS_BEGIN + timedelta(days=number) for number in range(14)]
    terms = [daily_terms(day) for day in days]
    assert {(str(each.rules), each.codemaker) for each in terms} == {
        (rules, codemaker) for rules in ("4x6", "4x10-distinct", "5x8") for codemaker in ("evil", "fixed")
    }
    assert [each._replace(seed=None) for each in terms[:7]] == [each._replace(seed=None) for each in terms[7:]]
    assert [each.seed for each in terms] == [f"daily-{day}" for day in days]


def test_fixed_day_has_secret_of_its_own_and_no_guess():
    days = [WEEKDAYS_BEGIN + timedelta(days=number) for number in range(70)]
    makers = [daily_codemaker(daily_terms(day)) for day in days]
    fixed = [(day, maker) for day, maker in zip(days, makers, strict=True) if isinstance(maker, Fixed)]
    assert len(fixed) == 30
    assert len({maker.secret for _, maker in fixed}) > 25
    assert {daily_position(day).history for day, _ in fixed} == {()}


def test_seed_decides_ties_of_evil():
    position = Position(daily_terms(DAY).rules)
    guess = parse_code("1122", position.rules)
    replies = {tuple(seeded_evil(f"seed-{number}").reply(position, guess)) for number in range(60)}
    assert replies == {(0, 0), (0, 1), (1, 0)}  # they leave 256 codes each


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
        position = after_reply(position, position.first_candidate, Evil())
    heading, *rows = share_text(DAY, position.history).splitlines()
    assert heading == f"evilpegs daily 2026-11-22 4x6 evil {len(position.history)}/10"
    assert rows[0] == "····"
    assert rows[-1] == "⚫⚫⚫⚫"
    assert [len(row) for row in rows] == [4] * len(position.history)
    assert share_text(DAY, position.history, letters=True).splitlines()[-1] == "BBBB"
    assert share_text(DAY, position.history[:-1]).splitlines()[0].endswith(" X/10")
