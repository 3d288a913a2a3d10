"""`evilpegs play`: a person plays at the terminal."""

import sys
from collections.abc import Coroutine
from datetime import date
from typing import Annotated, Any, Final

from cyclopts import Parameter

from evilpegs.errors import CommandError
from evilpegs.options import (
    DEFAULT_SERVER,
    LADDER,
    NAME,
    GivenToken,
    RoundToPlay,
    Server,
    TokenFrom,
    check_player,
    given_token,
    is_typed,
)
from evilpegs.output import console
from evilpegs.signals import ended_in_order, run_interruptibly
from evilpegs_clients.challenge import parse_challenge
from evilpegs_clients.daily import DateError, parse_date
from evilpegs_clients.play.app import run_terminal
from evilpegs_clients.play.local_game import run_challenge, run_daily
from evilpegs_clients.play.match_dialog import COMMANDS
from evilpegs_clients.terminal.screen import open_prompt

DEFAULT_LADDER: Final = "classic-practice"


def play(
    *,
    ladder: Annotated[str, LADDER] = DEFAULT_LADDER,
    round_id: RoundToPlay = None,
    server: Server = DEFAULT_SERVER,
    name: Annotated[str | None, NAME] = None,
    token: GivenToken = None,
    token_from: TokenFrom = None,
    daily: bool = False,
    day: Annotated[str | None, Parameter(name="--date")] = None,
    challenge: str | None = None,
) -> None:
    """Play a match yourself.

    Type a code such as 1122, or help for the other commands. Practice ladders have no clock, give hints, and show how
    many codes each reply leaves; try --ladder classic-evil-practice. Leaving does not resign, and prints how
    to come back.

    Args:
        ladder: The id of the ladder to play on; see: evilpegs ladders. Rated ladders need --name.
        name: Your name, claimed when it is new; by default you are a guest.
        daily: Play the game of the day, the same for everyone, without a server. Rules and codemaker differ by weekday.
        day: The date of the game of the day, YYYY-MM-DD; by default today, and none later.
        challenge: A link of the page, in quotes: play its game without a server. The result is printed.
    """
    if sys.stdin is None:
        raise CommandError("there is nowhere to read guesses from; run it in a terminal, or leave standard input open")
    if daily or challenge is not None:
        of_servers = {
            "--ladder": is_typed(round_id or ladder, "EVILPEGS_LADDER", DEFAULT_LADDER),
            "--server": is_typed(server, "EVILPEGS_SERVER", DEFAULT_SERVER),
            "--name": is_typed(name, "EVILPEGS_NAME"),
            "--token": token is not None,
            "--token-from": token_from is not None,
        }
        for option in (option for option, is_given in of_servers.items() if is_given):
            what = "--daily" if daily else "--challenge"
            raise CommandError(f"{what} is played without a server; leave out {option}")
        _run(_without_server(daily, day, challenge))
        return
    if day is not None:
        raise CommandError("--date is for the game of the day; add --daily")
    if round_id is not None and is_typed(ladder, "EVILPEGS_LADDER", DEFAULT_LADDER):
        raise CommandError("--round has terms of its own; leave out --ladder")
    if token_from is not None and name is None:
        raise CommandError("--token-from is for a player with a name; add --name")
    token = given_token(token, name)
    check_player(name, token)
    ladder, prompt = round_id or ladder, open_prompt(console(), COMMANDS)
    _run(run_terminal(server=server, ladder=ladder, name=name, token=token, token_from=token_from, prompt=prompt))


def _without_server(daily: bool, day: str | None, challenge: str | None) -> Coroutine[Any, Any, None]:
    if challenge is not None:
        if daily or day is not None:
            raise CommandError("--challenge is a game of its own; leave out --daily and --date")
        return run_challenge(parse_challenge(challenge), challenge, prompt=open_prompt(console(), COMMANDS))
    today = date.today()
    day_of_game = today if day is None else parse_date(day)
    if day_of_game > today:
        raise DateError(f"the game of {day_of_game} begins on that day; today is {today}")
    return run_daily(day_of_game, prompt=open_prompt(console(), COMMANDS))


def _run(playing: Coroutine[Any, Any, None]) -> None:
    # a signal lets the coroutine clean up, which restores the terminal
    with ended_in_order():
        run_interruptibly(playing)
