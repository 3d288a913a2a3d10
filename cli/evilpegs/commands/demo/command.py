"""The command `evilpegs demo`: bots of several strategies play on a real server, then the log is shown."""

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter
from rich.console import Console

from evilpegs.commands.bot.run import describe_games
from evilpegs.commands.demo.server import cancel_on_signals, child_server, wait_for_interrupt
from evilpegs.commands.leaderboard.from_database import load_standings
from evilpegs.commands.leaderboard.table import show_standings
from evilpegs.commands.replay.command import show_match
from evilpegs.database import find_match, open_for_reading
from evilpegs.output import console, progress
from evilpegs_clients.bot.bot import BotEvent, play_matches
from evilpegs_clients.bot.summary import BotSummary, MatchSummary
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_server.record.match_analysis import analyze_match

NOT_VERIFIED: Final = 1
LUCK_SECONDS: Final = 30.0  # the server usually measures the luck of the last games in under a second


@dataclass(frozen=True, slots=True)
class DemoPlan:
    """The matches of each strategy's bot, by ladder, and the ladder whose last match is shown."""

    strategies: tuple[str, ...]
    matches: tuple[tuple[str, int], ...]
    shown_ladder: str

    @property
    def total(self) -> int:
        """The number of matches of all bots on all ladders."""
        return len(self.strategies) * sum(count for _, count in self.matches)


# each bot plays 200 games on the fixed ladder and 20 against evil, enough for ranks
FULL_PLAN: Final = DemoPlan(
    strategies=("first-consistent", "random-consistent", "minimax", "entropy", "most-parts"),
    matches=(("classic", 20), ("classic-evil", 5)),
    shown_ladder="classic-evil",
)


def demo(
    *,
    stay: Annotated[
        bool,
        Parameter(
            negative="",
            show_default=False,
            help="Keep the server and its matches until Ctrl-C, to look around in a browser.",
        ),
    ] = False,
) -> int:
    """Watch bots play matches on a real server, and the leaderboards that result.

    Starts `evilpegs serve` on free ports with a database in a temporary directory, lets bots of five strategies
    play timed matches against the fixed and the evil codemaker, shows the leaderboards and one game from the log,
    and stops the server. Meanwhile its page can be opened in a browser. Takes under a minute and leaves nothing behind.
    """
    return run_demo(FULL_PLAN, stay=stay)


def run_demo(plan: DemoPlan, *, stay: bool = False) -> int:
    """Play a plan on a server with a temporary database, and return the exit status."""

    async def run() -> bool:
        with cancel_on_signals(), tempfile.TemporaryDirectory(prefix="evilpegs-demo-") as folder:
            return await demonstrate(plan, Path(folder), console(), stay=stay)

    return 0 if asyncio.run(run()) else NOT_VERIFIED


async def demonstrate(plan: DemoPlan, folder: Path, out: Console, *, stay: bool) -> bool:
    """Play the matches of a plan and print the results; return True if every game is verified."""
    database = f"sqlite:///{folder / 'demo.sqlite3'}"
    out.print("Starting a server with a database in a temporary directory", style="bold")
    async with child_server(database, folder / "server.log") as server:
        out.print(f"It listens on {server.game}. {len(plan.strategies)} bots connect and play {plan.total} matches.")
        out.print(f"Watch them in a browser: {server.site}\n")
        summaries = await _play(plan, server.game, folder, out)
        shown = next(m.match for s in reversed(summaries) for m in s.matches if m.ladder == plan.shown_ladder)
        await _show_log(database, shown, out)
        if stay:
            out.print(f"\nThe server keeps running: look around at {server.site} until you press Ctrl-C", style="bold")
            await wait_for_interrupt()
        out.print("\nStopping the server with SIGTERM", style="bold")
    out.print("It stopped cleanly. Now you: evilpegs serve, and beside it evilpegs play")
    return all(summary.verified for summary in summaries)


async def _play(plan: DemoPlan, server: str, folder: Path, out: Console) -> list[BotSummary]:
    with progress(out) as bar:
        progress_task = bar.add_task("matches", total=plan.total)

        def advance(event: BotEvent) -> None:
            if isinstance(event, MatchSummary):
                bar.advance(progress_task)

        try:
            async with asyncio.TaskGroup() as bots:
                tasks = [
                    bots.create_task(_play_ladders(name, plan, server, folder, out, advance))
                    for name in plan.strategies
                ]
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
    return [summary for task in tasks for summary in task.result()]


async def _play_ladders(
    strategy: str, plan: DemoPlan, server: str, folder: Path, out: Console, on_event: Callable[[BotEvent], None]
) -> list[BotSummary]:
    summaries = []
    for ladder, matches in plan.matches:
        summary = await play_matches(
            server=server,
            ladder=ladder,
            strategy=load_strategy(strategy),
            name=strategy,
            matches=matches,
            token_file=folder / "tokens.json",
            on_event=on_event,
        )
        out.print(_summary_line(summary, ladder))
        summaries.append(summary)
    return summaries


def _summary_line(summary: BotSummary, ladder: str) -> str:
    verdict = "all verified" if summary.verified else "NOT verified"
    return f"  {summary.player:<17}  {ladder:<12}  {describe_games(summary.games)}, {verdict}"


async def _show_log(database: str, match: str, out: Console) -> None:
    with open_for_reading(database) as engine:
        out.print("\nThe leaderboards, computed from the log (evilpegs leaderboard)\n", style="bold")
        show_standings(out, await load_standings(engine, luck_seconds=LUCK_SECONDS))
        out.print("\nOne game against the evil codemaker (evilpegs replay MATCH)\n", style="bold")
        stored = find_match(engine, match)
        show_match(out, analyze_match(stored.id, stored.entries), games=1)
