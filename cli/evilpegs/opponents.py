"""Codemakers to play against without a server."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Final, Literal

from evilpegs.errors import CommandError
from evilpegs.solved_file import read_solved, save_solved
from evilpegs_game.codemaker import Codemaker, Devil, Evil, Fixed
from evilpegs_game.codes import code_at, parse_code
from evilpegs_game.rules import Rules
from evilpegs_game.worst_case import WorstCase, affordable

Kind = Literal["evil", "devil", "fixed"]

_ARTICLE: Final = {"evil": "an evil", "devil": "a devil", "fixed": "a fixed"}


@contextmanager
def opponent(
    kind: Kind, rules: Rules, secret: str | None, seed: int | None, exact_up_to: int | None, solved: Path | None
) -> Iterator[Codemaker]:
    """The codemaker that the options of `evilpegs duel` ask for; raises CommandError where they do not fit together."""
    if kind != "fixed" and secret is not None:
        message = f"{_ARTICLE[kind]} codemaker has no secret; leave --secret out, or say --codemaker fixed"
        raise CommandError(message)
    if kind != "devil" and (exact_up_to is not None or solved is not None):
        option = "--solved" if exact_up_to is None else "--exact-up-to"
        message = f"{_ARTICLE[kind]} codemaker solves nothing; leave {option} out, or say --codemaker devil"
        raise CommandError(message)
    with ExitStack() as stack:
        if kind == "devil":
            yield stack.enter_context(_devil(rules, exact_up_to, solved))
        else:
            yield Evil() if kind == "evil" else _fixed(rules, secret, seed)


@contextmanager
def _devil(rules: Rules, exact_up_to: int | None, file: Path | None) -> Iterator[Devil]:
    """A devil, and at the end what it has solved in its file."""
    if exact_up_to is not None and exact_up_to < 0:
        message = f"--exact-up-to must be at least 0, not {exact_up_to}"
        raise CommandError(message)
    worst_case = WorstCase(rules, None if file is None else read_solved(file))
    try:
        yield Devil(worst_case, affordable(rules) if exact_up_to is None else exact_up_to)
    finally:
        if file is not None:
            save_solved(file, worst_case.solved)


def _fixed(rules: Rules, secret: str | None, seed: int | None) -> Fixed:
    if secret is not None:
        return Fixed(parse_code(secret, rules))
    if seed is None:
        message = "a fixed codemaker needs a secret; say --secret CODE, or --seed N to draw one"
        raise CommandError(message)
    return Fixed(code_at(Random(seed).randrange(rules.size), rules))  # noqa: S311 - a game against oneself
