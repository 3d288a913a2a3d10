"""The sequential test of two strategies: as many pairs of games as it takes to decide, and no more."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from math import sqrt
from typing import Any, Final, Literal

from evilpegs_clients.paired_games import ExactMeans, PairedGames, PairScores, exact_means
from evilpegs_clients.strategies.loading import StrategyLike, to_strategy
from evilpegs_game.displays import Html, html_caption, html_line, html_table
from evilpegs_game.errors import MalformedError, quote_value, to_whole
from evilpegs_game.luck.game_luck import load_value_curve
from evilpegs_game.rules import Rules, to_rules
from evilpegs_game.statistics.sequential_test import BOUND, FIRST_PAIRS, Hypotheses, SequentialTest

MAX_PAIRS: Final = 1_000_000_000
MAX_GUESS_LIMIT: Final = 1_000


@dataclass(frozen=True, slots=True, repr=False)
class StrategyComparison:
    """The result of `compare`: mean scores over the same secrets, and the verdict of the test.

    Strategy ``b`` is the one that may be better, and ``difference`` the mean of b minus that of a. Scores are guesses
    per game, adjusted for luck if the rules have a value curve, whose hash is ``curve``. ``exact`` has the exact means
    over all secrets, as fractions, if they take only seconds, else it is None.

    >>> import evilpegs
    >>> result = evilpegs.compare("first-consistent", "minimax", rules="3x5", alternative=-0.2)
    >>> result.verdict, result.exact.difference < -0.2
    ('alternative', True)
    """

    rules: Rules
    guess_limit: int
    a: str
    b: str
    seed: int
    null: float
    alternative: float
    curve: str | None
    exact: ExactMeans | None
    pairs: int
    mean_a: float
    mean_b: float
    difference: float
    deviation: float
    log_likelihood_ratio: float
    verdict: Literal["alternative", "null", "undecided"]

    def __repr__(self) -> str:
        means = f"{self.a} {self.mean_a:.4f}, {self.b} {self.mean_b:.4f}"
        return f"<StrategyComparison on {self.rules}: {means}, {self.pairs:,} pairs, {self.verdict}>"

    def _repr_html_(self) -> Html:
        means = self.mean_a, self.mean_b, self.difference
        exact = None if self.exact is None else (self.exact.first, self.exact.second, self.exact.difference)
        columns = [(self.a, self.b, "difference"), *(_four_digits(each) for each in (means, exact))]
        heads = "strategy", "mean" if self.curve is None else "luck-adjusted mean", "over all secrets"
        table = html_table(html_caption(self), heads, list(zip(*columns, strict=True)))
        evidence = f"{self.log_likelihood_ratio:+.2f}, decided at ±{BOUND:.2f}"
        return Html(table + html_line("evidence for the alternative", evidence))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of ``evilpegs compare --json``, without the ladder and the server."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return values | {"rules": str(self.rules), "exact": self.exact and self.exact.to_json(), "bound": BOUND}


def _four_digits(values: Sequence[float | Fraction] | None) -> Sequence[str]:
    return ("",) * 3 if values is None else [f"{float(each):.4f}" for each in values]


class ComparisonRun:
    """A comparison while its games are played; ``on_pair`` is called with the test after each pair."""

    def __init__(
        self,
        strategies: tuple[StrategyLike, StrategyLike],
        rules: Rules | str,
        guess_limit: int,
        hypotheses: tuple[float, float],
        max_pairs: int,
        seed: int,
        on_pair: Callable[[SequentialTest], object] = lambda _: None,
    ) -> None:
        self.rules = to_rules(rules)
        check_terms(guess_limit, hypotheses, max_pairs, seed)
        self.guess_limit, self._max_pairs, self._seed = map(int, (guess_limit, max_pairs, seed))
        self._test = SequentialTest(Hypotheses(*map(float, hypotheses)))
        self.strategies = to_strategy(strategies[0]), to_strategy(strategies[1])
        names = self.strategies[0].name, self.strategies[1].name
        self.names = (str(strategies[0]), str(strategies[1])) if names[0] == names[1] else names
        self.exact = exact_means(self.strategies, self.rules, self.guess_limit)
        self._curve = load_value_curve(self.rules, self.guess_limit)
        self._totals = [0.0, 0.0]
        self._on_pair = on_pair

    def add(self, scores: PairScores) -> bool:
        """Count a pair of games, and return True if more are wanted."""
        self._test.add(scores.second - scores.first)
        self._totals = [total + score for total, score in zip(self._totals, scores, strict=True)]
        self._on_pair(self._test)
        return self._test.verdict is None and self._test.pairs < self._max_pairs

    def play(self) -> None:
        """Play pairs of games here, until no more are wanted."""
        games = PairedGames(self.strategies, self.rules, self.guess_limit, self._curve, self._seed)
        while self.add(games.play(self._test.pairs)):
            pass

    def result(self) -> StrategyComparison:
        """Return the result of the pairs so far, at least one."""
        test = self._test
        first, second = (total / test.pairs for total in self._totals)
        curve = None if self._curve is None else self._curve.hash
        return StrategyComparison(
            *(self.rules, self.guess_limit, *self.names, self._seed),
            *(test.hypotheses.null, test.hypotheses.alternative),
            curve,
            self.exact,
            test.pairs,
            *(first, second, test.mean, sqrt(test.variance), test.log_likelihood_ratio),
            verdict=test.verdict or "undecided",
        )


def check_terms(guess_limit: int, hypotheses: tuple[object, object], max_pairs: int, seed: int) -> None:
    """Raise MalformedError if a comparison cannot be held on these terms."""
    to_whole("guess_limit", guess_limit, 1, MAX_GUESS_LIMIT)
    to_whole("max_pairs", max_pairs, FIRST_PAIRS, MAX_PAIRS)
    to_whole("seed", seed, 0)
    for name, value in zip(("null", "alternative"), hypotheses, strict=True):
        if not (isinstance(value, int | float) and abs(value) <= guess_limit):
            limits = f"a number from -{guess_limit} to {guess_limit} guesses"
            raise MalformedError(f"{name} must be {limits}, not {quote_value(value)}", arguments=(name,))


def compare(
    strategy: StrategyLike,
    other: StrategyLike,
    rules: Rules | str = "classic",
    *,
    guess_limit: int = 10,
    null: float = 0.0,
    alternative: float = -0.02,
    max_pairs: int = 100_000,
    seed: int = 0,
) -> StrategyComparison:
    """Test whether ``other`` needs fewer guesses than ``strategy``, with as many games as it takes and no more.

    Both play the same random secrets, as on a ladder with a fixed codemaker and ``guess_limit``. A sequential test ends
    when the differences of the pairs agree much better with one hypothesis than with the other; each is rejected
    wrongly in about 5 % of runs. Calls with the same arguments give the same result.

    Args:
        strategy: The name of a built-in strategy, the path of a ``.py`` or ``.tree`` file, a `Tree`, a `Strategy` or
            a function ``choose(position, rng)``.
        other: The strategy that may be better, given in the same way.
        rules: A `Rules` or a text such as ``4x6`` or ``classic``.
        guess_limit: The most guesses of a game; a game that is not solved counts as one more.
        null: The difference under the null hypothesis, in guesses per game: ``other`` minus ``strategy``.
        alternative: The same under the alternative; negative if ``other`` needs fewer guesses.
        max_pairs: End without a decision after this many pairs of games, from 30 to 10^9.
        seed: The seed of secrets and choices.

    Raises:
        EvilpegsError: an argument is wrong, or a strategy fails. An exception raised by a function that was passed as a
            strategy is passed on unchanged.

    >>> import evilpegs
    >>> evilpegs.compare("entropy", "minimax").verdict
    'null'
    """
    run = ComparisonRun((strategy, other), rules, guess_limit, (null, alternative), max_pairs, seed)
    run.play()
    return run.result()
