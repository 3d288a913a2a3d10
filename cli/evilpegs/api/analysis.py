"""Analysis of a game: what each guess was worth, and what to guess next."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from evilpegs.api.game import to_seed
from evilpegs_clients.daily import seeded_evil
from evilpegs_game.analysis.advice import Advice, Adviser, AssistHistory, Contradiction
from evilpegs_game.analysis.turns import THOROUGH, USUAL, TurnAnalysis, analyze_games
from evilpegs_game.displays import Html, html_caption, html_pegs, html_turns, show_bounds
from evilpegs_game.errors import MalformedError, quote_value, to_flag
from evilpegs_game.feedback import Turn, TurnLike, to_turns
from evilpegs_game.optimal.evil_search import Ties
from evilpegs_game.rules import Rules, to_rules


@dataclass(frozen=True, slots=True, repr=False)
class GameAnalysis:
    """The analysis of a game: a sequence with the `TurnAnalysis` of each turn.

    A `TurnAnalysis` has, among others, ``candidates_before`` and ``candidates_after``, the numbers of codes possible
    before and after the turn; ``bits``, the information in the feedback; ``best_guesses``; and ``regret``, the number
    of guesses that the guess is expected to lose against optimal play.

    >>> import evilpegs
    >>> (turn,) = evilpegs.analyze("4x6", [("1122", "1,0")])
    >>> turn.candidates_before, turn.candidates_after, turn.is_candidate
    (1296, 256, True)
    """

    rules: Rules
    turns: tuple[TurnAnalysis, ...]

    def __repr__(self) -> str:
        counts = [self.rules.size, *(turn.candidates_after for turn in self.turns)]
        known = " -> ".join("?" if count is None else f"{count:,}" for count in counts)
        turns = f"{len(self)} turn{'' if len(self) == 1 else 's'}"
        return f"<GameAnalysis of {turns} on {self.rules}: candidates {known}>"

    def _repr_html_(self) -> Html:
        columns: dict[str, list[object]] = {
            "left": [turn.candidates_after for turn in self],
            "bits": [turn.bits for turn in self],
            "best": [turn.optimal_guess and html_pegs(turn.optimal_guess) for turn in self],
            "regret": [show_bounds(turn.regret) for turn in self],
            "luck": [turn.luck for turn in self],
            "needed": [show_bounds(turn.needed) for turn in self],
        }
        return html_turns(html_caption(self), [(turn.guess, turn.feedback) for turn in self], *columns.items())

    def __len__(self) -> int:
        return len(self.turns)

    def __getitem__(self, index: int) -> TurnAnalysis:
        return self.turns[index]

    def __iter__(self) -> Iterator[TurnAnalysis]:
        return iter(self.turns)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object with ``rules`` and ``turns``; each turn has the keys of ``evilpegs replay --json``."""
        turns = [Turn(turn.guess, turn.feedback).to_json() | turn.to_json() for turn in self.turns]
        return {"rules": str(self.rules), "turns": turns}


def analyze(
    rules: Rules | str,
    turns: Iterable[TurnLike],
    codemaker: Literal["fixed", "evil"] = "fixed",
    *,
    seed: int | str | None = None,
    thorough: bool = False,
) -> GameAnalysis:
    """Say what each guess of a game was worth: candidates before and after, bits of information, best guesses, regret.

    Candidates are the codes still possible; regret is the number of guesses that a guess is expected to lose against
    optimal play. Against evil it is the number that is lost for sure, and ``needed`` has the further guesses that are
    sure after each turn. If turns contradict each other, ``candidates_after`` is 0 at the first turn that leaves no
    code, and None at all later turns.

    Args:
        rules: A `Rules` or a text such as ``4x6`` or ``classic``.
        turns: The turns of the game so far, from any codemaker: each a text such as ``1122:0,1``, or a guess and its
            feedback as texts or objects.
        codemaker: ``evil`` if it left the most codes each time; else each candidate counts as equally likely.
        seed: That of the `Game` against evil; without one, equal parts are decided as is worst.
        thorough: True if the analysis of a turn may take minutes. Values that would take too long to compute are None.

    Raises:
        EvilpegsError: an argument is wrong.

    >>> import evilpegs
    >>> game = evilpegs.analyze("4x6", ["1122:0,1", ("3414", "1,1")])
    >>> game
    <GameAnalysis of 2 turns on 4x6: candidates 1,296 -> 256 -> 51>
    >>> round(game.turns[0].bits, 2)
    2.34
    >>> [turn.needed.exact for turn in evilpegs.analyze("4x6", ["1122:1,0", "1111:0,0"], "evil")]
    [4, 4]
    """
    parsed = to_rules(rules)
    history = to_turns(turns, parsed)
    effort = THOROUGH if to_flag("thorough", thorough) else USUAL
    return GameAnalysis(parsed, analyze_games(parsed, [history], effort, ties=[_to_ties(codemaker, seed)])[0])


def advise(
    rules: Rules | str,
    turns: Iterable[TurnLike] = (),
    codemaker: Literal["fixed", "evil"] = "fixed",
    *,
    seed: int | str | None = None,
) -> Advice | Contradiction:
    """Say what is left after the turns of a game and what to guess next, as ``evilpegs assist`` does.

    The arguments are those of `analyze`. An `Advice` has ``codes``, the exact number of codes left; ``listed``, these
    codes if they are at most 30; ``suggestions``, each with ``guess``, ``best_by`` and ``figures``; and
    ``more_guesses``, the mean number that optimal play needs, as a fraction or None if it takes too long to find.
    Against evil there are instead ``par``, the bounds ``at_least`` and ``at_most`` on the guesses that are sure, and
    ``keeping``, guesses that keep them, the best first.
    If no code fits, a `Contradiction` has instead the numbers of the ``rows`` that contradict each other, from 1, and
    ``fitting``, for each of them, the feedbacks with which it would fit. Both have ``to_json()``, the document of
    ``evilpegs assist --json``. The same turns always get the same advice, in about a second.

    Raises:
        EvilpegsError: an argument is wrong, or the codes cannot be counted.

    >>> import evilpegs
    >>> advice = evilpegs.advise("4x6", ["1122:1,0", "1344:0,2"])
    >>> advice
    <Advice on 4x6 after 2 turns: 41 candidates, guess 3425, by optimal play, expected-size, entropy, most-parts>
    >>> evilpegs.advise("4x6", ["1111:1,0", "1111:2,0"])
    <Contradiction on 4x6: rows 1, 2>
    >>> advice = evilpegs.advise("4x6", ["1122:1,0"], "evil")
    >>> advice.par.exact, evilpegs.format_code(advice.keeping[0])
    (4, '1344')
    """
    parsed = to_rules(rules)
    adviser = Adviser(parsed, Random, ties=_to_ties(codemaker, seed))
    return adviser.advise(AssistHistory(parsed, to_turns(turns, parsed)))


def _to_ties(codemaker: str, seed: int | str | None) -> Ties | None:
    if codemaker not in ("fixed", "evil"):
        raise MalformedError(f"no codemaker {quote_value(codemaker)}; pass 'fixed' or 'evil'")
    if seed is None:
        return "worst" if codemaker == "evil" else None
    if codemaker != "evil":
        raise MalformedError("only evil has a seed here; leave seed out or pass codemaker='evil'")
    return seeded_evil(to_seed(seed)).tie_break
