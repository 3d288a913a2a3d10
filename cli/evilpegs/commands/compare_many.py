"""`evilpegs compare` of three to ten strategies, of which the worst are dropped early."""

import sys
from collections.abc import Sequence
from typing import Any, Final

from evilpegs.errors import CommandError
from evilpegs.output import Column, console, only_document, print_json, print_table, progress
from evilpegs.strategy_choice import warn_of_known_seed
from evilpegs_clients.paired_games import PairedGames
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_game.luck.game_luck import load_value_curve
from evilpegs_game.rules import Rules
from evilpegs_game.statistics.elimination import Elimination
from evilpegs_protocol.server_messages import LadderInfo

MAX_STRATEGIES: Final = 10


def compare_many(
    typed: Sequence[str], ladder: LadderInfo, margin: float, max_games: int, seed: int, as_json: bool
) -> None:
    if len(typed) > MAX_STRATEGIES:
        raise CommandError(f"at most {MAX_STRATEGIES} strategies are compared, not {len(typed)}; leave some out")
    with only_document(as_json):
        result = _compare(typed, ladder, margin, max_games, seed)
    (print_json if as_json else _show)(result)


def _compare(typed: Sequence[str], ladder: LadderInfo, margin: float, max_games: int, seed: int) -> dict[str, Any]:
    strategies, rules = [load_strategy(each) for each in typed], Rules.parse(ladder.rules)
    warn_of_known_seed(typed, seed)
    curve = load_value_curve(rules, ladder.guess_limit)
    games, test = PairedGames(strategies, rules, ladder.guess_limit, curve, seed), Elimination(len(typed), margin)
    with progress(console(sys.stderr)) as bar:
        task = bar.add_task("secrets", total=max_games)
        for number in range(max_games):
            test.add(games.play_each(number, test.left))
            bar.update(task, advance=1, description=f"secrets, {len(test.left)} of {len(typed)} strategies")
            if test.is_decided:
                break
    names = [each.name for each in strategies]
    shown = [name if names.count(name) == 1 else each for name, each in zip(names, typed, strict=True)]
    rows = []
    # those in play first
    for each in sorted(range(len(typed)), key=lambda each: (-test.games[each], test.mean(each))):
        low, high = test.interval(each, test.leader) if each != test.leader else (0.0, 0.0)
        row = {"strategy": shown[each], "games": test.games[each], "mean": test.mean(each), "low": low, "high": high}
        rows.append(row | {"dropped": each not in test.left})
    return {
        "ladder": ladder.id,
        "rules": ladder.rules,
        "guess_limit": ladder.guess_limit,
        "seed": seed,
        "margin": margin,
        "curve": curve and curve.hash,
        "strategies": rows,
        "decided": test.is_decided,
    }


def _show(result: dict[str, Any]) -> None:
    columns: list[Column[dict[str, Any]]] = [
        Column("strategy", lambda row: row["strategy"]),
        Column("games", lambda row: f"{row['games']:,}", "right"),
        Column("mean" if result["curve"] is None else "adjusted mean", lambda row: f"{row['mean']:.4f}", "right"),
        Column("more than the first", lambda row: f"{row['low']:+.3f} to {row['high']:+.3f}" if row["high"] else ""),
        Column("", lambda row: "dropped: worse" if row["dropped"] else ""),
    ]
    print_table(console(), result["strategies"], columns)
    first, margin = result["strategies"][0]["strategy"], result["margin"]
    console().print(
        f"no other one is better than {first} by {margin:g} guesses per game"
        if result["decided"]
        else "undecided; see --max-pairs"
    )
