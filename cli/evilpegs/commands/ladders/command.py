"""The command `evilpegs ladders` and its table of the built-in ladders or those of a server."""

import asyncio
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Annotated, Final

from cyclopts import Parameter

from evilpegs.commands.ladders.calibration import CalibrationRequest, calibrate
from evilpegs.errors import CommandError
from evilpegs.ladder_errors import unknown_ladder
from evilpegs.options import FILE, SERVER, WHOLE, Json
from evilpegs.output import console, print_json
from evilpegs.tables import Column, print_table
from evilpegs_clients.connection.login import Credentials
from evilpegs_clients.connection.retry import RetryPolicy
from evilpegs_clients.connection.session import PlayerSession
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_protocol.client_messages import ClientInfo
from evilpegs_protocol.server_messages import LadderInfo, Welcome


def ladders(
    *,
    server: Annotated[
        str | None,
        SERVER,
        Parameter(help="Ask the server at ws://HOST:PORT/v1; by default the built-in ladders are listed."),
    ] = None,
    calibrate_ladder: Annotated[
        str | None,
        Parameter(
            name="--calibrate",
            help="Write the value curve of this ladder, which takes luck out of the scores of its games.",
        ),
    ] = None,
    games: Annotated[
        int | None,
        WHOLE,
        Parameter(help="Calibrate with this many random games, on rules too large for every secret; by default 500."),
    ] = None,
    seed: Annotated[int | None, WHOLE, Parameter(help="Random seed of these games; by default 0.")] = None,
    folder: Annotated[
        Path | None, FILE, Parameter(help="Write the curve to this folder; by default to that of the program.")
    ] = None,
    force: Annotated[bool, Parameter(show_default=False, help="Replace a curve that exists.")] = False,
    as_json: Json = False,
) -> None:
    """List the ladders: rules, codemaker, clock, guess limit and games per match.

    A match on a rated ladder counts on its leaderboard. Practice ladders are untimed, give hints, and show how many
    codes each reply leaves. A server offers the ladders whose replies fit its settings for memory and work; --server
    lists them.

    With --calibrate, a good strategy plays on a ladder with a fixed codemaker, and a file is written: for each number
    of candidates, the mean number of guesses that the strategy still needed. Luck on the ladder is defined by this
    curve, so the file must never change afterwards.
    """
    request = CalibrationRequest(games, seed, folder, force)
    if calibrate_ladder is not None:
        _calibrate(calibrate_ladder, server, request, as_json)
        return
    if not request.is_empty:
        raise CommandError("--games, --seed, --folder and --force are for --calibrate; name the ladder after it")
    infos = _default_ladders() if server is None else asyncio.run(fetch_welcome(server)).ladders
    if as_json:
        print_json({"ladders": [info.model_dump(mode="json") for info in infos]})
    else:
        print_table(console(), infos, COLUMNS)
        if server is None:
            _print_expensive_ladders()


def _calibrate(ladder: str, server: str | None, request: CalibrationRequest, as_json: bool) -> None:
    if server is not None:
        raise CommandError("--calibrate is for built-in ladders; leave --server out")
    infos = {info.id: info for info in _default_ladders()}
    if ladder not in infos:
        raise unknown_ladder(ladder, infos)
    document = calibrate(infos[ladder], request, console(sys.stderr))
    if as_json:
        print_json(document)
    else:
        console().print(
            f"{ladder}: {document['expected']:.4f} guesses expected by {document['calibration']}; "
            f"{document['knots']} knots, hash {document['hash']}, written to {document['file']}",
            soft_wrap=True,
        )


def _print_expensive_ladders() -> None:
    from evilpegs_server.codemaking.capacity import ReplyCapacity  # noqa: PLC0415 - as in `_default_ladders`
    from evilpegs_server.match.ladders import load_ladders  # noqa: PLC0415

    capacity = ReplyCapacity()
    expensive = [ladder.id for ladder in load_ladders().values() if capacity.unavailable_reason(ladder) is not None]
    if expensive:
        text = f"with its default settings a server does not offer: {', '.join(expensive)}; see yours with --server"
        console().print(text, soft_wrap=True)


def _default_ladders() -> Sequence[LadderInfo]:
    from evilpegs_server.match.ladders import load_ladders  # noqa: PLC0415 - with --server no server is needed here

    return [ladder.info() for ladder in load_ladders().values()]


async def fetch_welcome(server: str) -> Welcome:
    """Log in to a server as a guest, and return its `welcome` message."""
    credentials = Credentials(ClientInfo(name="evilpegs ladders", version=version("evilpegs")))
    retry_policy = RetryPolicy(Random())  # noqa: S311 - jitter
    session = PlayerSession(server, credentials, TokenFile(default_token_file()), retry_policy, lambda _: None)
    try:
        return await session.open()
    finally:
        await session.close()


def _codemaker(info: LadderInfo) -> str:
    return info.codemaker + (" (ties by seed)" if info.tie == "largest/seeded" else "")


def _clock(info: LadderInfo) -> str:
    if info.clock is None:
        return "untimed"
    return f"{info.clock.base_ms / 1000:g} s + {info.clock.increment_ms / 1000:g} s per guess"


def _short_clock(info: LadderInfo) -> str:
    return "untimed" if info.clock is None else f"{info.clock.base_ms / 1000:g} + {info.clock.increment_ms / 1000:g} s"


# left out from the last to the second on a narrow terminal; ids are shown in full, so that they can be typed
COLUMNS: Final[Sequence[Column[LadderInfo]]] = (
    Column("ladder", lambda info: info.id),
    Column("rules", lambda info: info.rules, narrow={6: None}),
    Column("codemaker", _codemaker, narrow={1: lambda info: info.codemaker, 5: None}),
    Column("clock", _clock, narrow={1: _short_clock, 4: None}),
    Column("guesses", lambda info: str(info.guess_limit), "right", narrow={3: None}),
    Column("games", lambda info: str(info.games), "right", narrow={2: None}),
    Column("counts", lambda info: "rated" if info.rated else "practice", narrow={1: None}),
)
