"""The codemaker of `evilpegs duel`, made from the options, and the file of positions that a devil has solved."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from evilpegs.errors import CommandError
from evilpegs.files import write_obstacle
from evilpegs_clients.strategies.seeding import draw_secret
from evilpegs_game.codemakers.codemaker import Codemaker, Devil, Evil, Fixed
from evilpegs_game.codemakers.solved_positions import TITLE, SolvedPositions
from evilpegs_game.codemakers.worst_case import WorstCase, affordable_codes
from evilpegs_game.codes import parse_code
from evilpegs_game.errors import MalformedError
from evilpegs_game.rules import Rules
from evilpegs_protocol.files import ForeignFileError, read_own_file, replace_file

CodemakerName = Literal["fixed", "evil", "devil"]

_WITH_ARTICLE: Final = {"evil": "an evil", "devil": "a devil", "fixed": "a fixed"}


@contextmanager
def open_codemaker(
    name: CodemakerName,
    rules: Rules,
    secret: str | None,
    seed: int | None,
    exact_up_to: int | None,
    solved_file: Path | None,
) -> Iterator[Codemaker]:
    """Create the codemaker ``name`` for one game on ``rules``.

    A devil searches ahead while at most ``exact_up_to`` codes are possible, by default as many as take about a second.
    Positions that it solved earlier are read from ``solved_file``, and new ones are saved there after the block.
    """
    if name != "fixed" and secret is not None:
        raise CommandError(
            f"{_WITH_ARTICLE[name]} codemaker has no secret; leave --secret out, or say --codemaker fixed"
        )
    if name != "devil" and (exact_up_to is not None or solved_file is not None):
        option = "--solved" if exact_up_to is None else "--exact-up-to"
        raise CommandError(
            f"{_WITH_ARTICLE[name]} codemaker solves nothing; leave {option} out, or say --codemaker devil"
        )
    if name == "devil":
        with _open_devil(rules, exact_up_to, solved_file) as devil:
            yield devil
    else:
        yield Evil() if name == "evil" else _fixed_codemaker(rules, secret, seed)


@contextmanager
def _open_devil(rules: Rules, exact_up_to: int | None, solved_file: Path | None) -> Iterator[Devil]:
    if exact_up_to is not None and exact_up_to < 0:
        raise CommandError(f"--exact-up-to must be at least 0, not {exact_up_to}")
    worst_case = WorstCase(rules, None if solved_file is None else read_solved_positions(solved_file))
    if solved_file is not None and (why := write_obstacle(solved_file)) is not None:
        raise _unusable(solved_file, "write", why)
    try:
        yield Devil(worst_case, affordable_codes(rules) if exact_up_to is None else exact_up_to)
    finally:
        if solved_file is not None:
            write_solved_positions(solved_file, worst_case.solved)


def _fixed_codemaker(rules: Rules, secret: str | None, seed: int | None) -> Fixed:
    if secret is not None:
        return Fixed(parse_code(secret, rules))
    if seed is None:
        raise CommandError("a fixed codemaker needs a secret; say --secret CODE, or --seed N to draw one")
    return Fixed(draw_secret(seed, rules))


def read_solved_positions(path: Path) -> SolvedPositions:
    """Return the solved positions in a file; a damaged or outdated one is reported and ignored."""
    try:
        data = read_own_file(path, TITLE)
        return SolvedPositions() if data is None else SolvedPositions.from_bytes(data)
    except MalformedError as error:
        print(f"evilpegs: {path}: {error}; they will be solved again", file=sys.stderr)  # noqa: T201
        return SolvedPositions()
    except ForeignFileError as error:
        raise CommandError(
            f"{path} holds something else than solved positions; name another file with --solved"
        ) from error
    except OSError as error:
        raise _unusable(path, "read", error.strerror or str(error)) from error


def write_solved_positions(path: Path, solved: SolvedPositions) -> None:
    """Write solved positions to a file in one step, if some of them are new."""
    if not solved.changed:
        return
    try:
        replace_file(path, solved.to_bytes())
        solved.changed = False
    except OSError as error:
        raise _unusable(path, "write", error.strerror or str(error)) from error


def _unusable(path: Path, action: str, why: str) -> CommandError:
    return CommandError(f"cannot {action} solved positions at {path}: {why}; name another file")
