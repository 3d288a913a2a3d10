"""`evilpegs duel`: one game of a strategy against one codemaker, without a server."""

import sys
from collections.abc import Iterable
from contextlib import ExitStack
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from time import time
from typing import Annotated, Final

from evilpegs.api.duels import CodemakerName, Duel, finish_duel, make_codemaker, open_position
from evilpegs.errors import CommandError
from evilpegs.files import RECORD, check_writable, write_obstacle, write_text
from evilpegs.options import (
    FILE,
    WHOLE,
    After,
    CandidatesOnly,
    First,
    Json,
    OptionalStrategyName,
    RulesText,
    Traceback,
    require_after,
)
from evilpegs.output import TurnPrinter, TurnTableRow, console, only_document, pluralize, print_json
from evilpegs.strategy_choice import ProgramCommand, StrategyChoice, traceback_of_strategy
from evilpegs_clients.strategies.strategy import seeded_choice, with_strategy_name
from evilpegs_clients.unsigned_record import UnsignedGame, nonce_of, record_lines
from evilpegs_game.codemakers.codemaker import Codemaker
from evilpegs_game.codemakers.devil import Devil
from evilpegs_game.codemakers.solved_positions import TITLE, SolvedPositions
from evilpegs_game.codes import format_code, parse_code
from evilpegs_game.errors import MalformedError
from evilpegs_game.evaluation.exact import DuelTurn, play_turns
from evilpegs_game.feedback import Turn
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_protocol.files import ForeignFileError, read_own_file, replace_file

# of a fixed codemaker's rules: a nonce is searched from which the secret follows, in about 3 us per code
MAX_RECORDED_CODES: Final = 100_000
GUESS_LIMIT: Final = 10


def duel(
    strategy: OptionalStrategyName = None,
    /,
    *,
    program: ProgramCommand = None,
    codemaker: CodemakerName | None = None,
    rules: RulesText = "classic",
    first: First = None,
    secret: str | None = None,
    after: After = None,
    seed: Annotated[int | None, WHOLE] = None,
    budget: Annotated[int | None, WHOLE] = None,
    exact_up_to: Annotated[int | None, WHOLE] = None,
    solved: Annotated[Path | None, FILE] = None,
    record: Annotated[str | None, FILE] = None,
    candidates_only: CandidatesOnly = False,
    traceback: Traceback = False,
    as_json: Json = False,
) -> None:
    """Play a strategy against one codemaker to the end, without a server, and show every turn as it comes.

    The evil codemaker gives the reply that leaves the most codes; among equals, the one with the fewest blacks, then
    the fewest whites. The devil gives the reply after which an optimal codebreaker needs the most guesses in the worst
    case; among equals, and with too many candidates to solve, it decides like evil.

    Args:
        codemaker: evil and devil never commit to a secret; fixed has one, see --secret. By default evil, and fixed with
            --secret.
        secret: The secret of a fixed codemaker.
        seed: Seed of the game: draws the secret of a fixed codemaker, and a strategy's random choices.
        budget: The most feedback evaluations per choice, for strategies that heed it; by default no limit.
        exact_up_to: The most candidates that a devil solves; by default as many as take about a second per reply.
        solved: A file to keep what a devil has solved; saves time and changes no reply.
        record: Write the game into this file, for evilpegs verify and the page to replay.
    """
    parsed = Rules.parse(rules)
    name = codemaker or ("evil" if secret is None else "fixed")
    opening = None if first is None else parse_code(first, parsed)
    if record is not None:
        _check_record(record, parsed, name, after)
    start = open_position(parsed, require_after(after), secret, budget)
    known = None if solved is None else read_solved_positions(solved)
    opponent = make_codemaker(name, parsed, secret, seed, exact_up_to, known)
    if solved is not None and (why := write_obstacle(solved)) is not None:
        raise _unusable(solved, "write", why)
    choice = StrategyChoice(strategy, program, candidates_only)
    with (
        ExitStack() as at_end,
        only_document(as_json),
        with_strategy_name(program or strategy or ""),
        traceback_of_strategy(traceback),
        choice.open() as loaded,
    ):
        if solved is not None and known is not None:
            at_end.callback(write_solved_positions, solved, known)
        played = play_turns(seeded_choice(loaded, seed or 0), opponent, start, opening)
        turns = played if as_json else _show_turns(start, loaded.name, name, played)
        finished = finish_duel(start, loaded.name, name, opponent, turns)
    if record is not None:
        write_text(record, "".join(f"{line}\n" for line in _record_lines(finished, opponent)))
    if as_json:
        print_json(finished.to_json())
        return
    out, methods = console(), finished.methods
    out.print(f"solved in {pluralize(finished.guesses, 'guess', 'guesses')}")
    if "greedy" in methods:
        out.print(f"exact in {methods.count('exact')} of {len(methods)} turns, greedy before; see --exact-up-to")


def _check_record(file: str, rules: Rules, codemaker: CodemakerName, after: tuple[str, ...] | None) -> None:
    if after is not None:
        raise CommandError("--record is for a whole game; leave out --after")
    if codemaker == "fixed" and rules.size > MAX_RECORDED_CODES:
        raise CommandError(
            f"--record with a fixed codemaker takes rules of at most {MAX_RECORDED_CODES:,} codes, and {rules} has "
            f"{rules.size:,}; leave it out"
        )
    check_writable(file, RECORD)


def _record_lines(duel: Duel, opponent: Codemaker) -> list[str]:
    rules, secret = duel.rules, duel.turns[-1].guess
    turns = tuple(Turn(turn.guess, turn.feedback) for turn in duel.turns)
    match = sha256(f"{rules} {duel.strategy} {duel.codemaker} {turns}".encode()).hexdigest()[:16]
    is_fixed = duel.codemaker == "fixed"
    # evil and devil choose among equals without a nonce
    nonce = nonce_of(secret, match, rules) if is_fixed else sha256(match.encode()).hexdigest()
    return record_lines(
        match,
        duel.strategy,
        version("evilpegs"),
        rules,
        [UnsignedGame(nonce, turns, [0] * len(turns), secret, "solved", list(duel.methods))],
        int(1000 * time()),
        ladder="duel",
        guess_limit=max(len(turns), GUESS_LIMIT),
        codemaker=duel.codemaker,
        tie=None if is_fixed else "largest",
        **({"exact_up_to": opponent.exact_up_to} if isinstance(opponent, Devil) else {}),
    )


def _show_turns(start: Position, strategy: str, codemaker: str, played: Iterable[DuelTurn]) -> tuple[DuelTurn, ...]:
    out, printer, turns = console(), None, []
    for turn in played:
        # only now: if no turn can be played, only the error is printed
        if printer is None:
            out.print(f"{strategy} against {codemaker} on {start.rules}")
            printer = TurnPrinter(out, start.rules.pegs, start.turn)
        printer.turn(TurnTableRow(format_code(turn.guess), turn.feedback, turn.candidates_left))
        turns.append(turn)
    return tuple(turns)


def read_solved_positions(path: Path) -> SolvedPositions:
    """Return the solved positions in a file; a damaged or outdated one is reported and ignored."""
    try:
        data = read_own_file(path, TITLE)
        return SolvedPositions() if data is None else SolvedPositions.from_bytes(data)
    except MalformedError as error:
        print(f"evilpegs: {path}: {error}; they will be solved again", file=sys.stderr)  # noqa: T201
        return SolvedPositions()
    except ForeignFileError as error:
        raise CommandError(f"{path} is not a file of solved positions; name another file with --solved") from error
    except OSError as error:
        raise _unusable(path, "read", error.strerror or str(error)) from error


def write_solved_positions(path: Path, solved: SolvedPositions) -> None:
    if not solved.changed:
        return
    try:
        replace_file(path, solved.to_bytes())
        solved.changed = False
    except OSError as error:
        raise _unusable(path, "write", error.strerror or str(error)) from error


def _unusable(path: Path, action: str, why: str) -> CommandError:
    return CommandError(f"cannot {action} solved positions at {path}: {why}; name another file")
