"""`evilpegs ladders`: the built-in ladders or those of a server, and the calibration of a ladder."""

import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from evilpegs.errors import CommandError
from evilpegs.files import failure_reason
from evilpegs.kit.ladders import local_ladder, local_ladders
from evilpegs.options import FILE, WHOLE, Json, ServerToRead, check_range, server_to_read
from evilpegs.output import Column, console, pluralize, print_json, print_table, progress
from evilpegs.reading import retry_policy
from evilpegs_clients.connection.login import Credentials
from evilpegs_clients.connection.session import PlayerSession
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_clients.strategies.consistent import Sampled
from evilpegs_clients.strategies.heuristics import Entropy
from evilpegs_clients.strategies.strategy import draw_secret, game_seed, seeded_choice
from evilpegs_game.luck.calibration import Remaining, fit_knots, remaining_of_games, remaining_of_secrets
from evilpegs_game.luck.game_luck import CURVES_FOLDER, ValueCurve, curve_path, format_value_curve
from evilpegs_game.rules import Rules
from evilpegs_protocol.client_messages import ClientInfo
from evilpegs_protocol.files import replacement
from evilpegs_protocol.server_messages import LadderInfo

EXACT_SIZE: Final = 50_000  # codes; every secret of 5x8, with 32,768 codes, takes 10 seconds
DEFAULT_GAMES: Final = 500
MAX_GAMES: Final = 1_000_000


def ladders(
    *,
    server: ServerToRead = None,
    database: str | None = None,
    calibrate_ladder: Annotated[str | None, Parameter(name="--calibrate")] = None,
    games: Annotated[int | None, WHOLE] = None,
    seed: Annotated[int | None, WHOLE] = None,
    folder: Annotated[Path | None, FILE] = None,
    force: bool = False,
    as_json: Json = False,
) -> None:
    """List the ladders: rules, codemaker, clock, guess limit and games per match.

    Without --server these are the built-in ladders and those of evilpegs.toml. A rated ladder has a leaderboard.
    Practice ladders give hints, and show how many codes each reply leaves. A server offers the ladders whose replies
    fit its settings for memory and work; --server lists them.

    With --calibrate, a good strategy plays on a ladder with a fixed codemaker, and a file is written: for each number
    of candidates, the mean number of guesses that the strategy still needed. Luck on the ladder is defined by this
    curve, so the file must never change afterwards.

    Args:
        database: List also the operator's ladders that are in the database, sqlite:///FILE.
        calibrate_ladder: Write the value curve of this ladder, which takes luck out of the scores of its games.
        games: Calibrate with this many random games, on rules too large for every secret; by default 500.
        seed: Random seed of these games; by default 0.
        folder: Write the curve to this folder; by default to that of the program.
        force: Replace a curve that exists.
    """
    if calibrate_ladder is not None:
        if server is not None or database is not None:
            raise CommandError("--calibrate is for the ladders of this folder; leave --server and --database out")
        _calibrate(calibrate_ladder, games, seed, folder or CURVES_FOLDER, force, as_json)
        return
    if force or (games, seed, folder) != (None, None, None):
        raise CommandError("--games, --seed, --folder and --force are for --calibrate; name the ladder after it")
    chosen = server_to_read(server, database)
    infos = local_ladders(database) if chosen is None else asyncio.run(_ladders_of_server(chosen))
    if as_json:
        print_json({"ladders": [info.model_dump(mode="json") for info in infos]})
    else:
        print_table(console(), infos, COLUMNS)
        times = [(info.id, what, getattr(info, what)) for info in infos for what in ("opens", "closes")]
        for id_, what, ms in filter(itemgetter(2), times):
            at = datetime.fromtimestamp(ms // 1000, UTC).astimezone().isoformat(" ", "minutes")
            console().print(f"{id_} {what} at {at}", soft_wrap=True)
        if chosen is None:
            _print_expensive_ladders()


def _print_expensive_ladders() -> None:
    from evilpegs_server.match.ladders import load_ladders  # noqa: PLC0415
    from evilpegs_server.replies.capacity import ReplyCapacity  # noqa: PLC0415 - with --server no server is needed here

    capacity = ReplyCapacity()
    expensive = [ladder.id for ladder in load_ladders().values() if capacity.unavailable_reason(ladder) is not None]
    if expensive:
        text = f"with its default settings a server does not offer: {', '.join(expensive)}; see yours with --server"
        console().print(text, soft_wrap=True)


async def _ladders_of_server(server: str) -> Sequence[LadderInfo]:
    credentials = Credentials(ClientInfo(name="evilpegs ladders", version=version("evilpegs")))
    session = PlayerSession(server, credentials, TokenFile(default_token_file()), retry_policy(), lambda _: None)
    try:
        return (await session.open()).ladders
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


def _calibrate(ladder: str, games: int | None, seed: int | None, folder: Path, force: bool, as_json: bool) -> None:
    info = local_ladder(ladder)
    rules = Rules.parse(info.rules)
    path = curve_path(rules, info.guess_limit, folder)
    _check_calibration(info, rules, games, seed, path, force)
    calibration, remaining = _remaining(rules, games or DEFAULT_GAMES, seed or 0)
    curve = ValueCurve(rules, info.guess_limit, fit_knots(remaining, rules), calibration)
    try:
        with replacement(path) as new:
            new.write_text(format_value_curve(curve), encoding="utf-8", newline="\n")
            new.chmod(0o644)  # every user of an installed package reads it
    except OSError as error:
        raise CommandError(f"cannot write {path}: {failure_reason(error)}; name another folder with --folder") from None
    expected, knots = curve.value(rules.size), len(curve.knots)
    if not as_json:
        console().print(
            f"{ladder}: {expected:.4f} guesses expected by {calibration}; {knots} knots, hash {curve.hash}, "
            f"written to {path}",
            soft_wrap=True,
        )
        return
    terms = {"ladder": info.id, "rules": info.rules, "guess_limit": info.guess_limit, "calibration": calibration}
    print_json(terms | {"knots": knots, "expected": expected, "hash": curve.hash, "file": str(path)})


def _check_calibration(
    info: LadderInfo, rules: Rules, games: int | None, seed: int | None, path: Path, force: bool
) -> None:
    if info.codemaker != "fixed":
        why = f"its codemaker is {info.codemaker}; choose one with a fixed codemaker"
        raise CommandError(f"ladder {info.id} has no luck to adjust for: {why}")
    check_range("--games", games, MAX_GAMES)
    if rules.size <= EXACT_SIZE and (games, seed) != (None, None):
        raise CommandError(
            f"--games and --seed are for larger rules; on {rules} every secret is played, so leave them out"
        )
    if path.exists() and not force:
        raise CommandError(
            f"{path} exists, and luck that is stored under its curve would lose its meaning; --force replaces it"
        )
    if not path.parent.is_dir():
        raise CommandError(f"{path.parent} is not a folder; name one that exists after --folder")


def _remaining(rules: Rules, games: int, seed: int) -> tuple[str, Remaining]:
    with progress(console(sys.stderr)) as bar:
        if rules.size <= EXACT_SIZE:
            task = bar.add_task(f"{rules}", total=rules.size)
            choose = seeded_choice(Entropy())
            return "entropy, every secret", remaining_of_secrets(
                choose, rules, lambda finished: bar.update(task, completed=finished)
            )
        seeds = (game_seed(seed, number) for number in bar.track(range(games), description=f"{rules}"))
        played = ((seeded_choice(Sampled(), each), draw_secret(each, rules)) for each in seeds)
        remaining = remaining_of_games(played, rules)
        return f"sampled, {pluralize(games, 'game')}, seed {seed}", remaining
