"""Analysis of a game: what each guess was worth, and what to guess next."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from evilpegs_game.analysis.advice import Advice, Adviser, AssistHistory, Contradiction
from evilpegs_game.analysis.turns import THOROUGH, USUAL, TurnAnalysis, analyze_games
from evilpegs_game.errors import to_flag
from evilpegs_game.feedback import Turn, TurnLike, to_turns
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


def analyze(rules: Rules | str, turns: Iterable[TurnLike], *, thorough: bool = False) -> GameAnalysis:
    """Say what each guess of a game was worth: candidates before and after, bits of information, best guesses, regret.

    Candidates are the codes still possible; regret is the number of guesses that a guess is expected to lose against
    optimal play. If turns contradict each other, ``candidates_after`` is 0 at the first turn that leaves no code, and
    None at all later turns.

    Args:
        rules: A `Rules` or a text such as ``4x6`` or ``classic``.
        turns: The turns of the game so far, from any codemaker: each a text such as ``1122:0,1``, or a guess and its
            feedback as texts or objects.
        thorough: True if the analysis of a turn may take minutes. Values that would take too long to compute are None.

    Raises:
        EvilpegsError: an argument is wrong.

    >>> import evilpegs
    >>> game = evilpegs.analyze("4x6", ["1122:0,1", ("3414", "1,1")])
    >>> game
    <GameAnalysis of 2 turns on 4x6: candidates 1,296 -> 256 -> 51>
    >>> round(game.turns[0].bits, 2)
    2.34
    """
    parsed = to_rules(rules)
    history = to_turns(turns, parsed)
    effort = THOROUGH if to_flag("thorough", thorough) else USUAL
    return GameAnalysis(parsed, analyze_games(parsed, [history], effort)[0])


def advise(rules: Rules | str, turns: Iterable[TurnLike] = ()) -> Advice | Contradiction:
    """Say what is left after the turns of a game and what to guess next, as ``evilpegs assist`` does.

    The arguments are those of `analyze`. An `Advice` has ``codes``, the exact number of codes left; ``listed``, these
    codes if they are at most 30; ``suggestions``, each with ``guess``, ``best_by`` and ``figures``; and
    ``more_guesses``, the mean number that optimal play needs, as a fraction or None if it takes too long to find.
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
    """
    parsed = to_rules(rules)
    return Adviser(parsed, Random).advise(AssistHistory(parsed, to_turns(turns, parsed)))
