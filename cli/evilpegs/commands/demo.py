"""`evilpegs demo`: bots of several strategies play on a real server, then the log is shown."""

import asyncio
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from rich.console import Console

from evilpegs.api.local_server import LocalServer, local_server
from evilpegs.database import find_match, now_ms, open_for_reading, open_results, server_settings
from evilpegs.kit.bots import describe_games
from evilpegs.kit.match_table import show_match
from evilpegs.kit.publishing import print_published, write_site
from evilpegs.kit.standings import load_standings
from evilpegs.kit.standings_table import show_standings
from evilpegs.options import FILE
from evilpegs.output import console, progress
from evilpegs.signals import TerminatedError, ended_in_order, run_interruptibly
from evilpegs_clients.bot.bot import BotEvent, play_matches
from evilpegs_clients.bot.summary import BotSummary, MatchSummary
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_server.publishing.site import Wanted
from evilpegs_server.record.recorded_match import analyze_match
from evilpegs_server.storage.log.acts import add_players
from evilpegs_server.storage.log.players import new_token

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
        return len(self.strategies) * sum(count for _, count in self.matches)


# each bot plays 200 games on the fixed ladder and 20 against evil, enough for ranks
FULL_PLAN: Final = DemoPlan(
    strategies=("first-consistent", "random-consistent", "minimax", "entropy", "most-parts"),
    matches=(("classic", 20), ("classic-evil", 5)),
    shown_ladder="classic-evil",
)


def demo(*, stay: bool = False, publish: Annotated[Path | None, FILE] = None) -> int:
    """Watch bots play matches on a real server, and the leaderboards that result.

    Starts `evilpegs serve` on free ports with a database in a temporary directory, lets bots of five strategies
    play timed matches against the fixed and the evil codemaker, shows the leaderboards and one game from the log,
    and stops the server. Meanwhile its page can be opened in a browser. Takes under a minute and leaves nothing behind.

    Args:
        stay: Keep the server and its matches until Ctrl-C, to look around in a browser.
        publish: Write all of it to this folder as well, as `evilpegs publish` does, without analyses.
    """
    return run_demo(FULL_PLAN, stay=stay, publish=publish)


def run_demo(plan: DemoPlan, *, stay: bool = False, publish: Path | None = None) -> int:
    out = console()
    out.print("Starting a server with a database in a temporary directory", style="bold")
    with ended_in_order(), local_server() as server:
        verified = run_interruptibly(_demonstrate(plan, server, out))
        if publish is not None:
            print_published(
                publish, write_site(server_settings(database=server.database), publish, Wanted(analyses=False))
            )
        if stay:
            _wait_for_interrupt(server.site_url, out)
        out.print("\nStopping the server with SIGTERM", style="bold")
    out.print("It stopped cleanly. Now you: evilpegs serve, and beside it evilpegs play")
    return 0 if verified else NOT_VERIFIED


async def _demonstrate(plan: DemoPlan, server: LocalServer, out: Console) -> bool:
    tokens = {name: new_token() for name in plan.strategies}
    with open_for_reading(server.database) as engine:  # the names of strategies are the operator's to give
        add_players(engine, tokens, "bot", now_ms())
    out.print(f"It listens on {server.url}. {len(plan.strategies)} bots connect and play {plan.total} matches.")
    out.print(f"Watch them in a browser: {server.site_url}\n")
    summaries = await _play(plan, server.url, tokens, out)
    shown = next(m.match for s in reversed(summaries) for m in s.matches if m.ladder == plan.shown_ladder)
    await _show_log(server.database, shown, out)
    return all(summary.verified for summary in summaries)


async def _play(plan: DemoPlan, server: str, tokens: Mapping[str, str], out: Console) -> list[BotSummary]:
    with progress(out) as bar:
        progress_task = bar.add_task("matches", total=plan.total)

        def advance(event: BotEvent) -> None:
            if isinstance(event, MatchSummary):
                bar.advance(progress_task)

        async def play_ladders(strategy: str) -> list[BotSummary]:
            summaries = []
            for ladder, matches in plan.matches:
                summary = await play_matches(
                    server=server,
                    ladder=ladder,
                    strategy=load_strategy(strategy),
                    name=strategy,
                    token=tokens[strategy],
                    matches=matches,
                    on_event=advance,
                )
                verdict = "all verified" if summary.verified else "NOT verified"
                out.print(f"  {summary.player:<17}  {ladder:<12}  {describe_games(summary.games)}, {verdict}")
                summaries.append(summary)
            return summaries

        try:
            async with asyncio.TaskGroup() as bots:
                tasks = [bots.create_task(play_ladders(name)) for name in plan.strategies]
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
    return [summary for task in tasks for summary in task.result()]


async def _show_log(database: str, match: str, out: Console) -> None:
    with open_results(database) as derived, open_for_reading(database) as engine:
        out.print("\nThe leaderboards, computed from the log (evilpegs leaderboard)\n", style="bold")
        show_standings(out, await load_standings(derived, luck_seconds=LUCK_SECONDS))
        out.print("\nOne game against the evil codemaker (evilpegs replay MATCH)\n", style="bold")
        stored = find_match(engine, match)
        show_match(out, analyze_match(stored.id, stored.entries), games=1)


def _wait_for_interrupt(site: str, out: Console) -> None:
    try:
        out.print(f"\nThe server keeps running: look around at {site} until you press Ctrl-C", style="bold")
        signal.pause()
    except TerminatedError:
        raise
    except KeyboardInterrupt:
        pass
