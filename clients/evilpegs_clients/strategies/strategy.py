"""The interface of a strategy, and the checks that make every choice legal and reproducible.

A game has a seed of its own, and each of its turns has a generator of its own. The choice at a turn therefore does not
depend on earlier draws: a bot that was killed and resumes its game in the middle draws what it would have drawn.

* `evilpegs bot` plays a game with ``game_seed(seed, match, game)``. Without --seed, the seed is `token_seed`.
* `evilpegs evaluate --games` plays game number i, from 0, with ``game_seed(seed, i)``.
* `evilpegs duel` plays one game; its --seed is the seed of that game. Every game of the two commands above can
  therefore be played again with a duel.
"""

import hmac
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from operator import index
from random import Random
from typing import Final, Protocol, runtime_checkable

from evilpegs_clients.errors import StuckStrategyError
from evilpegs_game.codes import Code, check_code, code_at, parse_code
from evilpegs_game.errors import GameError, IllegalCodeError, StuckError, quote_value
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules


class StrategyError(GameError):
    """A strategy cannot be loaded, fails, or chooses something that is not a legal code; the message names it.

    >>> import evilpegs
    >>> try:
    ...     evilpegs.load_strategy("minimaks")
    ... except evilpegs.StrategyError as error:
    ...     print("minimaks" in str(error))
    True
    """


@runtime_checkable
class Strategy(Protocol):
    """A codebreaker that chooses the next guess from the position and ``rng``, and from nothing else.

    >>> import evilpegs
    >>> strategy = evilpegs.load_strategy("minimax")
    >>> isinstance(strategy, evilpegs.Strategy), strategy.name, strategy.uses_rng
    (True, 'minimax', False)
    """

    @property
    def name(self) -> str:
        """The name of the strategy on the command line and in tables."""
        ...

    @property
    def uses_rng(self) -> bool:
        """True if the choices of the strategy depend on ``rng``."""
        ...

    def choose(self, position: Position, rng: Random) -> Code:
        """Choose the next guess, a code of ``position.rules``; random numbers must come from ``rng`` alone."""
        ...


def legal_choice(strategy: Strategy) -> Callable[[Position, Random], Code]:
    """Return ``strategy.choose`` with a check: it raises StrategyError for anything but a code of the rules."""

    def choose(position: Position, rng: Random) -> Code:
        return _require_legal(strategy.choose(position, rng), position.rules, strategy.name)

    return choose


def seeded_choice(strategy: Strategy, seed: int = 0) -> Callable[[Position], Code]:
    """Return a function that chooses legally, as `legal_choice`, in the game with the seed ``seed``.

    Its random generator follows from ``seed`` and the turn alone, so the same position always gets the same guess.
    """
    choose_legal = legal_choice(strategy)
    unused = turn_rng(seed, 1)

    def choose(position: Position) -> Code:
        return choose_legal(position, turn_rng(seed, position.turn) if strategy.uses_rng else unused)

    return choose


@contextmanager
def with_strategy_name(strategy: str) -> Iterator[None]:
    """Turn a `StuckError` of the block into a StuckStrategyError whose message begins with ``strategy``."""
    try:
        yield
    except StuckError as error:
        raise StuckStrategyError(f"{strategy}: {error}") from error


def _require_legal(value: object, rules: Rules, name: str) -> Code:
    try:
        colors = (value,) if isinstance(value, str) else value  # so that an empty text is no empty code
        code = tuple(index(color) for color in colors)  # type: ignore[attr-defined]
        check_code(code, rules)
    except TypeError:
        what = f"the string {quote_value(value)}" if isinstance(value, str) else quote_value(value)
        remedy = f"return a tuple of color indices from 0, such as {_example(value, rules)} on {rules}"
        raise StrategyError(f"strategy {name}: choose returned {what}; {remedy}") from None
    except IllegalCodeError as error:
        why = str(error)
    except Exception as error:  # noqa: BLE001 - the value may be any object of the strategy's file
        why = describe_exception(error)[:200]
    else:
        return code
    raise StrategyError(f"strategy {name} chose {quote_value(value)}, not a code of {rules}: {why}")


def _example(value: object, rules: Rules) -> Code:
    if isinstance(value, str):
        with suppress(GameError):
            return parse_code(value, rules)
    pegs = range(rules.pegs)
    return tuple(min(peg // 2, rules.colors - 1) for peg in pegs) if rules.repeats else tuple(pegs)


def describe_exception(error: BaseException) -> str:
    """Return the class and the text of an exception in one line; if ``__str__`` fails, a remark replaces the text."""
    name = type(error).__name__
    try:
        return " ".join(f"{name}: {error}".split()).rstrip(": ")
    except Exception:  # noqa: BLE001 - whatever the file of a strategy does
        return f"{name}, whose text cannot be shown"


SCHEME: Final = "seeds of turns 1"  # this way to derive seeds; results of different ways cannot be combined
SECRET_TURN: Final = 0  # its generator draws the secret of an offline game; the strategy's turns begin with 1


def game_seed(seed: int, *labels: str | int) -> int:
    """Return the seed of one game, 64 bits, derived from the seed of the run and labels that identify the game."""
    text = " ".join(map(str, (seed, *labels)))
    return int.from_bytes(sha256(f"game {text}".encode()).digest()[:8])


def turn_rng(seed: int, turn: int) -> Random:
    """Return the random generator of a turn of the game with this seed; creating one takes 7 microseconds."""
    digest = sha256(f"turn {seed} {turn}".encode()).digest()
    return Random(int.from_bytes(digest))  # noqa: S311 - guesses need not be unpredictable


def token_seed(token: str) -> int:
    """Return the seed of a player's random choices, 256 bits; by HMAC-SHA256, so that it does not reveal the token."""
    return int.from_bytes(hmac.digest(token.encode(), b"rng", "sha256"))


def draw_secret(seed: int, rules: Rules) -> Code:
    """Draw the secret of the offline game with this seed, uniformly from all codes."""
    return code_at(turn_rng(seed, SECRET_TURN).randrange(rules.size), rules)
