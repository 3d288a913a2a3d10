"""`evilpegs play`: a person at a terminal plays a match, which is offered again to one who left it."""

import asyncio
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from random import Random
from secrets import token_hex
from time import monotonic

from evilpegs_clients.connection.connection import RetryPolicy
from evilpegs_clients.connection.login import Credentials
from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.connection.match_view import MatchView, Phase
from evilpegs_clients.connection.session import (
    KeyChanged,
    PlayerSession,
    Reconnected,
    Reconnecting,
    SessionEvent,
    key_change_line,
)
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_clients.errors import TokenFileError
from evilpegs_clients.play.match import TerminalMatch
from evilpegs_clients.play.match_dialog import COMMANDS, MatchDialog
from evilpegs_clients.play.match_screen import MatchScreen
from evilpegs_clients.printable import printable
from evilpegs_clients.terminal.console import PipedConsole
from evilpegs_clients.terminal.prompt import Prompt
from evilpegs_clients.terminal.screen import LeaveError, open_prompt
from evilpegs_protocol.client_messages import ClientInfo
from evilpegs_protocol.server_messages import Notice


async def run_terminal(
    *,
    server: str,
    ladder: str,
    name: str | None = None,
    token_file: Path | None = None,
    token: str | None = None,  # of the operator
    token_from: str | None = None,  # a former address of the server
    prompt: Prompt | None = None,
    retry_policy: RetryPolicy | None = None,
    new_nonce: Callable[[], str] = lambda: token_hex(16),
    clock: Callable[[], float] = monotonic,
) -> None:
    """Let a person play one match, or continue one that they left open."""
    screen = MatchScreen(prompt or open_prompt(PipedConsole(), COMMANDS))
    dialog = MatchDialog(screen)
    credentials = Credentials(
        ClientInfo(name="evilpegs play", version=version("evilpegs")), name, "human", token_from, token
    )
    tokens = TokenFile(token_file or default_token_file(server))
    retry_policy = retry_policy or RetryPolicy(Random())  # noqa: S311 - jitter
    news = _News(dialog)
    session = PlayerSession(server, credentials, tokens, retry_policy, news)
    try:
        joined = await _join_match(session, dialog, ladder)
        news.match = TerminalMatch(joined, dialog, new_nonce, clock)
        await news.match.play()
    except LeaveError:
        _print_how_to_return(session, screen, news.match)
    except asyncio.CancelledError:
        _print_how_to_return(session, screen, news.match)
        raise
    finally:
        dialog.close()
        await session.close()


async def _join_match(session: PlayerSession, dialog: MatchDialog, ladder: str) -> MatchClient:
    welcome = await session.open()
    dialog.screen.say(f"You are {welcome.player} at {session.server}.")
    for match in welcome.open:
        client = await MatchClient.resume(session, match.match)
        view, started = client.view, client.view.started
        if view.phase is Phase.OVER:
            continue
        of = f" of {started.games}" if started.games > 1 else ""
        at = f"Your match {view.id} on {started.ladder} is not over: it is at game {max(1, view.game)}{of}."
        if await dialog.confirm(f"{at} Go on with it?"):
            return client
        consequence = "each of its games left counts as not solved" if started.rated else "it does not count"
        question = f"Resign it then? Otherwise it stays open; if you do, {consequence}."
        if await dialog.confirm(question, default=False):
            while await client.wait_for_move() is not Phase.OVER:
                await client.resign()
    return await MatchClient.play(session, ladder)


def _print_how_to_return(session: PlayerSession, screen: MatchScreen, match: TerminalMatch | None) -> None:
    view = session.view
    if view is None or view.phase is Phase.OVER:
        screen.say("Goodbye.")
        return
    player = session.welcome.player
    if session.welcome.kind == "guest":
        try:
            session.login.keep_guest(session.welcome.player)
        except TokenFileError as error:
            screen.say(str(error))
            return
    screen.say(_return_text(view, match))
    screen.say(f"  evilpegs play --name {player} --server {session.addresses}")


def _return_text(view: MatchView, match: TerminalMatch | None) -> str:
    if view.started.clock is None:
        return "The match is not resigned: it is kept for an hour. To come back to it:"
    if view.phase is Phase.READY and match is not None:
        seconds = match.countdown.ready_seconds()
        return (
            f"The match is not resigned. Its game {view.game} is lost unless it begins within {seconds} seconds, "
            "and so are the next ones. To come back to it:"
        )
    seconds = view.ready_by_ms // 1000
    return (
        "The match is not resigned, but its clock runs, and a game that is not begun within "
        f"{seconds} seconds is lost. To come back to it:"
    )


class _News:
    def __init__(self, dialog: MatchDialog) -> None:
        self.match: TerminalMatch | None = None
        self._dialog = dialog
        self._screen = dialog.screen

    def __call__(self, news: SessionEvent) -> None:
        match news:
            case Notice():
                self._screen.say(f"The server says: {printable(news.message)}")
            case Reconnecting():
                if not self._dialog.is_away:
                    self._dialog.is_away = True
                    self._screen.say(f"The server is away: {printable(news.why)}.")
                attempt = f"attempt {news.attempt} in {news.seconds:.1f} s"
                self._screen.prompt.status(f"Trying to connect again: {attempt}")
            case KeyChanged():
                self._screen.say(f"Note: {key_change_line(news)}.")
            case Reconnected():
                self._screen.say("Connected again.")
                self._dialog.is_away = False
                if self.match is not None:
                    self.match.show_board()
        if isinstance(news, Notice) or self.match is None:  # else the match asks again once it knows the time left
            self._screen.prompt.ask_again()
