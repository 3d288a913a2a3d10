"""Games of a tournament: each entrant plays in a process of its own, and what it breaks costs it that game alone."""

import os
import shlex
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Any, Final, Literal

from platformdirs import user_cache_path

from evilpegs_clients.paired_games import score_game
from evilpegs_clients.strategies.loading import FILE_ENDINGS
from evilpegs_clients.strategies.program import ProgramStrategy, make_request
from evilpegs_clients.strategies.program_limits import ProgramLimits, count_processes
from evilpegs_clients.strategies.strategy import StrategyError, game_seed, turn_rng
from evilpegs_clients.unsigned_record import UnsignedGame, record_lines
from evilpegs_game.codemakers.codemaker import Codemaker, Evil, Fixed
from evilpegs_game.codes import code_at, format_code, parse_code
from evilpegs_game.feedback import Feedback, Turn, all_black
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import ValueCurve
from evilpegs_game.rules import Rules
from evilpegs_protocol.commitment import derive_nonce, secret_index, tie_index
from evilpegs_protocol.fields import Outcome

_HOST: Final = (sys.executable, "-P", "-m", "evilpegs_clients.tournament.host")


@dataclass(frozen=True, slots=True)
class Participant:
    """A strategy, by its name or file, or the command line of a program; ``version`` changes with its content."""

    name: str
    typed: str
    is_program: bool
    version: str

    def match_id(self, seed: int) -> str:
        return sha256(f"match {seed} {self.name}".encode()).hexdigest()[:16]

    def nonce(self, seed: int, game: int) -> str:
        """Return the nonce from which a game's secret follows: nobody learns it from the games of others."""
        key = sha256(f"nonces {seed} {self.name}".encode()).digest()
        return derive_nonce(key, self.match_id(seed), game)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all games of a tournament share; ``seconds`` and ``megabytes`` are those of `ProgramLimits`."""

    rules: Rules
    codemaker: Literal["fixed", "evil"]
    guess_limit: int
    seed: int
    seconds: float
    megabytes: int
    curve: ValueCurve | None

    def make_codemaker(self, entrant: Participant, game: int) -> Codemaker:
        nonce, match = entrant.nonce(self.seed, game), entrant.match_id(self.seed)
        if self.codemaker == "fixed":
            return Fixed(code_at(secret_index(nonce, None, match, game, self.rules.size), self.rules))
        return Evil(lambda turn, tied: tie_index(nonce, match, game, turn, tied))

    def game_seed(self, entrant: Participant, game: int) -> int:
        return game_seed(self.seed, entrant.name, game)


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game, its ``score`` if it was solved, and its ``fault`` if the entrant broke down."""

    entrant: int
    game: int
    turns: tuple[Turn, ...]
    took_ms: tuple[int, ...]
    score: float | None
    fault: str | None

    def to_json(self) -> list[Any]:
        turns = [
            [format_code(guess), *reply, took] for (guess, reply), took in zip(self.turns, self.took_ms, strict=True)
        ]
        return [turns, self.score, self.fault]

    @classmethod
    def from_json(cls, entrant: int, game: int, document: list[Any], rules: Rules) -> "PlayedGame":
        turns, score, fault = document
        history = tuple(Turn(parse_code(code, rules), Feedback(black, white)) for code, black, white, _ in turns)
        return cls(entrant, game, history, tuple(took for *_, took in turns), score, fault)


class _Player:
    def __init__(self, conditions: Conditions, index: int, entrant: Participant, stop: Event) -> None:
        self._conditions, self._index, self._entrant = conditions, index, entrant
        self._limits = ProgramLimits(conditions.seconds, conditions.megabytes, stop.is_set)
        command = entrant.typed
        if not entrant.is_program:
            path = str(Path(command).resolve()) if command.endswith(FILE_ENDINGS) else command
            command = shlex.join([*_HOST, path, str(user_cache_path())])
        self._program = ProgramStrategy(command, limits=self._limits)
        self._program.name = entrant.name
        self._live_sets = LiveSets()

    def play(self, game: int) -> PlayedGame:
        conditions, program, end = self._conditions, self._program, all_black(self._conditions.rules.pegs)
        position = Position(conditions.rules, (), self._live_sets)
        codemaker, seed = conditions.make_codemaker(self._entrant, game), conditions.game_seed(self._entrant, game)
        took, fault, score = list[int](), None, None
        self._limits.new_game(program.group)
        try:
            while len(took) < conditions.guess_limit and score is None:
                before = time.monotonic()
                request = make_request(position, turn_rng(seed, position.turn))
                guess = program.ask(position, request if self._entrant.is_program else request | {"game_seed": seed})
                took.append(int(1000 * (time.monotonic() - before)))
                position = position.after(guess, codemaker.reply(position, guess))
                if position.history[-1].feedback == end:
                    score = score_game(position.rules, position.history, len(took), conditions.curve, self._live_sets)
            if broken := self._limits.broken(program.group):
                raise StrategyError(f"after its last guess: {broken}")
        except StrategyError as error:
            fault, score = str(error).removeprefix(f"program {program.name} "), None
        # what it started in the game, or left of a broken one, does not play on
        if fault is not None or count_processes(program.group) > 1:
            program.close()
        return PlayedGame(self._index, game, position.history, tuple(took), score, fault)

    def close(self) -> None:
        self._program.close()


def play_games(
    conditions: Conditions, entrants: Sequence[Participant], missing: Mapping[int, Sequence[int]], cores: Sequence[int]
) -> Generator[PlayedGame, None, None]:
    """Yield each ``missing`` game as it ends, one entrant at a time per core; in the end, no process is left."""
    results, stop, free = SimpleQueue[PlayedGame | Future[None]](), Event(), list(cores)

    def play_all(index: int, games: Sequence[int]) -> None:
        with closing(_Player(conditions, index, entrants[index], stop)) as player:
            for game in games:
                played = player.play(game)
                if stop.is_set():
                    return
                results.put(played)

    # the core of a thread is that of the programs that it starts
    pool = ThreadPoolExecutor(len(cores), initializer=lambda: os.sched_setaffinity(0, {free.pop()}))
    try:
        working = [pool.submit(play_all, *games) for games in missing.items()]
        for future in working:
            future.add_done_callback(results.put)
        while working:
            result = results.get()
            if isinstance(result, Future):
                working.remove(result)
                result.result()
            else:
                yield result
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def entrant_lines(conditions: Conditions, entrant: Participant, games: Sequence[PlayedGame], at: int) -> list[str]:
    return record_lines(
        entrant.match_id(conditions.seed),
        entrant.name,
        entrant.version,
        conditions.rules,
        [_recorded(conditions, entrant, game) for game in games],
        at,
        ladder="tournament",
        guess_limit=conditions.guess_limit,
        codemaker=conditions.codemaker,
        tie=None if conditions.codemaker == "fixed" else "largest/seeded",
    )


def _recorded(conditions: Conditions, entrant: Participant, game: PlayedGame) -> UnsignedGame:
    nonce, codemaker = entrant.nonce(conditions.seed, game.game), conditions.make_codemaker(entrant, game.game)
    witness = (
        codemaker.secret if isinstance(codemaker, Fixed) else Position(conditions.rules, game.turns).first_candidate
    )
    outcome: Outcome = "unsolved" if len(game.turns) == conditions.guess_limit else "resigned"
    if game.turns and game.turns[-1].feedback == all_black(conditions.rules.pegs):
        outcome = "solved"
    return UnsignedGame(nonce, game.turns, game.took_ms, witness, outcome)
