"""`evilpegs duel`: a strategy against one codemaker, turn by turn.

A file of solved positions that the user names.

Codemakers to play against without a server.
"""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final, Literal

from cyclopts import Parameter

from evilpegs.errors import CommandError
from evilpegs.options import FILE, WHOLE, CandidatesOnly, First, Json, RulesText, StrategyName
from evilpegs.output import console, only_document, pluralize, print_json
from evilpegs.tables import TurnTableRow, turn_table
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import seeded_choice, with_strategy_name
from evilpegs_game.codemakers.codemaker import Codemaker, Devil, Evil, Fixed, Method
from evilpegs_game.codemakers.solved_positions import TITLE, SolvedPositions
from evilpegs_game.codemakers.worst_case import WorstCase, affordable_codes
from evilpegs_game.codes import code_at, format_code, parse_code
from evilpegs_game.errors import MalformedError
from evilpegs_game.evaluation.exact import DuelTurn
from evilpegs_game.evaluation.exact import duel as duelled
from evilpegs_game.rules import Rules
from evilpegs_protocol.files import ForeignFileError, read_own_file, replace_file


def read_solved_positions(path: Path) -> SolvedPositions:
    """What the file holds; nothing if there is none yet. A damaged or outdated one is told of and not believed.

    Raises:
        CommandError: the file cannot be read, or is somebody's file of another kind.
    """
    try:
        data = read_own_file(path, TITLE)
        return SolvedPositions() if data is None else SolvedPositions.from_bytes(data)
    except MalformedError as error:
        print(f"evilpegs: {path}: {error}; they will be solved anew", file=sys.stderr)  # noqa: T201
        return SolvedPositions()
    except ForeignFileError as error:
        message = f"{path} holds something else than solved positions; name another file"
        raise CommandError(message) from error
    except OSError as error:
        raise _unusable(path, "read", error) from error


def write_solved_positions(path: Path, solved: SolvedPositions) -> None:
    """Replace the file in one step, if anything was learnt: a reader finds the old one or the new one, whole.

    Raises:
        CommandError: the file cannot be written.
    """
    if not solved.changed:
        return
    try:
        replace_file(path, solved.to_bytes())
        solved.changed = False
    except OSError as error:
        raise _unusable(path, "write", error) from error


def _unusable(path: Path, what: str, error: OSError) -> CommandError:
    return CommandError(f"cannot {what} solved positions at {path}: {error.strerror or error}; name another file")


Kind = Literal["evil", "devil", "fixed"]

_ARTICLE: Final = {"evil": "an evil", "devil": "a devil", "fixed": "a fixed"}


@contextmanager
def open_codemaker(
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
            yield stack.enter_context(_open_devil(rules, exact_up_to, solved))
        else:
            yield Evil() if kind == "evil" else _fixed_codemaker(rules, secret, seed)


@contextmanager
def _open_devil(rules: Rules, exact_up_to: int | None, file: Path | None) -> Iterator[Devil]:
    """A devil, and at the end what it has solved in its file."""
    if exact_up_to is not None and exact_up_to < 0:
        message = f"--exact-up-to must be at least 0, not {exact_up_to}"
        raise CommandError(message)
    worst_case = WorstCase(rules, None if file is None else read_solved_positions(file))
    try:
        yield Devil(worst_case, affordable_codes(rules) if exact_up_to is None else exact_up_to)
    finally:
        if file is not None:
            write_solved_positions(file, worst_case.solved)


def _fixed_codemaker(rules: Rules, secret: str | None, seed: int | None) -> Fixed:
    if secret is not None:
        return Fixed(parse_code(secret, rules))
    if seed is None:
        message = "a fixed codemaker needs a secret; say --secret CODE, or --seed N to draw one"
        raise CommandError(message)
    return Fixed(code_at(Random(seed).randrange(rules.size), rules))  # noqa: S311 - a game against oneself


def duel(
    strategy: StrategyName,
    /,
    *,
    codemaker: Annotated[
        Literal["evil", "devil", "fixed"],
        Parameter(help="evil and devil never commit to a secret; fixed has one, see --secret."),
    ] = "evil",
    rules: RulesText = "classic",
    first: First = None,
    secret: Annotated[str | None, Parameter(help="The secret of a fixed codemaker.")] = None,
    seed: Annotated[
        int | None,
        WHOLE,
        Parameter(help="Draws the secret of a fixed codemaker, and what a strategy leaves to chance."),
    ] = None,
    exact_up_to: Annotated[
        int | None,
        WHOLE,
        Parameter(help="The most candidates that a devil solves; by default what takes a second or so a reply."),
    ] = None,
    solved: Annotated[
        Path | None, FILE, Parameter(help="A file to keep what a devil has solved; saves time and changes no reply.")
    ] = None,
    candidates_only: CandidatesOnly = False,
    as_json: Json = False,
) -> None:
    """Play a strategy against one codemaker to the end, without a server, and show every turn.

    The evil codemaker gives the reply that leaves most codes; of several the one with fewest blacks, then
    fewest whites. The devil gives the reply after which an optimal codebreaker needs most guesses at worst; of
    several the one that leaves most codes, and so on like evil. With too many candidates it replies like evil.
    """
    parsed = Rules.parse(rules)
    opening = None if first is None else parse_code(first, parsed)
    playing = open_codemaker(codemaker, parsed, secret, seed, exact_up_to, solved)
    with playing as other, only_document(as_json), with_strategy_name(strategy):
        chosen = load_strategy(strategy, candidates_only)
        turns = duelled(seeded_choice(chosen, seed or 0), other, parsed, opening)
    methods = _methods(parsed, other, turns)
    if as_json:
        print_json(_document(parsed, chosen.name, codemaker, turns, methods))
    else:
        _show(parsed, chosen.name, codemaker, turns, methods)


def _methods(rules: Rules, codemaker: Codemaker, turns: tuple[DuelTurn, ...]) -> list[Method]:
    """How a devil found each reply; nothing of others."""
    if not isinstance(codemaker, Devil):
        return []
    before = [rules.size, *(turn.candidates_left for turn in turns[:-1])]
    return [codemaker.method_for(candidates) for candidates in before]


def _document(
    rules: Rules, strategy: str, codemaker: str, turns: tuple[DuelTurn, ...], methods: list[Method]
) -> dict[str, Any]:
    document: list[dict[str, Any]] = [
        {"code": format_code(guess), "black": given.black, "white": given.white, "candidates": candidates}
        for guess, given, candidates in turns
    ]
    for turn, method in zip(document, methods, strict=False):
        turn["method"] = method
    return {
        "rules": str(rules),
        "strategy": strategy,
        "codemaker": codemaker,
        "guesses": len(turns),
        "turns": document,
    }


def _show(rules: Rules, strategy: str, codemaker: str, turns: tuple[DuelTurn, ...], methods: list[Method]) -> None:
    out = console()
    out.print(f"{strategy} against {codemaker} on {rules}: {pluralize(len(turns), 'guess', 'guesses')}")
    out.print(turn_table(TurnTableRow(format_code(guess), given, left) for guess, given, left in turns))
    if "greedy" in methods:
        out.print(f"exact in {methods.count('exact')} of {len(methods)} turns, greedy before; see --exact-up-to")
