"""Whether each reply of a game against evil or devil is the one that the rule demands."""

from collections.abc import Iterator
from typing import Final

from evilpegs_clients.finding import Finding, NotChecked, Subject
from evilpegs_clients.independent import block_parts, plain_parts
from evilpegs_clients.independent.codes import Counted, Feedback, Parts
from evilpegs_clients.independent.devil_rule import DevilRule
from evilpegs_clients.independent.evil_rule import evil_replies
from evilpegs_clients.independent.nonces import tie_place
from evilpegs_clients.independent.record import Game
from evilpegs_clients.independent.solver import TooMuchWorkError

ONE_BY_ONE: Final = 10**5
"""Up to so many codes the definition itself is fast enough."""


def check_replies(
    game: Game, devil: DevilRule | None, max_codes: int, one_by_one: int = ONE_BY_ONE
) -> Iterator[Finding]:
    """Check every turn of a game; ``devil`` has its rule where it is one."""
    size = game.match.space.size
    if size > max_codes:
        what = f"the replies: {game.match.rules} is too large to enumerate; {size:,} codes"
        yield NotChecked(what, game.game, subject=Subject.REPLY)
        return
    counted = _counted(game, one_by_one)
    for turn, parts in enumerate(counted.parts, 1):
        if game.turns[turn - 1].given not in parts:
            yield _finding(game, turn, Subject.REPLY, "which no code that was left would get")
            return
        yield from _check_method(game, turn, parts, devil)
        try:
            allowed = _allowed(game, turn, counted, devil)
        except TooMuchWorkError as error:
            yield NotChecked(f"the devil's reply: {error}", game.game, turn, Subject.REPLY)
        else:
            yield from _check_reply(game, turn, parts, allowed)
    yield from _check_first(game, counted)


def _counted(game: Game, one_by_one: int) -> Counted:
    space = game.match.space
    count_parts = plain_parts.count_parts if space.size <= one_by_one else block_parts.count_parts
    return count_parts(space, game.turns)


def _allowed(game: Game, turn: int, counted: Counted, devil: DevilRule | None) -> list[Feedback]:
    if devil is None:
        return evil_replies(counted.parts[turn - 1], game.match.space.all_black)
    return devil.replies(game.turns[: turn - 1], counted.parts[:turn], game.turns[turn - 1].guess)


def _check_method(game: Game, turn: int, parts: Parts, devil: DevilRule | None) -> Iterator[Finding]:
    told = game.methods[turn - 1]
    if devil is not None and told is not None:
        due = "exact" if devil.is_exact(parts) else "greedy"
        if told != due:
            what = f"the reply is called {told}, but with {sum(parts.values()):,} codes left it is {due}"
            yield Finding(what, game.game, turn, Subject.METHOD)


def _check_reply(game: Game, turn: int, parts: Parts, allowed: list[Feedback]) -> Iterator[Finding]:
    given = game.turns[turn - 1].given
    if given not in allowed:
        size = f"{parts[given]:,} {'code' if parts[given] == 1 else 'codes'}"
        due = f"{allowed[0]}, which {parts[allowed[0]]:,} would"
        yield _finding(game, turn, Subject.REPLY, f"which {size} would get; the rule demands {due}")
    elif len(allowed) > 1:
        yield from _check_tie(game, turn, allowed)


def _check_tie(game: Game, turn: int, tied: list[Feedback]) -> Iterator[Finding]:
    place = 0
    if game.match.tie == "largest/seeded":
        if game.nonce is None:
            what = f"which of {len(tied)} equal parts was due: the nonce is not opened"
            yield NotChecked(what, game.game, turn, Subject.TIE)
            return
        place = tie_place(game.nonce, game.match.id, game.game, turn, len(tied))
    if game.turns[turn - 1].given != tied[place]:
        yield _finding(game, turn, Subject.TIE, f"but of {len(tied)} equal parts the tie rule takes {tied[place]}")


def _check_first(game: Game, counted: Counted) -> Iterator[Finding]:
    """The code that evil shows at the end is the first of those that fit."""
    if game.match.codemaker == "evil" and game.witness is not None and counted.first is not None:
        first = game.match.space.write(counted.first)
        if game.witness != first:
            what = f"the code shown at the end is {game.witness}; the first that fits is {first}"
            yield Finding(what, game.game, subject=Subject.WITNESS)


def _finding(game: Game, turn: int, subject: Subject, what: str) -> Finding:
    guess, given = game.turns[turn - 1]
    return Finding(f"{game.match.space.write(guess)} got {given}, {what}", game.game, turn, subject)
