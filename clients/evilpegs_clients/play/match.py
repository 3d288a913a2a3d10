"""One match played by a person; each event of its record is printed once, and none is skipped after a cut."""

from collections.abc import Callable
from functools import partial

from evilpegs_clients.bot.move_chooser import run_in_thread
from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.connection.match_view import MatchView, Phase
from evilpegs_clients.play.match_dialog import MatchDialog, PlayCommand, parse_command, parse_named_command
from evilpegs_clients.play.match_screen import HELP, clock_text
from evilpegs_clients.terminal.screen import LeaveError
from evilpegs_clients.verification.game import VerificationCache
from evilpegs_clients.verification.verify import verify_game, verify_record
from evilpegs_game.codes import format_code
from evilpegs_game.errors import GameError
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, GameStarted, MatchOver, RecordEvent


class Countdown:
    """The time left in a match, counted down from the server's latest announcement, which alone measures it."""

    def __init__(self, view: MatchView, clock: Callable[[], float]) -> None:
        self._view = view
        self._now = clock
        self._announcements = -1
        self._since = 0.0

    def note_arrival(self) -> None:
        """Count an announcement, if there is a new one, from now on; call this soon after each message."""
        # one comes when a turn opens, and again after a cut or a restart: no time passes while the server is away
        if self._announcements != self._view.announcements:
            self._announcements, self._since = self._view.announcements, self._now()

    def turn_ms(self) -> int | None:
        """Return the time left, negative once it is up; None if it is not limited, or no turn is open."""
        self.note_arrival()
        left_ms = self._view.left_ms
        return None if left_ms is None or self._view.phase is not Phase.TURN else left_ms - self._passed_ms()

    def ready_seconds(self) -> int:
        """Return the time left for `ready`, at least 0; meaningless if no game waits for it."""
        self.note_arrival()
        return max(0, self._view.ready_by_ms - self._passed_ms()) // 1000

    def _passed_ms(self) -> int:
        return round((self._now() - self._since) * 1000)


class TerminalMatch:
    """A match that a person plays through ``dialog``; ``clock`` is monotonic, in seconds."""

    def __init__(
        self,
        client: MatchClient,
        dialog: MatchDialog,
        new_nonce: Callable[[], str],
        clock: Callable[[], float],
    ) -> None:
        self._client = client
        self._view = client.view
        self._dialog = dialog
        self._screen = dialog.screen
        self._new_nonce = new_nonce
        self.countdown = Countdown(client.view, clock)
        self._nonces: dict[int, str] = {}
        self._verification = VerificationCache()
        self._shown = 1

    async def play(self) -> None:
        """Play to the end of the match; raises LeaveError if the person wants to leave or the input has ended."""
        self._screen.match(self._view.started)
        # of a resumed match, only the latest game is printed
        self._shown = max(self._shown, self._game_start())
        while (phase := await self._client.wait_for_move()) is not Phase.OVER:
            self.countdown.note_arrival()
            await self._show_new_events()
            await (self._begin() if phase is Phase.READY else self._move())
        await self._show_new_events()

    def _game_start(self) -> int:
        return max((at for at, event in enumerate(self._view.events) if isinstance(event, GameStarted)), default=1)

    async def _begin(self) -> None:
        if self._view.started.clock is not None and not await self._is_ready():
            return
        nonce = self._nonces.setdefault(self._view.game, self._new_nonce())
        await self._client.ready(nonce)

    async def _is_ready(self) -> bool:
        line = await self._dialog.ask_in_turn(self._client, self._ready_prompt)
        if line is None or not line.strip():
            return line is not None
        if command := parse_named_command(line):
            await self._execute(command)
        else:
            self._screen.say("The game has not begun: only Enter, with nothing before it, starts the clock.")
        return False

    async def _move(self) -> None:
        line = await self._dialog.ask_in_turn(self._client, self._prompt)
        if line is None:
            return
        try:
            command = parse_command(line, self._view.rules)
        except GameError as error:
            self._screen.say(str(error))
            return
        if isinstance(command, PlayCommand):
            await self._execute(command)
        else:
            await self._guess(format_code(command))

    async def _guess(self, code: str) -> None:
        view = self._view
        game, turn = view.game, view.turn
        while view.phase is Phase.TURN and (view.game, view.turn) == (game, turn):
            await self._client.guess(code)
            await self._client.wait_for_move()
        if not any((event.turn, event.code) == (turn, code) for event in view.match.games[game].turns):
            self._screen.say(f"The guess {code} was not sent in time.")

    def _prompt(self) -> str:
        view = self._view
        prompt = f"Guess {view.turn} of {view.started.guess_limit}"
        left_ms = self.countdown.turn_ms()
        return f"{prompt} >" if left_ms is None else f"{prompt}, {clock_text(left_ms)} left >"

    def _ready_prompt(self) -> str:
        return f"Press Enter to start the clock, within {self.countdown.ready_seconds()} seconds >"

    async def _execute(self, command: PlayCommand) -> None:
        match command:
            case PlayCommand.SHOW:
                self.show_board()
            case PlayCommand.HELP:
                self._screen.say(HELP)
            case PlayCommand.HINT:
                await self._hint()
            case PlayCommand.PARTS:
                self._show_parts()
            case PlayCommand.RESIGN:
                await self._resign()
            case PlayCommand.RESIGN_MATCH:
                await self._resign_match()
            case PlayCommand.QUIT:
                raise LeaveError

    async def _resign(self) -> None:
        game = self._view.game
        question = f"Give up game {game}? It counts on the leaderboard."
        if not self._view.started.rated or await self._dialog.confirm_in_turn(self._client, question):
            await self._client.resign(game)

    async def _resign_match(self) -> None:
        view = self._view
        left = view.started.games - len(view.match.games_over)
        question = f"Give up the match, with {left} {'game' if left == 1 else 'games'} left?"
        if await self._dialog.confirm_in_turn(self._client, question):
            await self._client.resign()

    async def _hint(self) -> None:
        if self._view.started.rated:
            self._screen.say("Hints are for practice ladders, whose names end in -practice.")
        elif self._view.phase is not Phase.TURN:
            self._screen.say("A hint is for an open turn.")
        elif (hint := await self._client.hint()) is not None:
            self._screen.hint(hint)
        elif self._view.phase is Phase.TURN:
            self._screen.say("The server gave no hint; ask again.")

    def show_board(self) -> None:
        """Print the answered turns of the current game again, as far as they have been printed before."""
        for event in self._view.events[self._game_start() : self._shown]:
            if isinstance(event, FeedbackGiven):
                self._screen.turn(self._view.started, event)

    def _show_parts(self) -> None:
        with_parts = [event for event in self._view.match.games[self._view.game].turns if event.parts]
        if with_parts:
            self._screen.parts(self._view.started, with_parts[-1])
        else:
            self._screen.say("Parts are shown of the last guess, on practice ladders.")

    async def _show_new_events(self) -> None:
        while self._shown < len(self._view.events):
            event = self._view.events[self._shown]
            self._shown += 1
            await self._show(event)

    async def _show(self, event: RecordEvent) -> None:
        started = self._view.started
        match event:
            case GameStarted():
                self._screen.game(event, started.games)
            case FeedbackGiven():
                self._screen.turn(started, event)
                if started.codemaker != "fixed" and event.parts:
                    self._screen.choice(started, event)
            case GameOver() if event.nonce is not None:  # without a nonce the game was never opened
                if event.outcome == "flagged":
                    self._dialog.discard_typed_ahead()
                game_events, nonce = self._view.game_events(event.game), self._nonces.get(event.game)
                check = partial(verify_game, game_events, event.game, nonce, self._verification)
                self._screen.over(started, event, await run_in_thread(check))
            case MatchOver():
                self._screen.match_over(event, verify_record(self._view.record))
