"""Many games side by side as one environment of gymnasium; `evilpegs.gym` registers it.

    >>> import gymnasium
    >>> import evilpegs.gym
    >>> env = gymnasium.make_vec("evilpegs/Evil-4x6-v0", num_envs=3)
    >>> observations, infos = env.reset(seed=1)  # of the games 1, 2 and 3
    >>> observations, rewards, terminations, truncations, infos = env.step([7, 7, 0])
    >>> rewards.tolist(), infos["action_mask"].sum(axis=1).tolist()
    ([-1.0, -1.0, -1.0], [256, 256, 625])

docs/agents.md describes it.
"""

from collections.abc import Sequence
from operator import index
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from evilpegs.api.duels import CodemakerName
from evilpegs.gym import MAX_DISCRETE, GuessingEnv, Observation, Shaping, show_game
from evilpegs_clients.daily import seeded_secret_index
from evilpegs_game.codemakers.many_games import Each, ManyGames
from evilpegs_game.codes import all_codes, to_code
from evilpegs_game.errors import MalformedError, check_bound, quote_value, to_whole
from evilpegs_game.feedback import Feedback, Turn, feedbacks
from evilpegs_game.luck.game_luck import usual_curve
from evilpegs_game.rules import Rules, to_rules
from evilpegs_protocol.commitment import seed_tie_index

Flags = NDArray[np.bool_]
MAX_BYTES: Final = 1 << 30
_DRAWN: Final = 64  # seeds of games at once: one at a time takes 2 us


class GuessingVectorEnv(gymnasium.vector.VectorEnv[Observation, Any, NDArray[Any]]):
    """``num_envs`` environments of `GuessingEnv` in one, with the same games for the same seeds.

    The other arguments are those of `GuessingEnv`, for rules of at most 5,040 codes, evil or a fixed codemaker, and no
    ``shaping="regret"``; ``vectorization_mode="sync"`` has the rest. ``autoreset_mode`` is a mode of gymnasium or its
    name. Of N environments with C codes, actions are N whole numbers; ``history`` is int8 of shape (N, limit, pegs+2);
    ``action_mask``, one array for the observation and ``infos``, int8 of shape (N, C); rewards are float64,
    terminations and truncations bool, all of shape (N,). Raises EvilpegsError for a wrong argument, and before anything
    is allocated if the arrays would take more than 1 GiB; 1,024 environments of 4x6 take 17 MB.
    """

    metadata = GuessingEnv.metadata | {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | str = "classic",
        codemaker: CodemakerName = "evil",
        limit: int = 10,
        *,
        shaping: Shaping | None = None,
        gamma: float = 1.0,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        single = GuessingEnv(rules, codemaker, limit, shaping=shaping, gamma=gamma, render_mode=render_mode)
        self.rules, self.codemaker, self.limit = single.rules, codemaker, single.limit
        self.shaping, self.gamma, self.render_mode = shaping, gamma, render_mode
        self.num_envs = count = to_whole("num_envs", num_envs, 1)
        self.autoreset_mode = _to_mode(autoreset_mode)
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        if codemaker == "devil" or shaping == "regret" or not isinstance(single.action_space, Discrete):
            raise MalformedError(
                f"{self.rules} {codemaker}, shaping={shaping!r}: only evil and fixed play side by side, without "
                f"regret, with at most {MAX_DISCRETE:,} codes; pass vectorization_mode='sync'"
            )
        needed = self.bytes_needed(self.rules, count, self.limit)
        message = f"{count:,} games of {self.rules} take {needed:,} bytes; the limit is {MAX_BYTES:,}; take fewer"
        check_bound(needed, MAX_BYTES, message)
        self.single_action_space, self.single_observation_space = single.action_space, single.observation_space
        self.action_space = batch_space(self.single_action_space, count)
        self.observation_space = batch_space(self.single_observation_space, count)
        curve, size = usual_curve(self.rules), self.rules.size
        self._values = None if curve is None else np.array([0.0, *map(curve.value, range(1, size + 1))])
        self._games = ManyGames(self.rules, count, self._values if codemaker == "fixed" else None)
        self._codes = all_codes(self.rules).T.astype(np.int8)
        self._answers = np.array(feedbacks(self.rules.pegs), np.int8)
        self._history = np.full((count, self.limit, self.rules.pegs + 2), -1, np.int8)
        self._turns = np.zeros(count, np.int64)
        self._over, self._begun = np.zeros((2, count), np.bool_)
        self._generators: list[np.random.Generator | None] = [None] * count
        self._drawn, self._next = np.zeros((count, _DRAWN), np.int64), np.full(count, _DRAWN)
        self._seeds = np.zeros(count, np.int64)

    @staticmethod
    def bytes_needed(rules: Rules | str, num_envs: int, limit: int) -> int:
        """Return how much memory the arrays take, with those of the spaces and of one step."""
        rules = to_rules(rules)
        per_game = 6 * (rules.size + limit * (rules.pegs + 2)) + 8 * _DRAWN + 2048  # with a generator
        return ManyGames.bytes_needed(rules, num_envs) + num_envs * per_game

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin all games, or those of the flags ``reset_mask`` in ``options``; ``secret`` there is that of them all.

        ``seed`` is one per environment, or the first of numbers that follow each other, as in gymnasium.
        """
        games, secret = self._masked((options or {}).get("reset_mask")), self._secret((options or {}).get("secret"))
        seeds = self._to_seeds(seed)
        fresh = [game for game in games.tolist() if seeds[game] is not None or self._generators[game] is None]
        for game, generator in [(game, np_random(seeds[game])[0]) for game in fresh]:
            self._generators[game], self._next[game] = generator, _DRAWN
        self._begin(games, secret)
        self._begun[games] = True
        return self._observe()

    def step(self, actions: Any) -> tuple[Observation, NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Guess in each game the code at the index that its action is; the action of a game that begins is ignored."""
        if not self._begun.all() or (self.autoreset_mode == AutoresetMode.DISABLED and self._over.any()):
            raise ResetNeeded("a game is over, or not begun; call reset()")
        numbers, beginning, playing = np.asarray(actions), self._over, ~self._over
        if numbers.shape != (self.num_envs,) or numbers.dtype.kind not in "iu":
            raise MalformedError(f"actions must be {self.num_envs:,} whole numbers, not {quote_value(actions)}")
        games = np.flatnonzero(playing & (numbers >= 0) & (numbers < self.rules.size))
        guesses, before, pegs = numbers[games].astype(np.int64), self._games.counts.copy(), self.rules.pegs
        replies = self._games.reply(games, guesses, self._break_tie if self.codemaker == "evil" else None)
        self._history[playing, self._turns[playing], pegs:] = 0  # also of an action that is no code
        self._history[games, self._turns[games], :pegs] = self._codes[guesses]
        self._history[games, self._turns[games], pegs:] = self._answers[replies]
        self._turns += playing
        failed = playing & (self._turns >= self.limit)
        failed[games] &= replies < len(self._answers) - 1
        over = failed.copy()
        over[games] |= replies == len(self._answers) - 1
        rewards = np.where(playing, -1.0 - failed, 0.0)
        if self.shaping == "value" and self._values is not None:
            after = np.where(over, 0.0, -self._values[self._games.counts])
            rewards[playing] += (self.gamma * after + self._values[before])[playing]
        ended = self._ended(over, failed) if over.any() else {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            beginning, ended = over, self._final(over, ended) if ended else {}
        self._over = over.copy()
        self._begin(np.flatnonzero(beginning))
        observation, infos = self._observe()
        return observation, rewards, over, np.zeros_like(over), infos | ended

    def render(self) -> tuple[str, ...] | None:
        """Return the turns so far of each game, as `GuessingEnv.render` does."""
        if self.render_mode != "ansi":
            return None
        pegs, shown = self.rules.pegs, []
        for rows, turns in zip(self._history.tolist(), self._turns.tolist(), strict=True):
            history = tuple(Turn(tuple(row[:pegs]), Feedback(*row[pegs:])) for row in rows if row[0] >= 0)
            shown.append(show_game(self.rules, self.codemaker, history, turns, self.limit))
        return tuple(shown)

    def _begin(self, games: Each, secret: int | None = None) -> None:
        for game in games[self._next[games] == _DRAWN].tolist():
            self._drawn[game], self._next[game] = self._generators[game].integers(1 << 63, size=_DRAWN), 0
        self._seeds[games] = self._drawn[games, self._next[games]]
        self._next[games] += 1
        secrets: Any = secret or 0
        if self.codemaker == "fixed" and secret is None:
            secrets = [seeded_secret_index(str(seed), self.rules.size) for seed in self._seeds[games].tolist()]
        self._games.begin(games, secrets)
        self._turns[games], self._history[games], self._over[games] = 0, -1, False

    def _break_tie(self, game: int, turn: int, tied: int) -> int:
        return seed_tie_index(str(self._seeds[game]), turn, tied)

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        # each time in new arrays, because whoever learns keeps them
        mask = self._games.masks.copy()
        infos = {"action_mask": mask, "_action_mask": np.ones(self.num_envs, np.bool_)}
        return {"history": self._history.copy(), "action_mask": mask}, infos

    def _ended(self, over: Flags, failed: Flags) -> dict[str, Any]:
        infos = {"score": np.where(over, self._turns + failed, 0), "_score": over.copy()}
        if self._values is not None and self.codemaker == "fixed":
            infos |= {"luck": np.where(over, self._games.luck, 0.0), "_luck": over.copy()}
        return infos

    def _final(self, over: Flags, ended: dict[str, Any]) -> dict[str, Any]:
        final = np.full(self.num_envs, None, object)
        for game in np.flatnonzero(over):
            final[game] = {"history": self._history[game].copy(), "action_mask": self._games.masks[game].copy()}
        masks = {"action_mask": self._games.masks * over[:, None], "_action_mask": over.copy()}
        return {"final_obs": final, "_final_obs": over.copy(), "final_info": masks | ended, "_final_info": over.copy()}

    def _masked(self, flags: Any) -> Each:
        if flags is None:
            return np.arange(self.num_envs)
        if not isinstance(flags, np.ndarray) or flags.shape != (self.num_envs,) or flags.dtype != np.bool_:
            raise MalformedError(f"reset_mask must be an array of {self.num_envs:,} bools, not {quote_value(flags)}")
        return np.flatnonzero(flags)

    def _secret(self, secret: Any) -> int | None:
        if secret is None:
            return None
        if self.codemaker != "fixed":
            raise MalformedError("only a fixed codemaker has a secret; leave secret out or pass codemaker='fixed'")
        return int((self._codes == to_code(secret, self.rules)).all(axis=1).argmax())

    def _to_seeds(self, seed: Any) -> list[int | None]:
        seeds = seed if isinstance(seed, Sequence | np.ndarray) else [seed] * self.num_envs
        if len(seeds) != self.num_envs:
            raise MalformedError(f"{len(seeds):,} seeds for {self.num_envs:,} environments; pass one for each")
        step = int(seeds is not seed)
        return [None if each is None else index(each) + step * game for game, each in enumerate(seeds)]


def _to_mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        modes = ", ".join(repr(each.value) for each in AutoresetMode)
        raise MalformedError(f"no autoreset mode {quote_value(mode)}; take one of {modes}") from None
