"""One game, guess by guess, without a server."""

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from threading import RLock
from typing import Any, Final

from evilpegs.api.duels import CheckedCodemaker, CodemakerName, make_codemaker
from evilpegs_clients.daily import is_solved, seeded_evil, seeded_secret
from evilpegs_game.analysis.par import ParJudge, par_budget
from evilpegs_game.analysis.regret import Regret, regret
from evilpegs_game.analysis.turns import USUAL
from evilpegs_game.codemakers.codemaker import Codemaker, Evil, Fixed
from evilpegs_game.codes import Code, CodeLike, to_code
from evilpegs_game.displays import Html, html_caption, html_turns
from evilpegs_game.errors import GameError, MalformedError, quoted, to_whole
from evilpegs_game.feedback import Feedback
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import game_luck, raw_score, usual_curve
from evilpegs_game.optimal.evil_search import Ties
from evilpegs_game.optimal.least_total import BoundedSolver
from evilpegs_game.rules import Rules, to_rules

_SEED: Final = re.compile(r"[0-9A-Za-z-]{1,40}")  # as in the page's links


class Game:
    """One game with a codemaker, in which you make the guesses.

    The same seed gives the same game as in the browser: evil decides ties, and the secret of a fixed codemaker is
    drawn, by HMAC-SHA256 with the seed as key. So ``seed="daily-2026-12-08"`` is the codemaker of that day.

    Args:
        rules: A `Rules` or a text such as ``4x6`` or ``classic``.
        codemaker: ``evil``, ``fixed``, ``devil``, or an object with the method ``reply(position, guess)``.
        seed: A number from 0, or a text of 1 to 40 letters, digits and hyphens. None lets evil take the first of tied
            feedbacks, as `duel` does. Only evil and a drawn secret use it.
        limit: The most guesses, also if several threads share the game.
        secret: The secret of a fixed codemaker, in place of one drawn with ``seed``.
        live_sets: A cache that games may share to save time, such as the ``live_sets`` of another game.

    Raises:
        EvilpegsError: an argument is wrong.

    >>> import evilpegs
    >>> game = evilpegs.Game("4x6", codemaker="fixed", secret="6645")
    >>> game.guess("1122")
    Feedback(black=0, white=0)
    >>> game.position.count, game.over, game.score
    (256, False, None)
    >>> [str(game.guess(code)) for code in ("3345", "3636", "3565", "6645")]
    ['2,0', '1,1', '1,1', '4,0']
    >>> game
    <Game with fixed on 4x6: solved in 5 guesses>
    >>> round(game.luck, 3), round(game.score - game.luck, 3)
    (0.542, 4.458)
    """

    def __init__(
        self,
        rules: Rules | str = "classic",
        codemaker: CodemakerName | Codemaker = "evil",
        *,
        seed: int | str | None = None,
        limit: int = 10,
        secret: CodeLike | None = None,
        live_sets: LiveSets | None = None,
    ) -> None:
        self.rules = to_rules(rules)
        self.limit = to_whole("limit", limit, 1)
        self.codemaker = codemaker if isinstance(codemaker, str) else type(codemaker).__name__.lower()
        """The name of the codemaker."""
        self.live_sets = LiveSets() if live_sets is None else live_sets
        self.position = Position(self.rules, (), self.live_sets)
        """What the codebreaker knows: `Position.history` has the turns so far."""
        if secret is not None and (not isinstance(codemaker, str) or codemaker != "fixed"):
            raise MalformedError("only a fixed codemaker has a secret; leave secret out or pass codemaker='fixed'")
        self._codemaker = _codemaker(codemaker, self.rules, None if seed is None else to_seed(seed), secret)
        self._is_seeded = seed is not None and isinstance(codemaker, str)
        self._regrets: list[Regret | None] = []
        self._guessing = RLock()

    def __getstate__(self) -> dict[str, Any]:
        state = vars(self).copy()
        del state["_guessing"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _guessing=RLock())

    def __repr__(self) -> str:
        guesses = len(self.position.history)
        state = "solved in" if self.solved else "unsolved after" if self.over else "open after"
        many = f"{guesses} guess{'' if guesses == 1 else 'es'}"
        return f"<Game with {self.codemaker} on {self.rules}: {state} {many}>"

    def _repr_html_(self) -> Html:
        return html_turns(html_caption(self), self.position.history)

    def guess(self, code: CodeLike) -> Feedback:
        """Guess a code and return the feedback.

        Raises:
            EvilpegsError: the game is over, or ``code`` is not a code of the rules; then nothing has changed.
        """
        with self._guessing:
            if self.over:
                raise GameError(f"this game is over after {len(self.position.history)} guesses; begin another Game")
            guess = to_code(code, self.rules)
            reply = self._codemaker.reply(self.position, guess)
            self.position = self.position.after(guess, reply)
            return reply

    @property
    def solved(self) -> bool:
        """True if the last guess was the secret."""
        return is_solved(self.position.history)

    @property
    def over(self) -> bool:
        """True if the game is solved or has no guess left."""
        return self.solved or len(self.position.history) >= self.limit

    @property
    def score(self) -> int | None:
        """The number of guesses if the game is solved, else one more than the limit; None while it is not over."""
        return raw_score(self.rules, self.position.history, self.limit) if self.over else None

    @property
    def luck(self) -> float | None:
        """The guesses that bad luck added so far; negative if the luck was good, and ``score - luck`` is adjusted.

        None if there is no value curve for the rules, or if the codemaker is not ``fixed``: others have no secret.
        """
        curve = usual_curve(self.rules) if self.codemaker == "fixed" else None
        return None if curve is None else game_luck(self.rules, self.position.history, curve, self.live_sets)

    @property
    def regret(self) -> Regret | None:
        """The guesses that all guesses so far are expected to lose against optimal play, between two exact bounds.

        ``at_least`` and ``at_most`` are equal where optimal play can be computed in well under a second per turn; an
        unknown upper bound is None. It is None if nothing is known about a guess. Every candidate counts as equally
        likely; against evil the guesses are those that are lost for sure, with the ties of this game.
        """
        history, regrets = self.position.history, self._regrets
        if len(regrets) < len(history):
            lost = self._judge_of_turns()
            for turn in range(len(regrets), len(history)):
                before = Position(self.rules, history[:turn], self.live_sets, USUAL.feedback_budget)
                regrets = [*regrets, lost(before, history[turn].guess)]
            self._regrets = regrets  # a new list: shallow copies and other threads have the old one
        known = [each for each in regrets[: len(history)] if each is not None]
        if len(known) < len(history):
            return None
        most = [each.at_most for each in known if each.at_most is not None]
        at_most = sum(most, Fraction()) if len(most) == len(known) else None
        return Regret(sum((each.at_least for each in known), Fraction()), at_most)

    def _judge_of_turns(self) -> Callable[[Position, Code], Regret | None]:
        evil = self._codemaker
        if not isinstance(evil, Evil):
            return partial(regret, solver=BoundedSolver(self.rules, USUAL.solver_budget))
        ties: Ties = "first" if evil.tie_break is None else "worst"
        if evil.tie_break is not None and self._is_seeded:  # that of a caller may depend on more than it is given
            ties = evil.tie_break
        return ParJudge(self.rules, ties, par_budget(self.rules, USUAL.solver_budget)).regret


def _codemaker(
    codemaker: CodemakerName | Codemaker, rules: Rules, seed: str | None, secret: CodeLike | None
) -> Codemaker:
    if not isinstance(codemaker, str):
        return codemaker if type(codemaker) is Evil else CheckedCodemaker(codemaker)
    if codemaker == "evil":
        return Evil() if seed is None else seeded_evil(seed)
    if codemaker != "fixed" or secret is not None:
        return make_codemaker(codemaker, rules, secret)
    if seed is None:
        raise MalformedError("a fixed codemaker needs a secret; pass seed=1 to draw one, or secret='1122'")
    return Fixed(seeded_secret(seed, rules))


def to_seed(seed: int | str) -> str:
    """Return the text of a seed. Raises MalformedError."""
    if isinstance(seed, str):
        if _SEED.fullmatch(seed):
            return seed
        raise MalformedError(f"not a seed: {quoted(seed)}; pass a number, or 1 to 40 letters, digits and hyphens")
    return str(to_whole("seed", seed, 0))
