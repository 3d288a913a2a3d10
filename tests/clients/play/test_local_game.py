import io
import json
from datetime import date, timedelta

import pytest
from rich.console import Console

from evilpegs_clients.challenge import parse_challenge
from evilpegs_clients.daily import (
    WEEKDAYS_BEGIN,
    after_reply,
    daily_codemaker,
    daily_position,
    daily_terms,
    is_solved,
    share_text,
)
from evilpegs_clients.play.local_game import run_challenge, run_daily
from evilpegs_clients.terminal.prompt import Prompt
from evilpegs_game.codes import format_code
from support.person import Typed
from tools.page_records import VECTORS

DAY = date(2026, 11, 22)
SHARED = json.loads((VECTORS / "challenges.json").read_text())


@pytest.fixture
def play_daily(output):
    """Play the game of the day with these lines, and return what was printed."""

    async def play(*lines, day=DAY):
        await run_daily(day, prompt=Prompt(Console(file=output, width=120), Typed(*lines)))
        return output.getvalue()

    return play


def solution(day=DAY):
    """Return guesses that solve the game, and its turns."""
    position, guesses, codemaker = daily_position(day), [], daily_codemaker(daily_terms(day))
    while not is_solved(position.history):
        guesses.append(format_code(position.first_candidate))
        position = after_reply(position, position.first_candidate, codemaker)
    return guesses, position.history


async def test_daily_game_is_solved_and_shared(play_daily):
    guesses, history = solution()
    printed = await play_daily(*guesses)
    assert f"Solved after {len(history)} guesses." in printed
    assert printed.rstrip("\n").endswith(f"{share_text(DAY, history)}\nevilpegs play --daily --date {DAY}")
    assert "Guess 2 of 10" in printed
    assert "Guess 1 of 10" not in printed


async def test_daily_game_ends_after_limit(play_daily):
    printed = await play_daily(*["1155"] * 12)
    assert "Not solved after 10 guesses." in printed
    assert "evilpegs daily 2026-11-22 4x6 evil X/10" in printed
    assert "Guess 11" not in printed


async def test_resigned_daily_game_shows_fitting_code(play_daily):
    printed = await play_daily("resign")
    assert "Resigned after 1 guess." in printed
    assert "2  2  2  2" in printed


async def test_left_daily_game_names_command_to_begin_again(play_daily):
    printed = await play_daily("1233", "quit", "1234")
    assert printed.rstrip("\n").endswith("evilpegs play --daily --date 2026-11-22")
    assert "X/10" not in printed


async def test_wrong_lines_cost_no_guess(play_daily):
    printed = await play_daily("12", "1289", "what", "hint", "parts", "help", "", "resign match")
    assert printed.count("Guess 2 of 10") == 8
    assert "Resigned after 1 guess." in printed


async def test_shared_text_has_letters_on_ascii_terminal():
    buffer = io.BytesIO()
    file = io.TextIOWrapper(buffer, encoding="ascii")
    await run_daily(DAY, prompt=Prompt(Console(file=file, width=120), Typed("1233", "resign")))
    file.flush()
    assert (
        buffer.getvalue()
        .decode()
        .rstrip("\n")
        .endswith("evilpegs daily 2026-11-22 4x6 evil X/10\n....\nW...\nevilpegs play --daily --date 2026-11-22")
    )


@pytest.mark.parametrize("number", range(7))
async def test_game_of_every_weekday_is_played(play_daily, number):
    day = WEEKDAYS_BEGIN + timedelta(days=number)
    terms = daily_terms(day)
    guesses, history = solution(day)
    printed = await play_daily(*guesses, day=day)
    assert printed.rstrip("\n").endswith(f"{share_text(day, history)}\nevilpegs play --daily --date {day}")
    assert f"{terms.codemaker} {len(history)}/{terms.limit}" in printed
    assert ("Guess 1 of" in printed) == (terms.codemaker == "fixed")


async def test_resigned_fixed_day_shows_secret(play_daily):
    day = WEEKDAYS_BEGIN + timedelta(days=1)
    printed = await play_daily("parts", "", "resign", day=day)
    secret = format_code(daily_codemaker(daily_terms(day)).secret)
    assert f"The secret was  {'  '.join(secret)}" in printed
    assert printed.count("Guess 1 of 12") == 3
    assert "Resigned after 0 guesses." in printed


@pytest.fixture
def play_challenge(output):
    """Play the game of a link with these lines, and return what was printed."""

    async def play(link, *lines):
        prompt = Prompt(Console(file=output, width=120), Typed(*lines))
        await run_challenge(parse_challenge(link), link, prompt=prompt)
        return output.getvalue()

    return play


@pytest.mark.parametrize(("link", "guesses", "text", "_"), SHARED["results"])
async def test_own_code_is_played_and_its_result_is_that_of_page(play_challenge, link, guesses, text, _):
    printed = await play_challenge(link, *guesses, "resign")
    assert f"\n\n{text}\nSend this to whoever set the code" in printed


async def test_own_code_ends_after_the_limit_of_its_link(play_challenge):
    link = next(link for link, *_, limit, _, _ in SHARED["links"] if limit == 1)
    printed = await play_challenge(link, "1", "2")
    assert "Not solved after 1 guess." in printed
    assert "evilpegs 1x34 fixed X/1\n1 ·\nchallenge " in printed


async def test_game_with_seed_ends_with_its_link(play_challenge):
    link = "http://192.0.2.10:8000/#/play/4x6-fixed?seed=friend&v=1"
    printed = await play_challenge(link, "hint", "1122", "5316")  # the secret, as the page derives it
    assert printed.endswith(f"evilpegs 4x6 fixed 2/10\n⚪···\n⚫⚫⚫⚫\n{link}\n")


async def test_left_challenge_names_command_with_quotes(play_challenge):
    link = "#/play/4x6-evil?seed=friend&v=1"
    printed = await play_challenge(link, "1122", "quit")
    assert printed.rstrip("\n").endswith(f"evilpegs play --challenge '{link}'")
