"""The session of one connection: its player, and the handling of its messages by type."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from evilpegs_protocol.client_messages import (
    ClientRequest,
    Guess,
    Hello,
    Hint,
    Ping,
    Play,
    Ready,
    Resign,
    Resume,
)
from evilpegs_protocol.codec import CodecError, decode_request, encode
from evilpegs_protocol.fields import Program
from evilpegs_protocol.server_messages import ErrorCode, Pong
from evilpegs_server.gateway.admission import Ticket
from evilpegs_server.gateway.login import Pause, SessionServices, log_in, welcome_message
from evilpegs_server.limits import READ_PRICE, RateLimit
from evilpegs_server.match.match import RefusedError
from evilpegs_server.play.counts import NO_HELLO, RATE_LIMIT, EndReason
from evilpegs_server.play.messages import ClientChannel, MatchMessage, Request
from evilpegs_server.play.runner import MatchRunner
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.log import writes
from evilpegs_server.storage.log.players import Player
from evilpegs_server.storage.reads import BusyError

_Match = TypeVar("_Match")

RETRY_MS: Final = 1_000
# errors of unreadable frames; such a frame takes its token when its error is sent, not on arrival
_UNCOUNTED: Final = frozenset({ErrorCode.BAD_JSON, ErrorCode.BAD_MESSAGE, ErrorCode.UNKNOWN_TYPE, ErrorCode.TOO_BIG})


class TooFastError(RefusedError):
    def __init__(self, rate: RateLimit, wait_ms: int) -> None:
        remedy = "send fewer" if rate.is_exhausted else f"wait {wait_ms} ms"
        message = f"more than {rate.per_second:.0f} requests per second on average; {remedy} (limit {RATE_LIMIT})"
        super().__init__(ErrorCode.RATE_LIMITED, message, retry_after_ms=wait_ms)


@dataclass(eq=False, repr=False)
class Session:
    """The session of one connection; every message gets exactly one direct answer."""

    services: SessionServices
    channel: ClientChannel
    rate: RateLimit
    site: str | None
    ticket: Ticket
    pause: Pause
    player: Player | None = None
    _client: Program = field(init=False)  # known together with the player
    _is_closing: bool = False
    _busy_at: float = 0.0

    def __post_init__(self) -> None:
        self._counts = self.services.registry.counts
        self._counts.connections[NO_HELLO] += 1

    async def handle_frame(self, frame: str | bytes, arrived: float) -> None:
        """Handle and answer one message; errors are answered too and not raised."""
        if self._is_closing:
            return
        re = None
        try:
            if isinstance(frame, bytes):
                raise RefusedError(ErrorCode.BAD_JSON, "binary frames are refused; send text")
            request = decode_request(frame)
            re = request.id
            # a request that a match waits for is exempt from the rate limit
            if not (isinstance(request, Guess | Ready) and self._play_on(request, arrived)):
                self._take_tokens(arrived)
                self._busy_at = arrived
                await self._dispatch(request, arrived)
        except CodecError as error:
            self._refuse(RefusedError(error.code, self._explain(error)), error.re, arrived)
        except RefusedError as error:
            self._refuse(error, re, arrived)
        except BusyError:
            why = "the server is busy; try again in a moment"
            self._refuse(RefusedError(ErrorCode.RATE_LIMITED, why, retry_after_ms=RETRY_MS), re, arrived)
        except DatabaseUnusableError as error:
            self.services.registry.faults.report("cannot answer a request", error)
            why = "the server cannot read its database now; connect again later"
            self._end(RefusedError(ErrorCode.STORAGE_UNAVAILABLE, why), re, EndReason.STORAGE, 1011)
        except Exception:  # noqa: BLE001 - no message may stop the server; `_report_failure` logs it
            self._report_failure(re, arrived)

    def handle_now(self, text: str, arrived: float) -> bool:
        """Hand a guess or `ready` to the match that waits for it; False if the text must go to `handle_frame`."""
        if self._is_closing or not ('"guess"' in text or '"ready"' in text):
            return False
        re = None
        try:
            move = decode_request(text)
            re = move.id
            return isinstance(move, Guess | Ready) and self._play_on(move, arrived)
        except (CodecError, RefusedError):
            return False
        except Exception:  # noqa: BLE001 - `_report_failure` logs it
            self._report_failure(re, arrived)
            return True

    def leave(self) -> None:
        self.services.registry.leave(self.channel, self.player)
        self._counts.connections[self.player.kind if self.player else NO_HELLO] -= 1
        if self.player is not None:
            self.services.presence.leave(self.player)

    def idle_seconds(self, now: float) -> float:
        """Return for how long the player was idle, 0 before `hello`; called each second, to note when they are busy."""
        if self.player is None:
            return 0.0
        if self.services.registry.open.of_player(self.player.id):
            self._busy_at = now
        return (now - self._busy_at) / 1000

    def _play_on(self, move: Guess | Ready, arrived: float) -> bool:
        runner = self.services.registry.open.get(move.match) if move.match else self._only_match()
        return runner is not None and runner.receive_awaited(self.channel, move, arrived)

    def _explain(self, error: CodecError) -> str:
        if error.code is not ErrorCode.MOVED:
            return str(error)
        return f"{error}, {self.site}" if self.site else f"{error}, and this server runs without one"

    def _report_failure(self, re: str | None, now: float) -> None:
        self.services.log.exception("a request failed")
        self._refuse(RefusedError(ErrorCode.INTERNAL, "the server failed to handle this request"), re, now)

    async def _dispatch(self, request: ClientRequest, arrived: float) -> None:
        match request:
            case Ping():
                self.channel.send([encode(Pong(c=request.c, re=request.id))])
            case Hello():
                await self._hello(request, arrived)
            case Play():
                await self._play(request, arrived)
            case Ready() | Guess() | Hint() | Resign() | Resume():
                await self._to_match(request, arrived)

    async def _hello(self, hello: Hello, now: float) -> None:
        if self.player is not None:
            raise RefusedError(ErrorCode.BAD_MESSAGE, "hello was already sent on this connection")
        self.player, token = await log_in(self.services, self.ticket, self.pause, hello, now)
        self.services.presence.enter(self.player)
        self._counts.connections[NO_HELLO] -= 1
        self._counts.connections[self.player.kind] += 1
        self._client = Program(name=hello.client.name, version=hello.client.version)
        self.channel.send([encode(await welcome_message(self.services, self.player, token, hello.id, self.site))])

    def _require_player(self) -> Player:
        if self.player is None:
            raise RefusedError(ErrorCode.AUTH_REQUIRED, "send hello first")
        return self.player

    # Matches

    async def _to_match(self, request: MatchMessage, arrived: float) -> None:
        player = self._require_player()
        if request.match is None:
            runner = self._only_match() or await self._only_match_elsewhere(player)
        else:
            runner = await self._find_match(request.match, player, arrived)
        if runner is None or runner.player != player.id:
            message = "you have no such match" if request.match else "you have no open match; start one with play"
            raise RefusedError(ErrorCode.NOT_YOUR_MATCH, message)
        # the player may ask for missed events from any connection, and the one that had the seat before stays open
        if runner.match.over:
            runner.seat = self.channel
        runner.receive(Request(self.channel, request, arrived))

    async def _find_match(self, match: str, player: Player, arrived: float) -> MatchRunner | None:
        registry = self.services.registry
        runner = registry.open.get(match)
        if runner is not None and runner.player == player.id:
            return runner
        if registry.draining:
            raise RefusedError(ErrorCode.DRAINING, "the server is about to stop; come back later")
        self._take_tokens(arrived, READ_PRICE - 1)
        return await registry.find(match, player.id)

    def _only_match(self) -> MatchRunner | None:
        if self.player is None:
            return None
        runners = self.services.registry.open.of_player(self.player.id)
        possible = [runner for runner in runners if runner.seat is self.channel] or runners
        return only(possible)

    async def _only_match_elsewhere(self, player: Player) -> MatchRunner | None:
        registry = self.services.registry
        found = only(await registry.node.open_matches(player.id))
        return None if found is None else await registry.find(found.match, player.id)

    async def _play(self, request: Play, arrived: float) -> None:
        player = self._require_player()
        services = self.services
        elsewhere = await services.registry.node.open_matches(player.id)
        services.admission.take_match(player.id, arrived)
        first = []
        if player.is_guest:
            first.append(writes.insert_player(player, services.players.guest_hash(player), services.wall_ms()))
        services.registry.play(self.channel, player, self._client, request, first, elsewhere)

    # Refusals

    def _take_tokens(self, now: float, price: float = 1) -> None:
        wait_ms = self.rate.take(now, price, refusals=round(price))
        if wait_ms:
            raise TooFastError(self.rate, wait_ms)

    def _refuse(self, refused: RefusedError, re: str | None, now: float) -> None:
        # an unreadable frame that finds no token gets the refusal of the rate limit instead
        if refused.code in _UNCOUNTED and (wait_ms := self.rate.take(now)):
            refused = TooFastError(self.rate, wait_ms)
        if isinstance(refused, TooFastError) and self.rate.is_exhausted:
            self._end(refused, re, EndReason.MESSAGES, 1008)
            return
        self._counts.refusals[refused.code] += 1
        self.channel.send([encode(refused.answer(re))])

    def _end(self, refused: RefusedError, re: str | None, reason: EndReason, close_code: int) -> None:
        self._is_closing = True
        self._counts.refusals[refused.code] += 1
        self._counts.ended[reason] += 1
        self.channel.send([encode(refused.answer(re, fatal=True))])
        self.channel.close(close_code, str(refused))


def only(matches: Sequence[_Match]) -> _Match | None:
    """Return the open match of a player, None if there is none; raises RefusedError if there are several."""
    if len(matches) > 1:
        raise RefusedError(ErrorCode.BAD_MESSAGE, f"match: you have {len(matches)} open matches; say which")
    return matches[0] if matches else None
