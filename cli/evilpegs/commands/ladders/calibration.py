"""`evilpegs ladders --calibrate`: a file with the value curve of a ladder, made from the games of a good strategy.

Up to `EXACT_SIZE` codes, the strategy `entropy` plays against every secret. On larger rules, the strategy `sampled`
plays random games, whose secrets and choices follow from a seed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from evilpegs.errors import CommandError
from evilpegs.files import failure_reason
from evilpegs.output import pluralize, progress
from evilpegs_clients.strategies.heuristics import Entropy
from evilpegs_clients.strategies.sampled import Sampled
from evilpegs_clients.strategies.seeding import draw_secret, game_seed
from evilpegs_clients.strategies.strategy import seeded_choice
from evilpegs_game.codes import Code
from evilpegs_game.evaluation.tree_walk import ChooseGuess
from evilpegs_game.luck.calibration import Remaining, fit_knots, remaining_of_games, remaining_of_secrets
from evilpegs_game.luck.value_curve import CURVES_FOLDER, ValueCurve, curve_path, format_value_curve
from evilpegs_game.rules import Rules
from evilpegs_protocol.files import replacement
from evilpegs_protocol.server_messages import LadderInfo

EXACT_SIZE: Final = 50_000  # codes; every secret of 5x8, with 32,768 codes, takes 10 seconds
DEFAULT_GAMES: Final = 500
MAX_GAMES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class CalibrationRequest:
    """The options of a calibration; without ``folder``, the curve goes to the folder of the built-in ones."""

    games: int | None = None
    seed: int | None = None
    folder: Path | None = None
    force: bool = False

    @property
    def is_empty(self) -> bool:
        """True if no option was given."""
        return self == CalibrationRequest()


def calibrate(info: LadderInfo, request: CalibrationRequest, err: Console) -> dict[str, Any]:
    """Write the value curve of a ladder to a file, and describe it as the JSON object of --json."""
    rules = Rules.parse(info.rules)
    path = curve_path(rules, info.guess_limit, request.folder or CURVES_FOLDER)
    _check(info, rules, request, path)
    calibration, remaining = _remaining(rules, request, err)
    curve = ValueCurve(rules, info.guess_limit, fit_knots(remaining, rules), calibration)
    _write(path, format_value_curve(curve))
    return {
        "ladder": info.id,
        "rules": info.rules,
        "guess_limit": info.guess_limit,
        "calibration": calibration,
        "knots": len(curve.knots),
        "expected": curve.value(rules.size),
        "hash": curve.hash,
        "file": str(path),
    }


def _check(info: LadderInfo, rules: Rules, request: CalibrationRequest, path: Path) -> None:
    if info.codemaker != "fixed":
        why = f"its codemaker is {info.codemaker}; choose one with a fixed codemaker"
        raise CommandError(f"ladder {info.id} has no luck to adjust for: {why}")
    if request.games is not None and not 1 <= request.games <= MAX_GAMES:
        raise CommandError(f"--games must be 1 to {MAX_GAMES:,}, not {request.games:,}")
    if rules.size <= EXACT_SIZE and (request.games, request.seed) != (None, None):
        raise CommandError(
            f"--games and --seed are for larger rules; on {rules} every secret is played, so leave them out"
        )
    if path.exists() and not request.force:
        raise CommandError(
            f"{path} exists, and luck that is stored under its curve would lose its meaning; --force replaces it"
        )
    if not path.parent.is_dir():
        raise CommandError(f"{path.parent} is not a folder; name one that exists after --folder")


def _remaining(rules: Rules, request: CalibrationRequest, err: Console) -> tuple[str, Remaining]:
    with progress(err) as bar:
        if rules.size <= EXACT_SIZE:
            task = bar.add_task(f"{rules}", total=rules.size)
            choose = seeded_choice(Entropy())
            return "entropy, every secret", remaining_of_secrets(
                choose, rules, lambda finished: bar.update(task, completed=finished)
            )
        games, seed = request.games or DEFAULT_GAMES, request.seed or 0
        numbers = bar.track(range(games), description=f"{rules}")
        remaining = remaining_of_games(_games(rules, seed, iter(numbers)), rules)
        return f"sampled, {pluralize(games, 'game')}, seed {seed}", remaining


def _games(rules: Rules, seed: int, numbers: Iterator[int]) -> Iterator[tuple[ChooseGuess, Code]]:
    for number in numbers:
        each = game_seed(seed, number)
        yield seeded_choice(Sampled(), each), draw_secret(each, rules)


def _write(path: Path, text: str) -> None:
    try:
        with replacement(path) as new:
            new.write_text(text, encoding="utf-8", newline="\n")
            new.chmod(0o644)  # every user of an installed package reads it
    except OSError as error:
        raise CommandError(f"cannot write {path}: {failure_reason(error)}; name another folder with --folder") from None
