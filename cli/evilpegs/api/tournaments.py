"""A tournament: strategies and programs play on equal terms, and a table says who is ahead of whom."""

import os
import secrets
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, astuple, dataclass, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from evilpegs.errors import CommandError, as_malformed
from evilpegs_clients.evaluation.journal import Journal
from evilpegs_clients.printable import printable
from evilpegs_clients.strategies.loading import (
    FILE_ENDINGS,
    file_stem,
    find_siblings,
    load_strategy,
    read_source,
    source_version,
)
from evilpegs_clients.strategies.program import ProgramStrategy
from evilpegs_clients.strategies.registry import STRATEGIES, warm_up
from evilpegs_clients.strategies.strategy import turn_rng
from evilpegs_clients.strategies.tree_strategy import TREE_ENDINGS
from evilpegs_clients.tournament.play import Conditions, Participant, PlayedGame, play_games
from evilpegs_game.codemakers.codemaker import Fixed
from evilpegs_game.codes import format_code
from evilpegs_game.errors import quoted, require, to_whole, wrong_argument
from evilpegs_game.feedback import format_turns
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import load_value_curve, usual_curve
from evilpegs_game.rules import Rules, to_rules
from evilpegs_game.statistics.rounds import Entrant, RoundRow, round_table

TournamentCodemaker = Literal["fixed", "evil"]

DEFAULT_GAMES: Final = {"fixed": 250, "evil": 20}
OTHER_GUESS_LIMIT: Final = 12  # on rules without a value curve
MAX_NAME: Final = 40


@dataclass(frozen=True, slots=True)
class TournamentRow(RoundRow):
    """A row of the table with the ``entrant`` as it was given, and its ``version``, which changes with its content."""

    entrant: str
    version: str


class TournamentFault(NamedTuple):
    """A game in which an entrant broke down, why, and the ``command`` that repeats it."""

    name: str
    game: int
    message: str
    command: str


@dataclass(frozen=True, slots=True, repr=False)
class Tournament:
    """The result of `tournament`: the table, best first, and the games in which entrants broke down.

    A row of ``entrants`` has ``place``, ``name``, ``mean`` in guesses per game, ``games``, ``failed``, and the names of
    those whom it is ``ahead_of``, ``plays_better_than`` and ``fails_less_than``. Scores are adjusted for luck if the
    rules have a value curve, whose hash is ``curve``. ``seed`` repeats the tournament.

    >>> import evilpegs
    >>> result = evilpegs.tournament(["minimax", "entropy"], "2x3", games=2, seed=1)
    >>> sorted((row.name, row.games, row.failed) for row in result.entrants), result.faults
    ([('entropy', 2, 0), ('minimax', 2, 0)], ())
    """

    rules: Rules
    codemaker: TournamentCodemaker
    guess_limit: int
    seed: int
    curve: str | None
    entrants: tuple[TournamentRow, ...]
    faults: tuple[TournamentFault, ...]

    def __repr__(self) -> str:
        first = f"{self.entrants[0].name} first of {len(self.entrants)}"
        return f"<Tournament with {self.codemaker} on {self.rules}: {first}>"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of ``evilpegs tournament --json``."""
        faults = [fault._asdict() for fault in self.faults]
        return asdict(self) | {"rules": str(self.rules), "entrants": [*map(asdict, self.entrants)], "faults": faults}


class TournamentRun:
    """A tournament while its games are played; ``digest`` names it, for a journal, by all but its seed."""

    def __init__(
        self,
        entrants: Iterable[str | Path],
        rules: Rules | str,
        codemaker: TournamentCodemaker,
        games: int | None,
        guess_limit: int | None,
        seconds: int,
        memory: int,
        jobs: int,
        seed: int | None,
    ) -> None:
        if sys.platform != "linux":
            where = "evilpegs compare runs elsewhere"
            raise CommandError(f"a tournament needs Linux, which limits what entrants use; {where}")
        parsed = to_rules(rules)
        require(codemaker, str, "a codemaker", "'fixed' or 'evil'")
        if codemaker not in DEFAULT_GAMES:
            raise wrong_argument("a codemaker", codemaker, "'fixed' or 'evil'")
        number = to_whole("games", DEFAULT_GAMES[codemaker] if games is None else games, 1, 10_000)
        usual = usual_curve(parsed)
        usual_limit = OTHER_GUESS_LIMIT if usual is None else usual.guess_limit
        limit = to_whole("guess_limit", usual_limit if guess_limit is None else guess_limit, 1, 100)
        seconds = to_whole("seconds", seconds, 1, 86_400)
        memory = to_whole("memory", memory, 1, 1_000_000)
        self.seed = None if seed is None else to_whole("seed", seed, 0)
        processors = sorted(os.sched_getaffinity(0))
        self._cores = processors[: to_whole("jobs", jobs, 1, len(processors))]
        self.cast = tuple(_read_entrants(entrants, parsed))
        words = [str(parsed), codemaker, limit, number, seconds, memory, *map(astuple, self.cast)]
        self.digest = sha256(repr([version("evilpegs"), *words]).encode()).hexdigest()
        count = f"{number:,} game{'' if number == 1 else 's'}"
        self.about = f"a tournament of {len(self.cast)} on {parsed}, {codemaker}, {count}"
        curve = load_value_curve(parsed, limit) if codemaker == "fixed" else None
        self.conditions = Conditions(parsed, codemaker, limit, 0, seconds, memory, curve)
        self.played: list[list[PlayedGame]] = []
        self._games = range(1, number + 1)

    def draw_seed(self) -> int:
        """Return the seed that was given, or else a new one that nobody knows."""
        return secrets.randbits(63) if self.seed is None else self.seed

    def play(self, seed: int, kept: Journal, on_games: Callable[[int, int], object] = lambda _done, _all: None) -> None:
        """Play the games that ``kept`` does not have, and add them; ``on_games`` gets the games so far, and all."""
        self.conditions = replace(self.conditions, seed=seed)
        rules, cast = self.conditions.rules, self.cast
        missing = {
            index: left
            for index in range(len(cast))
            if (left := [game for game in self._games if f"{index} {game}" not in kept.outcomes])
        }
        if missing:
            for typed in {"minimax"} | {
                each.typed for each in cast if each.typed in STRATEGIES and not each.is_program
            }:
                warm_up(load_strategy(typed), [rules], LiveSets())
        total = len(cast) * len(self._games)
        done = total - sum(map(len, missing.values()))
        on_games(done, total)
        with closing(play_games(self.conditions, cast, missing, self._cores)) as playing:
            for number, played in enumerate(playing, done + 1):
                kept.add(f"{played.entrant} {played.game}", played.to_json())
                on_games(number, total)
        self.played = [
            [PlayedGame.from_json(index, game, kept.outcomes[f"{index} {game}"], rules) for game in self._games]
            for index in range(len(cast))
        ]

    def result(self) -> Tournament:
        """Return the result of the games, after they were played."""
        conditions, own, field = self.conditions, {each.name: each for each in self.cast}, []
        for entrant, games in zip(self.cast, self.played, strict=True):
            solved = [game.score for game in games if game.score is not None]
            field.append(Entrant(entrant.name, solved, len(games) - len(solved)))
        table = round_table(field, conditions.guess_limit)
        return Tournament(
            *(conditions.rules, conditions.codemaker, conditions.guess_limit, conditions.seed),
            None if conditions.curve is None else conditions.curve.hash,
            tuple(
                TournamentRow(**asdict(row), entrant=(it := own[row.name]).typed, version=it.version) for row in table
            ),
            tuple(self._faults()),
        )

    def _faults(self) -> Iterator[TournamentFault]:
        for entrant, games in zip(self.cast, self.played, strict=True):
            for game in games:
                if game.fault is not None:
                    command = _repeating(self.conditions, entrant, game)
                    yield TournamentFault(entrant.name, game.game, printable(game.fault), command)


def tournament(
    entrants: Iterable[str | Path],
    rules: Rules | str = "classic",
    codemaker: TournamentCodemaker = "fixed",
    *,
    games: int | None = None,
    guess_limit: int | None = None,
    seconds: int = 10,
    memory: int = 1_000,
    jobs: int = 1,
    seed: int | None = None,
) -> Tournament:
    """Let strategies and programs play a number of games each, and say who is ahead of whom. Needs Linux.

    It is what ``evilpegs tournament`` plays, without a journal: each entrant plays secrets of its own, in a process of
    its own on one processor, and loses the games in which it breaks down.

    Args:
        entrants: Two or more, each the name of a built-in strategy, the path of a ``.py`` or ``.tree`` file, or
            ``NAME='command'`` for a program that reads positions and writes codes as lines of JSON. ``NAME=`` before a
            strategy or file names it too.
        rules: A `Rules` or a text such as ``4x6`` or ``classic``.
        codemaker: ``fixed`` draws a secret for each game; ``evil`` never commits to one.
        games: Games per entrant, at most 10,000; by default 250, and 20 against evil.
        guess_limit: The most guesses of a game, at most 100; by default that of the rules' value curve, or 12. A failed
            game counts as one more.
        seconds: Processor time per game; ten times as long by the clock ends a game too.
        memory: MB of memory that an entrant may use.
        jobs: Entrants that play at the same time, at most one per processor.
        seed: The seed of secrets and choices; by default a new one that nobody knows.

    Raises:
        EvilpegsError: an argument is wrong, or an entrant cannot play.

    >>> import evilpegs
    >>> result = evilpegs.tournament(["minimax", "mini=minimax"], "2x3", "evil", games=1, seed=1)
    >>> result, [row.ahead_of for row in result.entrants]
    (<Tournament with evil on 2x3: minimax first of 2>, [(), ()])
    """
    with as_malformed():
        run = TournamentRun(entrants, rules, codemaker, games, guess_limit, seconds, memory, jobs, seed)
        run.play(run.draw_seed(), Journal())
        return run.result()


def _read_entrants(given: Iterable[str | Path], rules: Rules) -> list[Participant]:
    wanted = "files, strategies or NAME='command'"
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise wrong_argument("a list of entrants", given, f"two or more {wanted}")
    entrants = list[Participant]()
    for each in given:
        require(each, str | Path, "an entrant", wanted)
        entrants.append(_read_entrant(str(each)))
    if len(entrants) < 2:
        raise CommandError(f"a tournament has two entrants or more; name {wanted}")
    for index, entrant in enumerate(entrants):
        if entrant.name in [other.name for other in entrants[:index]]:
            raise CommandError(
                f"two entrants are called {entrant.name}; write OTHER={shlex.quote(entrant.typed)} for one"
            )
        if entrant.typed.endswith(TREE_ENDINGS) and not entrant.is_program:
            # a bad tree, or one of other rules, would lose every game
            load_strategy(entrant.typed).choose(Position(rules), turn_rng(0, 1))
    return entrants


def _read_entrant(text: str) -> Participant:
    name, equals, typed = text.partition("=")
    if not equals or _is_file(text):
        name, typed = file_stem(Path(text).name), text
    if not (name.isprintable() and 1 <= len(name) <= MAX_NAME) or "/" in name or name[0] in ".-":
        raise CommandError(f"no name of an entrant: {quoted(name)}; it has 1 to {MAX_NAME} characters without a slash")
    if typed.endswith(FILE_ENDINGS) and (not equals or " " not in typed or _is_file(typed)):
        # not loaded here: whatever the file does, it does in a process of its own
        source = read_source(typed)
        if source is None:
            raise CommandError(f"there is no strategy file {typed}; check the name")
        return Participant(name, typed, False, source_version(source, find_siblings(Path(typed))))
    if equals and typed not in STRATEGIES:
        checked = ProgramStrategy(typed).version
        files = [Path(word) for word in shlex.split(typed)[1:] if _is_file(word)]
        digest = sha256(b"".join([checked.encode(), *(file.read_bytes() for file in files)]))
        return Participant(name, typed, True, digest.hexdigest()[:8])
    if _is_file(typed):
        program = shlex.quote(str(Path(typed).absolute()))
        raise CommandError(f"{typed} is no .py or .tree file; if it is a program, write: {name}={program}")
    return Participant(name, load_strategy(typed).name, False, version("evilpegs"))


def _is_file(text: str) -> bool:
    return os.path.isfile(text)  # noqa: PTH113 - `Path.is_file` fails for a text that can be no path


def _repeating(conditions: Conditions, entrant: Participant, game: PlayedGame) -> str:
    who = ["--exec", entrant.typed] if entrant.is_program else [entrant.typed]
    codemaker = conditions.make_codemaker(entrant, game.game)
    if isinstance(codemaker, Fixed):
        how = ["--secret", format_code(codemaker.secret)]
    else:  # from where it broke down, because evil's ties were drawn
        how = ["--after", *format_turns(game.turns)] if game.turns else []
    seed = ["--seed", str(conditions.game_seed(entrant, game.game))]
    return shlex.join(["evilpegs", "duel", *who, "--rules", str(conditions.rules), *how, *seed])
