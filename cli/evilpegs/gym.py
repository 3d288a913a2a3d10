"""Games as environments of gymnasium; importing this module registers them.

    >>> import gymnasium
    >>> import evilpegs.gym
    >>> env = gymnasium.make("evilpegs/Evil-4x6-v0")
    >>> observation, info = env.reset(seed=1)
    >>> int(info["action_mask"].sum())
    1296
    >>> observation, reward, terminated, truncated, info = env.step(7)  # the code at index 7, 1122
    >>> reward, terminated, int(info["action_mask"].sum())
    (-1.0, False, 256)

docs/agents.md describes observations, actions and rewards.
"""

from collections.abc import Callable
from functools import partial
from operator import index
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evilpegs.api.duels import CodemakerName
from evilpegs.api.game import Game
from evilpegs_game.analysis.regret import Regret, regret
from evilpegs_game.codes import Code, check_code, column_code
from evilpegs_game.errors import IllegalCodeError, MalformedError
from evilpegs_game.feedback import History, feedback_number, format_turns
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import game_luck, usual_curve
from evilpegs_game.optimal.least_total import BoundedSolver
from evilpegs_game.partition import feedback_numbers
from evilpegs_game.rules import Rules, to_rules
from evilpegs_protocol.suggestions import install_hint

try:
    import gymnasium
    from gymnasium.error import ResetNeeded
    from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete
except ModuleNotFoundError:
    raise ImportError(f"evilpegs.gym needs gymnasium, which is not installed; {install_hint('gym')}") from None

Shaping = Literal["value", "regret"]
Observation = dict[str, Any]  # of int8 arrays

MAX_DISCRETE: Final = 5040
"""The most codes that are numbered; with more, an action has a color per peg."""
_MAX_REGRET: Final = 1296  # codes; beyond, a step against evil takes more than 10 ms, and with a fixed secret hours
_CACHE_BYTES: Final = 64 << 20  # of one environment; a vector has many
_NONE: Final = -1  # in a history


class GuessingEnv(gymnasium.Env[Observation, Any]):
    """An environment whose episodes are games in which the agent guesses.

    ``rules``, ``codemaker`` and ``limit`` are those of `evilpegs.Game`. The reward is -1 per guess, and -2 for the last
    guess of a game that is not solved: without discount a return is minus the score. With ``shaping="value"``,
    ``gamma * potential after - potential before`` is added; the potential is minus the value curve at the number of
    candidates, and 0 at the end. With ``shaping="regret"`` the -1 of a guess becomes minus its regret, with at most
    1,296 codes: 6 ms a step against evil on 4x6, up to a second with a fixed secret. Raises EvilpegsError for a wrong
    argument.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - the base class declares it so

    def __init__(
        self,
        rules: Rules | str = "classic",
        codemaker: CodemakerName = "evil",
        limit: int = 10,
        *,
        shaping: Shaping | None = None,
        gamma: float = 1.0,
        render_mode: str | None = None,
    ) -> None:
        self._live_sets = LiveSets(_CACHE_BYTES)
        self._game = Game(rules, codemaker, seed=0, limit=limit, live_sets=self._live_sets)
        self.rules, self.codemaker, self.limit = self._game.rules, codemaker, self._game.limit
        self.shaping, self.gamma, self.render_mode = shaping, gamma, render_mode
        self._curve = usual_curve(self.rules)
        self._check_shaping(gamma)
        self._lost: Callable[[Position, Code], Regret | None] | None = None
        size, pegs, colors = self.rules.size, self.rules.pegs, self.rules.colors
        self._columns = self._game.position.all_codes
        self._is_numbered = size <= MAX_DISCRETE
        self.action_space = Discrete(size) if self._is_numbered else MultiDiscrete([colors] * pegs)
        self._mask = np.ones(size if self._is_numbered else (pegs, colors), np.int8)
        self._history = np.full((self.limit, pegs + 2), _NONE, np.int8)
        self.observation_space = Dict(
            history=Box(_NONE, max(colors - 1, pegs), self._history.shape, np.int8),
            action_mask=MultiBinary(self._mask.shape),
        )
        self._turns = self.limit  # over until it is reset

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game. ``options`` may have ``secret``, a code or its text, if the codemaker is fixed."""
        super().reset(seed=seed)
        self._game = Game(
            self.rules,
            self.codemaker,
            seed=int(self.np_random.integers(1 << 63)),
            limit=self.limit,
            secret=(options or {}).get("secret"),
            live_sets=self._live_sets,
        )
        if self.codemaker == "evil":
            self._lost = None  # this game has ties of its own
        self._turns = 0
        self._history = np.full_like(self._history, _NONE)
        self._mask = np.ones_like(self._mask)
        return self._observe()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Guess the code at index ``action``, or with these colors. An action that is no code costs its turn too."""
        if self._over():
            raise ResetNeeded("the game is over, or not begun; call reset()")
        before, guess, reward = self._game.position, self._code(action), -1.0
        if guess is None:
            self._history[self._turns, -2:] = 0
        else:
            reply = self._game.guess(guess)
            self._history[self._turns] = (*guess, *reply)
            if not self._is_numbered:
                present = [np.bincount(row, minlength=self.rules.colors) for row in self._game.position.candidates]
                self._mask = (np.stack(present) > 0).astype(np.int8)
            else:
                number = feedback_number(reply, self.rules.pegs)
                self._mask = self._mask & (feedback_numbers(self._columns, guess) == number)
            if self.shaping == "regret" and (lost := self._judge()(before, guess)) is not None:
                reward = 0.0 - float(lost.at_least)
        self._turns += 1
        observation, info = self._observe()
        over = self._over()
        if over:
            failed = not self._game.solved
            reward -= failed
            info["score"] = self._turns + failed
            if self._curve is not None and self.codemaker == "fixed":
                info["luck"] = game_luck(self.rules, self._game.position.history, self._curve, self._live_sets)
        if self.shaping == "value":
            after = 0.0 if over else self._potential(self._game.position)
            reward += self.gamma * after - self._potential(before)
        return observation, reward, over, False, info

    def render(self) -> str | None:
        """Return the turns so far, one per line, if ``render_mode`` is "ansi"."""
        if self.render_mode != "ansi":
            return None
        return show_game(self.rules, self.codemaker, self._game.position.history, self._turns, self.limit)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask flat and of type bool, as sb3-contrib asks for it."""
        return self._mask.ravel().astype(np.bool_)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_lost": None}  # a cache

    def _judge(self) -> Callable[[Position, Code], Regret | None]:
        if self._lost is None:
            is_evil = self.codemaker == "evil"
            self._lost = self._game._judge_of_turns() if is_evil else partial(regret, solver=BoundedSolver(self.rules))
        return self._lost

    def _over(self) -> bool:
        return self._game.solved or self._turns >= self.limit

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        # each time in new arrays, because whoever learns keeps them
        return {"history": self._history.copy(), "action_mask": self._mask.copy()}, {"action_mask": self._mask.copy()}

    def _code(self, action: Any) -> Code | None:
        if self._is_numbered:
            number = index(action)
            return column_code(self._columns, number) if 0 <= number < self.rules.size else None
        code = tuple(map(index, action))
        try:
            check_code(code, self.rules)
        except IllegalCodeError:
            return None
        return code

    def _potential(self, position: Position) -> float:
        return 0.0 if self._curve is None else -self._curve.value(position.count)

    def _check_shaping(self, gamma: object) -> None:
        if self.shaping not in {None, *get_args(Shaping)}:
            raise MalformedError(f"no shaping {self.shaping!r}; take None, 'value' or 'regret'")
        if not isinstance(gamma, float | int) or not 0 <= gamma <= 1:
            raise MalformedError(f"gamma must be a number from 0 to 1, not {gamma!r}")
        if self.shaping == "value" and self._curve is None:
            raise MalformedError(f"{self.rules} has no value curve; leave shaping out, or take 4x6 for example")
        if self.shaping == "regret" and (self.codemaker == "devil" or self.rules.size > _MAX_REGRET):
            raise MalformedError(
                f"shaping='regret' is for evil or a fixed codemaker, and at most {_MAX_REGRET:,} codes, such as 4x6: "
                "beyond, a step takes 35 ms (5x5 against evil) to hours; "
                f"{self.rules} {self.codemaker} can take shaping='value'"
            )


def show_game(rules: Rules, codemaker: str, history: History, turns: int, limit: int) -> str:
    return "\n".join([f"{rules} {codemaker}, {turns} of {limit} turns", *format_turns(history)])


for _name, _rules, _limit in (
    ("4x6", "4x6", 10),
    ("5x8", "5x8", 14),
    ("BullsAndCows", "4x10-distinct", 12),
    ("mini", "3x4", 8),
):
    for _codemaker in ("evil", "fixed"):
        gymnasium.register(
            f"evilpegs/{_codemaker.title()}-{_name}-v0",
            entry_point=f"{__name__}:GuessingEnv",
            # without one, gymnasium makes a vector of single environments
            vector_entry_point=f"{__name__}_vector:GuessingVectorEnv"
            if to_rules(_rules).size <= MAX_DISCRETE
            else None,
            kwargs={"rules": _rules, "codemaker": _codemaker, "limit": _limit},
        )
