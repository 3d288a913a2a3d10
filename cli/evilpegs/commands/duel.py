"""`evilpegs duel`: one game of a strategy against one codemaker, without a server."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from time import time
from typing import Annotated, Final

from cyclopts import Parameter

from evilpegs.api.duels import CodemakerName
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
from evilpegs_clients.strategies.strategy import draw_secret, seeded_choice, with_strategy_name
from evilpegs_clients.unsigned_record import UnsignedGame, nonce_of, record_lines
from evilpegs_game.codemakers.codemaker import Codemaker, Evil, Fixed
from evilpegs_game.codemakers.devil import Devil, Method
from evilpegs_game.codemakers.solved_positions import TITLE, SolvedPositions
from evilpegs_game.codemakers.worst_case import WorstCase, affordable_codes
from evilpegs_game.codes import format_code, parse_code
from evilpegs_game.errors import MalformedError
from evilpegs_game.evaluation.exact import DuelTurn, play_turns
from evilpegs_game.feedback import History, Turn, parse_turns
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_protocol.files import ForeignFileError, read_own_file, replace_file

MAX_RECORDED_CODES: Final = 100_000
"""Of a fixed codemaker's rules: a nonce is searched from which the secret follows, in about 3 us per code."""
GUESS_LIMIT: Final = 10
_WITH_ARTICLE: Final = {"evil": "an evil", "devil": "a devil", "fixed": "a fixed"}


def duel(
    strategy: OptionalStrategyName = None,
    /,
    *,
    program: ProgramCommand = None,
    codemaker: Annotated[
        CodemakerName | None,
        Parameter(
            help="evil and devil never commit to a secret; fixed has one, see --secret. By default evil, and fixed "
            "with --secret."
        ),
    ] = None,
    rules: RulesText = "classic",
    first: First = None,
    secret: Annotated[str | None, Parameter(help="The secret of a fixed codemaker.")] = None,
    after: After = None,
    seed: Annotated[
        int | None,
        WHOLE,
        Parameter(help="Seed of the game: draws the secret of a fixed codemaker, and a strategy's random choices."),
    ] = None,
    budget: Annotated[
        int | None,
        WHOLE,
        Parameter(help="The most feedback evaluations per choice, for strategies that heed it; by default no limit."),
    ] = None,
    exact_up_to: Annotated[
        int | None,
        WHOLE,
        Parameter(help="The most candidates that a devil solves; by default as many as take about a second per reply."),
    ] = None,
    solved: Annotated[
        Path | None, FILE, Parameter(help="A file to keep what a devil has solved; saves time and changes no reply.")
    ] = None,
    record: Annotated[
        str | None, FILE, Parameter(help="Write the game into this file, for evilpegs verify and the page to replay.")
    ] = None,
    candidates_only: CandidatesOnly = False,
    traceback: Traceback = False,
    as_json: Json = False,
) -> None:
    """Play a strategy against one codemaker to the end, without a server, and show every turn as it comes.

    The evil codemaker gives the reply that leaves the most codes; among equals, the one with the fewest blacks, then
    the fewest whites. The devil gives the reply after which an optimal codebreaker needs the most guesses in the worst
    case; among equals, and with too many candidates to solve, it decides like evil.
    """
    parsed = Rules.parse(rules)
    name = codemaker or ("evil" if secret is None else "fixed")
    opening = None if first is None else parse_code(first, parsed)
    if record is not None:
        _check_record(record, parsed, name, after)
    start = _start(parsed, after, secret, budget)
    opened = _open_codemaker(name, parsed, secret, seed, exact_up_to, solved)
    choice = StrategyChoice(strategy, program, candidates_only)
    with (
        opened as opponent,
        only_document(as_json),
        with_strategy_name(program or strategy or ""),
        traceback_of_strategy(traceback),
        choice.open() as loaded,
    ):
        played = play_turns(seeded_choice(loaded, seed or 0), opponent, start, opening)
        turns = tuple(played) if as_json else _show_turns(start, loaded.name, name, played)
    methods: list[Method] = []
    if isinstance(opponent, Devil):
        methods = [opponent.method_for(left) for left in (start.count, *(turn.candidates_left for turn in turns[:-1]))]
    guesses = len(start.history) + len(turns)
    if record is not None:
        history = tuple(Turn(turn.guess, turn.feedback) for turn in turns)
        lines = _record_lines(parsed, loaded.name, name, history, methods, opponent)
        write_text(record, "".join(f"{line}\n" for line in lines))
    if as_json:
        documents = [turn.to_json() for turn in turns]
        for document, method in zip(documents, methods, strict=False):
            document["method"] = method
        head = {"rules": str(parsed), "strategy": loaded.name, "codemaker": name}
        before = {"after": [turn.to_json() for turn in start.history]} if start.history else {}
        print_json({**head, **before, "guesses": guesses, "turns": documents})
        return
    out = console()
    out.print(f"solved in {pluralize(guesses, 'guess', 'guesses')}")
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


def _record_lines(
    rules: Rules, strategy: str, codemaker: CodemakerName, turns: History, methods: list[Method], opponent: Codemaker
) -> list[str]:
    match = sha256(f"{rules} {strategy} {codemaker} {turns}".encode()).hexdigest()[:16]
    # evil and devil choose among equals without a nonce
    nonce = nonce_of(turns[-1].guess, match, rules) if codemaker == "fixed" else sha256(match.encode()).hexdigest()
    game = UnsignedGame(nonce, turns, [0] * len(turns), turns[-1].guess, "solved", methods)
    terms = {"exact_up_to": opponent.exact_up_to} if isinstance(opponent, Devil) else {}
    tie = None if codemaker == "fixed" else "largest"
    limit = max(len(turns), GUESS_LIMIT)
    at = int(1000 * time())
    return record_lines(
        match,
        strategy,
        version("evilpegs"),
        rules,
        [game],
        at,
        ladder="duel",
        guess_limit=limit,
        codemaker=codemaker,
        tie=tie,
        **terms,
    )


def _start(rules: Rules, after: tuple[str, ...] | None, secret: str | None, budget: int | None) -> Position:
    start = Position(rules, parse_turns(require_after(after), rules), LiveSets(), budget)
    if budget is not None and budget < 1:
        raise CommandError(f"--budget must be at least 1, not {budget}")
    if any(black == rules.pegs for _, (black, _) in start.history):
        raise CommandError("the turns after --after solve the game already; leave the last one out")
    if start.history and secret is not None and not start.is_candidate(parse_code(secret, rules)):
        raise CommandError(f"the secret {secret!r} does not agree with the turns after --after; leave one of them out")
    return start


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


@contextmanager
def _open_codemaker(
    name: CodemakerName,
    rules: Rules,
    secret: str | None,
    seed: int | None,
    exact_up_to: int | None,
    solved_file: Path | None,
) -> Iterator[Codemaker]:
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
    elif name == "evil":
        yield Evil()
    elif secret is not None:
        yield Fixed(parse_code(secret, rules))
    elif seed is not None:
        yield Fixed(draw_secret(seed, rules))
    else:
        raise CommandError("a fixed codemaker needs a secret; say --secret CODE, or --seed N to draw one")


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
