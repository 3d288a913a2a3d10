"""Boards of watched matches in a terminal, drawn at most ten times per second however fast bots play."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from functools import partial
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from evilpegs.commands.watch.boards import Boards, MatchBoard
from evilpegs.live_screen import LiveScreen
from evilpegs.output import pluralize
from evilpegs.reading import explain_refusals, retry_policy
from evilpegs_clients.feed.watch_feed import Watched, watch_matches
from evilpegs_clients.printable import printable
from evilpegs_clients.terminal.pegs import feedback_marks, peg_text
from evilpegs_protocol.server_messages import GameOver

REDRAW_SECONDS: Final = 0.1
MAX_TURNS: Final = 8
BOARD_LINES: Final = MAX_TURNS + 5  # the turns, the frame, the client, the results and the end of a game
LEAST_WIDTH: Final = 36


async def show_watched(server: str, watched: Watched, out: Console) -> None:
    """Show the boards until interrupted, or until the only watched match is over."""
    boards, changed = Boards(), asyncio.Event()
    screen = LiveScreen(out, partial(boards_view, out, boards, f"waiting for matches at {server}"))
    with screen:
        drawing = asyncio.create_task(_draw_changes(screen, changed))
        try:
            with explain_refusals(server, watched.match):
                async with aclosing(watch_matches(server, watched, retry_policy(), screen.say)) as events:
                    async for event in events:
                        boards.add(event)
                        changed.set()
        finally:
            drawing.cancel()
            screen.draw()


async def _draw_changes(screen: LiveScreen, changed: asyncio.Event) -> None:
    while True:
        await changed.wait()
        changed.clear()
        screen.draw()
        await asyncio.sleep(REDRAW_SECONDS)


def boards_view(out: Console, boards: Boards, waiting: str) -> RenderableType:
    """Return as many boards as fit on ``out`` and the number of other matches, or the text ``waiting``."""
    everything = boards.shown(len(boards))
    if not everything:
        return Text(printable(waiting), "dim")
    width = min(out.width, max(map(_board_width, everything)))
    columns = max(1, out.width // width)
    shown = boards.shown(columns * max(1, (out.height - 2) // BOARD_LINES))
    grid = Table.grid()
    for start in range(0, len(shown), columns):
        grid.add_row(*(_panel(board, width) for board in shown[start : start + columns]))
    others = boards.under_way - sum(board.over is None for board in shown)
    more = [_line(f"and {pluralize(others, 'more match', 'more matches')} under way", "dim")] if others > 0 else []
    return Group(grid, *more)


def _board_width(board: MatchBoard) -> int:
    # the number of a turn, three characters per peg, a mark per peg, and the frame
    return max(LEAST_WIDTH, 4 + 3 * board.started.pegs + 2 + board.started.pegs + 6)


def _panel(board: MatchBoard, width: int) -> Panel:
    started = board.started
    title = Text(printable(f"{started.player} on {started.ladder}"), "bold")
    return Panel(Group(*_lines(board)), title=title, title_align="left", width=width, height=BOARD_LINES)


def _lines(board: MatchBoard) -> Iterator[Text]:
    started = board.started
    client = f"{started.client.name} {started.client.version}"
    yield _line(f"game {board.game} of {started.games}, {client}", "dim")
    yield _line(_results(board.games_over), "dim")
    for turn in board.turns[-MAX_TURNS:]:
        marks = feedback_marks(turn.black, turn.white, started.pegs)
        line = Text.assemble(f"{turn.turn:>3} ", peg_text(turn.code), "  ", marks)
        line.no_wrap = True
        yield line
    if board.over is not None:
        solved = board.over.outcomes.count("solved")
        yield _line(f"over: {solved} of {pluralize(len(board.over.outcomes), 'game')} solved", "bold")
    elif (last := board.last_game) is not None:
        yield _line(f"{last.outcome} after {pluralize(last.guesses, 'guess', 'guesses')}", "bold")


def _results(games: list[GameOver]) -> str:
    results = " ".join(str(game.guesses) if game.outcome == "solved" else "-" for game in games)
    return f"guesses: {results}" if results else ""


def _line(text: str, style: str) -> Text:
    return Text(printable(text), style, no_wrap=True, overflow="ellipsis")
