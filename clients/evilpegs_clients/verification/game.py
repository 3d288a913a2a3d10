"""Checks of one game: commitment, secret, every feedback, evil's and devil's rule, the clock and the outcome."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from evilpegs_clients.verification.violation import NotChecked, Subject, Violation
from evilpegs_game.codemakers.codemaker import Evil
from evilpegs_game.codemakers.devil import Devil
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import Code, code_at, format_code, parse_code
from evilpegs_game.errors import GameError, OverBudgetError
from evilpegs_game.feedback import Feedback, History, all_black, plain_feedback, to_turns
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position, unchecked_position
from evilpegs_game.rules import Rules
from evilpegs_protocol.commitment import commitment, secret_index, tie_index, tie_share
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, GameStarted, MatchStarted, Method

CACHE_BYTES: Final = 64 << 20  # the most bytes of the live sets that a `VerificationCache` creates for itself


class VerificationCache:
    """Live sets, and a devil's solver of the latest rules only, for it may take 105 MB; for one thread at a time."""

    def __init__(self, live_sets: LiveSets | None = None) -> None:
        self.live_sets = live_sets or LiveSets(CACHE_BYTES)
        self.worst_case: Callable[[Rules], WorstCase] = lru_cache(maxsize=1)(WorstCase)


DEVIL_BUDGET: Final = 4 * 10**9  # feedback evaluations for checking one reply of a devil; they take about four seconds


@dataclass(frozen=True, slots=True)
class GameRecord:
    """The events of one finished game, and the first of its match; ``nonce_sent`` is None if it is unknown."""

    match: MatchStarted
    started: GameStarted
    feedbacks: tuple[FeedbackGiven, ...]
    over: GameOver
    nonce_sent: str | None = None

    @property
    def rules(self) -> Rules:
        return Rules.parse(self.match.rules)

    def violation(self, subject: Subject, what: str, turn: int = 0) -> Violation:
        return Violation(what, self.started.game, turn, subject)


def check_game(game: GameRecord, cache: VerificationCache, devil_budget: int = DEVIL_BUDGET) -> Iterator[Violation]:
    """Yield the violations of a finished game, and a `NotChecked` for each statement that cannot be recomputed."""
    try:
        history = to_turns([(event.code, (event.black, event.white)) for event in game.feedbacks], game.rules)
    except GameError as error:
        yield game.violation(Subject.TURN, str(error))
        return
    for turn, event in enumerate(game.feedbacks, 1):
        if event.turn != turn:
            yield game.violation(Subject.TURN, f"it is called turn {event.turn}", turn)
    yield from _check_nonces(game)
    yield from _check_outcome(game, history)
    yield from _check_clock(game)
    if game.match.codemaker != "fixed":
        yield from _check_witness(game, history)
        yield from _check_adversary(game, history, cache, devil_budget)
    else:
        yield from (_wrong_method(game, turn, None) for turn, event in enumerate(game.feedbacks, 1) if event.method)
        if game.over.nonce is not None:
            yield from _check_fixed(game, history, game.over.nonce)
    yield from _check_practice(game, history, cache)


def _check_nonces(game: GameRecord) -> Iterator[Violation]:
    over = game.over
    if over.nonce is None:
        yield game.violation(Subject.NONCE, "the nonce is not opened, so the commitment cannot be checked")
    elif game.started.commitment != commitment(game.match.match, over.game, game.match.rules, over.nonce):
        yield game.violation(Subject.COMMITMENT, "the commitment does not fit the nonce")
    never_began = over.client_nonce is None and not game.feedbacks
    if game.nonce_sent is not None and game.nonce_sent != over.client_nonce and not never_began:
        yield game.violation(Subject.CLIENT_NONCE, "the client nonce is not the one that was sent")


def _check_outcome(game: GameRecord, history: History) -> Iterator[Violation]:
    over, limit = game.over, game.match.guess_limit
    solved = [turn for turn, (_, reply) in enumerate(history, 1) if reply == all_black(game.rules.pegs)]
    if over.guesses != len(history) or len(history) > limit:
        what = f"{over.guesses} guesses are counted, {len(history)} were answered, of {limit}"
        yield game.violation(Subject.GUESSES, what)
    if solved and solved[0] < len(history):
        yield game.violation(Subject.GUESSES, "the game went on after it was solved", solved[0])
    if bool(solved) != (over.outcome == "solved"):
        what = f"the outcome is {over.outcome}, but the secret was {'' if solved else 'not '}found"
        yield game.violation(Subject.OUTCOME, what)
    if (len(history) == limit and not solved) != (over.outcome == "unsolved"):
        yield game.violation(Subject.OUTCOME, f"the outcome is {over.outcome} after {len(history)} guesses of {limit}")


def _check_clock(game: GameRecord) -> Iterator[Violation]:
    clock, elapsed = game.match.clock, 0
    left = clock.base_ms if clock else None
    for event in game.feedbacks:
        elapsed += event.took_ms
        if clock is not None and left is not None:
            if event.took_ms > left:
                yield game.violation(Subject.FLAG, "the guess was answered though the time was up", event.turn)
            left = max(0, left - event.took_ms) + clock.increment_ms
        if event.left_ms != left:
            yield game.violation(Subject.CLOCK, f"{event.left_ms} ms are left, it should be {left}", event.turn)
    ended_by_guess = game.over.outcome in {"solved", "unsolved"}
    if game.over.elapsed_ms < elapsed or (ended_by_guess and game.over.elapsed_ms > elapsed):
        yield game.violation(Subject.CLOCK, f"the turns took {elapsed} ms, not {game.over.elapsed_ms}")
    if game.over.outcome == "flagged":
        last = game.over.elapsed_ms - elapsed
        if left is None:
            yield game.violation(Subject.FLAG, "the outcome is flagged, but there is no clock")
        elif last <= left:
            yield game.violation(Subject.FLAG, f"the outcome is flagged, but the last turn took {last} ms of {left}")


def _check_fixed(game: GameRecord, history: History, nonce: str) -> Iterator[Violation]:
    over, rules = game.over, game.rules
    secret = code_at(secret_index(nonce, over.client_nonce, over.match, over.game, rules.size), rules)
    if over.secret != format_code(secret) and (history or over.secret is not None):
        yield game.violation(Subject.DRAW, f"the secret is {over.secret}, the nonces give {format_code(secret)}")
    for turn, (guess, reply) in enumerate(history, 1):
        expected = plain_feedback(guess, secret)
        if reply != expected:
            yield game.violation(Subject.REPLY, _wrong_reply(guess, reply, expected), turn)


def _check_adversary(
    game: GameRecord, history: History, cache: VerificationCache, devil_budget: int
) -> Iterator[Violation]:
    seeded, nonce = game.match.tie == "largest/seeded", game.over.nonce
    if seeded and nonce is None:
        yield game.violation(Subject.NONCE, f"without the nonce {game.match.codemaker}'s replies cannot be checked")
        return

    share = tie_share(game.match.tie_nonces, game.over.client_nonce)

    def tie(turn: int, tied: int) -> int:
        return tie_index(nonce or "", game.match.match, game.over.game, turn, tied, share)

    turn = 1
    try:
        codemaker: Evil | Devil = Evil(tie if seeded else None)
        if game.match.codemaker == "devil":
            solver = cache.worst_case(game.rules)
            codemaker = Devil(solver, game.match.exact_up_to or 0, tie if seeded else None, devil_budget)
        for turn, (guess, reply) in enumerate(history, 1):
            position = unchecked_position(game.rules, history[: turn - 1], cache.live_sets)
            yield from _check_method(game, turn, codemaker, position)
            violation = _check_reply(game, codemaker, position, guess, reply)
            if violation is not None:
                yield violation
                if not isinstance(violation, NotChecked):
                    return  # after a wrong reply, later replies prove nothing
    except GameError as error:
        what = f"the replies from this turn on cannot be recomputed: {error}"
        yield NotChecked(what, game.started.game, turn, Subject.REPLY)


def _check_method(game: GameRecord, turn: int, codemaker: Evil | Devil, position: Position) -> Iterator[Violation]:
    method = codemaker.method_for(position.count) if isinstance(codemaker, Devil) else None
    if game.feedbacks[turn - 1].method != method:
        yield _wrong_method(game, turn, method)


def _wrong_method(game: GameRecord, turn: int, method: Method | None) -> Violation:
    claimed = game.feedbacks[turn - 1].method
    what = f"the reply is called {claimed or 'nothing'}, it should be {method or 'nothing'}"
    return game.violation(Subject.METHOD, what, turn)


def _check_reply(
    game: GameRecord, codemaker: Evil | Devil, position: Position, guess: Code, reply: Feedback
) -> Violation | None:
    try:
        expected = codemaker.reply(position, guess)
    except OverBudgetError as error:
        if reply in position.parts(guess):
            what = f"the devil's reply cannot be recomputed: {error}"
            return NotChecked(what, game.started.game, position.turn, Subject.REPLY)
        what = f"{format_code(guess)} got {reply}, which no candidate would get"
        return game.violation(Subject.REPLY, what, position.turn)
    if reply == expected:
        return None
    return game.violation(Subject.REPLY, _wrong_reply(guess, reply, expected), position.turn)


def _check_witness(game: GameRecord, history: History) -> Iterator[Violation]:
    secret = game.over.secret
    if secret is None:
        if history and game.over.outcome != "void":
            yield game.violation(Subject.WITNESS, "there is no witness")
        return
    try:
        witness = parse_code(secret, game.rules)
    except GameError as error:
        yield game.violation(Subject.WITNESS, f"the witness is no code of the rules: {error}")
        return
    for turn, (guess, reply) in enumerate(history, 1):
        if plain_feedback(guess, witness) != reply:
            what = f"the witness {secret} would have got {plain_feedback(guess, witness)}, not {reply}"
            yield game.violation(Subject.WITNESS, what, turn)


def _check_practice(game: GameRecord, history: History, cache: VerificationCache) -> Iterator[Violation]:
    for turn, (event, (guess, reply)) in enumerate(zip(game.feedbacks, history, strict=True), 1):
        if event.parts is None and event.candidates is None:
            continue
        try:
            parts = unchecked_position(game.rules, history[: turn - 1], cache.live_sets).parts(guess)
        except GameError as error:
            what = f"the candidates and parts shown from this turn on cannot be recomputed: {error}"
            yield NotChecked(what, game.started.game, turn, Subject.HELP)
            return
        if event.candidates is not None and event.candidates != parts.get(reply, 0):
            what = f"{parts.get(reply, 0)} candidates are left, not {event.candidates}"
            yield game.violation(Subject.HELP, what, turn)
        rows = tuple((part.black, part.white, size) for part, size in parts.items())
        if event.parts is not None and event.parts != rows:
            yield game.violation(Subject.HELP, "the parts are not those of the guess", turn)


def _wrong_reply(guess: Code, reply: Feedback, expected: Feedback) -> str:
    return f"{format_code(guess)} got {reply}, it should have got {expected}"
