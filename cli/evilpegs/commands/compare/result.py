"""The result of a comparison, and its text."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

from rich.console import Console

from evilpegs.commands.compare.pair_count import PairCount
from evilpegs.output import pluralize
from evilpegs_clients.contest.exact_difference import ExactMeans
from evilpegs_clients.contest.sequential_test import BOUND
from evilpegs_protocol.server_messages import LadderInfo


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """A finished comparison of two strategies on a ladder.

    ``server`` is None if the games were played offline. ``curve`` is the hash of the value curve by which scores are
    adjusted for luck, None if they are not. ``exact`` has the mean scores over all secrets, if they are known.
    """

    ladder: LadderInfo
    names: tuple[str, str]
    server: str | None
    seed: int
    curve: str | None
    exact: ExactMeans | None
    count: PairCount

    def to_json(self) -> dict[str, Any]:
        """Return the result as the JSON object of `evilpegs compare --json`."""
        test, exact = self.count.test, self.exact
        return {
            "ladder": self.ladder.id,
            "rules": self.ladder.rules,
            "guess_limit": self.ladder.guess_limit,
            "a": self.names[0],
            "b": self.names[1],
            "server": self.server,
            "seed": self.seed,
            "null": test.hypotheses.null,
            "alternative": test.hypotheses.alternative,
            "curve": self.curve,
            "exact": exact and exact.to_json(),
            "pairs": test.pairs,
            "mean_a": self.count.first / test.pairs,
            "mean_b": self.count.second / test.pairs,
            "difference": test.mean,
            "deviation": sqrt(test.variance),
            "log_likelihood_ratio": test.log_likelihood_ratio,
            "bound": BOUND,
            "verdict": test.verdict or "undecided",
        }


def show_exact(out: Console, names: tuple[str, str], exact: ExactMeans) -> None:
    """Print the exact means of both strategies over all secrets, and their difference."""
    means = f"{names[0]} {float(exact.first):.4f}, {names[1]} {float(exact.second):.4f}"
    out.print(f"exactly, over all secrets: {means}, difference {float(exact.difference):+.4f}", soft_wrap=True)


def show_comparison(out: Console, result: ComparisonResult) -> None:
    """Print the mean scores in the pairs that were played, and the verdict of the test."""
    test, pairs = result.count.test, result.count.test.pairs
    scores = "guesses" if result.curve is None else "luck-adjusted guesses"
    means = f"{result.names[0]} {result.count.first / pairs:.4f}, {result.names[1]} {result.count.second / pairs:.4f}"
    out.print(
        f"{pluralize(pairs, 'pair')} on {result.ladder.id}, {scores}: {means}, difference {test.mean:+.4f}",
        soft_wrap=True,
    )
    out.print(_verdict_text(result), soft_wrap=True)


def _verdict_text(result: ComparisonResult) -> str:
    test, hypotheses = result.count.test, result.count.test.hypotheses
    ratio = f"log-likelihood ratio {test.log_likelihood_ratio:+.2f}, bounds ±{BOUND:.2f}"
    if test.verdict is None:
        return f"undecided between {hypotheses.null:g} and {hypotheses.alternative:g} ({ratio}); see --max-pairs"
    both = hypotheses.alternative, hypotheses.null
    accepted, rejected = both if test.verdict == "alternative" else both[::-1]
    return f"{_plain_verdict(result)}decided for a difference of {accepted:g}, against {rejected:g} ({ratio})"


def _plain_verdict(result: ComparisonResult) -> str:
    test, (first, second) = result.count.test, result.names
    hypotheses = test.hypotheses
    if hypotheses.null != 0 or hypotheses.alternative > 0:
        return ""
    return f"{second} is {'better' if test.verdict == 'alternative' else 'not better'} than {first}: "
