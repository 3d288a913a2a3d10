"""One game of a strategy with one codemaker, without a server."""

import reprlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from evilpegs.api.arguments import (
    CodeLike,
    RulesLike,
    StrategyLike,
    to_code,
    to_feedback,
    to_rules,
    to_strategy,
    to_whole,
)
from evilpegs_clients.strategies.strategy import draw_secret, seeded_choice
from evilpegs_game.codemakers.codemaker import Codemaker, Evil, Fixed
from evilpegs_game.codemakers.devil import Devil
from evilpegs_game.codes import Code
from evilpegs_game.errors import MalformedError, quoted
from evilpegs_game.evaluation.exact import DuelTurn
from evilpegs_game.evaluation.exact import duel as play_duel
from evilpegs_game.feedback import Feedback
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

CodemakerName = Literal["fixed", "evil", "devil"]


@dataclass(frozen=True, slots=True, repr=False)
class Duel:
    """A finished game of a strategy with a codemaker: their names, the rules, and the sequence of turns.

    Each of ``turns`` has a guess, its feedback and the number of codes possible after it. The length is the number of
    guesses.

    >>> import evilpegs
    >>> duel = evilpegs.duel("minimax", codemaker="fixed", secret="1234", rules="4x6")
    >>> len(duel), duel.turns[-1].feedback
    (3, Feedback(black=4, white=0))
    """

    rules: Rules
    strategy: str
    codemaker: str
    turns: tuple[DuelTurn, ...]

    def __repr__(self) -> str:
        guesses = f"{len(self)} guess{'' if len(self) == 1 else 'es'}"
        return f"<Duel of {self.strategy} with {self.codemaker} on {self.rules}: solved in {guesses}>"

    def __len__(self) -> int:
        return len(self.turns)

    def __getitem__(self, index: int) -> DuelTurn:
        return self.turns[index]

    def __iter__(self) -> Iterator[DuelTurn]:
        return iter(self.turns)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of ``evilpegs duel --json``."""
        turns = [turn.to_json() for turn in self.turns]
        head = {"rules": str(self.rules), "strategy": self.strategy, "codemaker": self.codemaker}
        return {**head, "guesses": len(turns), "turns": turns}


def duel(
    strategy: StrategyLike,
    codemaker: CodemakerName | Codemaker = "evil",
    rules: RulesLike = "classic",
    *,
    secret: CodeLike | None = None,
    first: CodeLike | None = None,
    seed: int = 0,
    candidates_only: bool = False,
) -> Duel:
    """Play one game of a strategy against a codemaker, from the first guess to the end, and return it.

    Args:
        strategy: The name of a built-in strategy, the path of a ``.py`` file, a `Strategy` or a function
            ``choose(position, rng)``.
        codemaker: ``evil``, which always keeps the most codes possible, ``devil``, which searches ahead for the reply
            that needs the most guesses, ``fixed``, which has a secret, or an object with the method
            ``reply(position, guess)``.
        rules: A `Rules` or a text such as ``4x6`` or ``classic``.
        secret: The secret of a fixed codemaker; by default it is drawn with ``seed``.
        first: The first guess, in place of the strategy's own.
        seed: The seed of the random numbers that the strategy uses, and of the secret.
        candidates_only: True if a built-in strategy may guess only codes that could be the secret.

    Raises:
        EvilpegsError: an argument is wrong, a strategy that was loaded by its name or path fails, the strategy never
            solves the game, the codemaker contradicts itself, or the rules have too many codes. An exception raised by
            a function that was passed as the strategy is passed on unchanged.

    >>> import evilpegs
    >>> evilpegs.duel("minimax", codemaker="devil", rules="3x5")
    <Duel of minimax with devil on 3x5: solved in 5 guesses>
    >>> [str(turn.feedback) for turn in evilpegs.duel("minimax", rules="4x6")]
    ['0,0', '1,1', '0,0', '0,2', '4,0']
    """
    chosen, parsed = to_strategy(strategy, candidates_only), to_rules(rules)
    opening = None if first is None else to_code(first, parsed)
    if secret is not None and codemaker != "fixed":
        raise MalformedError("only a fixed codemaker has a secret; leave secret out or pass codemaker='fixed'")
    seed = to_whole("seed", seed, 0)
    opponent = (
        named_codemaker(codemaker, parsed, secret, seed) if isinstance(codemaker, str) else CheckedCodemaker(codemaker)
    )
    turns = play_duel(seeded_choice(chosen, seed), opponent, parsed, opening)
    name = codemaker if isinstance(codemaker, str) else type(codemaker).__name__.lower()
    return Duel(parsed, chosen.name, name, turns)


class CheckedCodemaker:
    """A codemaker of the caller whose replies are checked; raises MalformedError if it is none."""

    def __init__(self, codemaker: Codemaker) -> None:
        if isinstance(codemaker, type) or not callable(getattr(codemaker, "reply", None)):
            raise MalformedError(
                f"not a codemaker: {reprlib.repr(codemaker)}; pass evil, devil, fixed or an object with reply()"
            )
        self._codemaker = codemaker

    def reply(self, position: Position, guess: Code) -> Feedback:
        """Return the feedback, which may have been a text; raises MalformedError for anything else."""
        return to_feedback(self._codemaker.reply(position, guess), position.rules)


def named_codemaker(name: str, rules: Rules, secret: CodeLike | None, seed: int) -> Codemaker:
    """Return the codemaker called ``name``; ``seed`` draws a secret that is None. Raises MalformedError."""
    match name:
        case "evil":
            return Evil()
        case "devil":
            return Devil.for_rules(rules)
        case "fixed" if secret is not None:
            return Fixed(to_code(secret, rules))
        case "fixed":
            return Fixed(draw_secret(seed, rules))
    raise MalformedError(
        f"no codemaker {quoted(name)}; take evil, devil, fixed or an object with reply(position, guess)"
    )
