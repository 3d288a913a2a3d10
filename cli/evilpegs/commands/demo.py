"""`evilpegs demo`: bots of several strategies play on a real server, then the log is shown.

The server runs in a child process that never outlives this process.
"""

import asyncio
import ctypes
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter
from rich.console import Console

from evilpegs.commands.bot import describe_games
from evilpegs.commands.leaderboard.from_database import load_standings
from evilpegs.commands.leaderboard.table import show_standings
from evilpegs.commands.replay import show_match
from evilpegs.database import find_match, now_ms, open_for_reading, open_results
from evilpegs.errors import CommandError
from evilpegs.output import console, progress
from evilpegs.signals import ENDING_SIGNALS, SIGNAL_STATUS
from evilpegs_clients.bot.bot import BotEvent, play_matches
from evilpegs_clients.bot.summary import BotSummary, MatchSummary
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_server.record.recorded_match import analyze_match
from evilpegs_server.storage.acts import add_players
from evilpegs_server.storage.players import new_token

NOT_VERIFIED: Final = 1
LUCK_SECONDS: Final = 30.0  # the server usually measures the luck of the last games in under a second
START_SECONDS: Final = 120.0  # on a fresh machine the server compiles its kernels first
STOP_SECONDS: Final = 15.0
GREETING: Final = "listening on "
SITE_GREETING: Final = "the site is "
_PR_SET_PDEATHSIG: Final = 1


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
    return 0 if asyncio.run(_demonstrate(plan, console(), stay=stay)) else NOT_VERIFIED


async def _demonstrate(plan: DemoPlan, out: Console, *, stay: bool) -> bool:
    tokens = {name: new_token() for name in plan.strategies}
    out.print("Starting a server with a database in a temporary directory", style="bold")
    with _cancel_on_signals(), tempfile.TemporaryDirectory(prefix="evilpegs-demo-") as name:
        folder, database = Path(name), f"sqlite:///{name}/demo.sqlite3"
        async with child_server(database, folder / "server.log") as (game, site):
            with open_for_reading(database) as engine:  # the names of strategies are the operator's to give
                add_players(engine, tokens, "bot", now_ms())
            out.print(f"It listens on {game}. {len(plan.strategies)} bots connect and play {plan.total} matches.")
            out.print(f"Watch them in a browser: {site}\n")
            summaries = await _play(plan, game, folder, tokens, out)
            shown = next(m.match for s in reversed(summaries) for m in s.matches if m.ladder == plan.shown_ladder)
            await _show_log(database, shown, out)
            if stay:
                out.print(f"\nThe server keeps running: look around at {site} until you press Ctrl-C", style="bold")
                await _wait_for_interrupt()
            out.print("\nStopping the server with SIGTERM", style="bold")
    out.print("It stopped cleanly. Now you: evilpegs serve, and beside it evilpegs play")
    return all(summary.verified for summary in summaries)


async def _play(plan: DemoPlan, server: str, folder: Path, tokens: Mapping[str, str], out: Console) -> list[BotSummary]:
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
                    token_file=folder / "tokens.json",
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


@asynccontextmanager
async def child_server(database: str, log: Path) -> AsyncIterator[tuple[str, str]]:
    """Run a server on free ports during the block, for its addresses ws:// and http://; errors quote its log."""
    with log.open("wb") as errors:
        server = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "evilpegs", "serve", "--port", "0", "--database", database),
            *("--site", "--site-port", "0"),
            stdout=PIPE,
            stderr=errors,
            process_group=0,  # a Ctrl-C in the terminal does not reach the server
            preexec_fn=_end_with_parent,
        )
        try:
            game = await _read_address(server, log, GREETING)
            yield game, await _read_address(server, log, SITE_GREETING)
        finally:
            status = await _stop(server)
    if status != 0:
        raise CommandError(f"the server ended with status {status}: {_last_line(log)}")


def _end_with_parent() -> None:
    # the kernel sends SIGTERM when the parent ends, even if SIGKILL ends it
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


async def _read_address(server: Process, log: Path, greeting: str) -> str:
    assert server.stdout is not None  # noqa: S101 - it is a pipe
    try:
        line = await asyncio.wait_for(server.stdout.readline(), START_SECONDS)
    except TimeoutError:
        line = b""
    if not line.startswith(greeting.encode()):
        raise CommandError(f"the server did not start: {_last_line(log)}")
    return line.decode().removeprefix(greeting).strip()


async def _stop(server: Process) -> int:
    if server.returncode is None:
        server.terminate()
    try:
        return await asyncio.wait_for(server.wait(), STOP_SECONDS)
    except TimeoutError:
        server.kill()
        return await server.wait()


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "it said nothing")


async def _wait_for_interrupt() -> None:
    # returns at Ctrl-C, and raises no KeyboardInterrupt
    loop, interrupted = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGINT, interrupted.set)
    try:
        await interrupted.wait()
    finally:
        loop.remove_signal_handler(signal.SIGINT)


@contextmanager
def _cancel_on_signals() -> Iterator[None]:
    # SIGTERM and SIGHUP cancel the task, so that the server is stopped before this process ends
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine always runs in a task
    received: list[signal.Signals] = []

    def stop(number: signal.Signals) -> None:
        received.append(number)
        task.cancel()

    for number in ENDING_SIGNALS:
        loop.add_signal_handler(number, stop, number)
    try:
        yield
    except asyncio.CancelledError:
        if received:
            raise SystemExit(SIGNAL_STATUS + received[0]) from None
        raise
    finally:
        for number in ENDING_SIGNALS:
            loop.remove_signal_handler(number)
