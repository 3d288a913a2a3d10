"""Matches in which the server breaks one thing that a client can verify; all else in them holds."""

import asyncio
import secrets
import tempfile
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from evilpegs.commands.check_client.bench import listen
from evilpegs.commands.check_client.client import NeverCameError, running_client
from evilpegs.commands.check_client.verdict import Verdict
from evilpegs.errors import CommandError
from evilpegs_game.codes import format_code
from evilpegs_game.feedback import feedbacks
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import unchecked_part_sizes, unchecked_position
from evilpegs_protocol import server_messages as answers
from evilpegs_protocol.client_messages import ClientRequest, Guess, Hello, Ping, Play, Ready, Resign, Resume
from evilpegs_protocol.codec import CodecError, canonical, decode_request, encode
from evilpegs_protocol.commitment import TIE_NONCES
from evilpegs_protocol.constants import FRAME_BYTES, NESTING
from evilpegs_protocol.record import event_hash
from evilpegs_server.match.events import AnswerRepeated, GameEnded, NeedReply
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.match.match import Match, RefusedError
from evilpegs_server.play.messages import add_re, recorded_refusal, resume_texts, step_texts
from evilpegs_server.record.event_log import EventLog, LogEntry
from evilpegs_server.record.recorder import Recorder, RecordSigner, ShownEnd
from evilpegs_server.replies.capacity import is_enumerated
from evilpegs_server.replies.codemaking import Reply, choose_reply
from evilpegs_server.replies.game_secrets import MatchKey
from evilpegs_server.server import wall_ms

_FIXED: Final = {
    "commitment": "the commitment is not that of the nonce",
    "feedback": "a feedback is not that of the secret",
    "hash": "head is not the hash of the event before",
    "order": "game_over came before the last feedback",
    "signature": "another key signed the record",
}
_EVIL: Final = {
    "evil": "a reply left fewer codes than another would have",
    "tie": "a tie was broken otherwise than the rule says",
}
KINDS: Final = (*_FIXED, *_EVIL)


class LyingLog(EventLog):
    """A log whose events may have a lie, with a chain of hashes and a signature that fit them otherwise."""

    def __init__(self, match: str, lie: str, signer: RecordSigner) -> None:
        super().__init__(match)
        self.lie, self.is_told, self._signer = lie, False, signer

    def append(self, event: Mapping[str, Any]) -> LogEntry:
        told = dict(event)
        if (told["type"], self.lie) in {("game_started", "commitment"), ("match_over", "hash")}:
            name = "commitment" if self.lie == "commitment" else "head"
            told[name] = event_hash(told[name], "")
        if "signature" in told:
            told["signature"] = self._signer.sign(told)
        self.is_told = self.is_told or told != event
        return self.append_text(told["at"], told["type"], canonical(told))


class LyingServer:
    """A server of one match of one game, played on whatever connection asks."""

    def __init__(self, info: answers.LadderInfo, lie: str, *, is_evil: bool) -> None:
        tie = (info.tie or "largest/seeded") if is_evil else None
        ladder = replace(Ladder.from_info(info), games=1, rated=True, exact_up_to=None)
        self._ladder = ladder = replace(ladder, codemaker="evil" if is_evil else "fixed", tie=tie)
        nonces = TIE_NONCES if tie == "largest/seeded" else None
        self._key = MatchKey(secrets.token_hex(8), ladder, secrets.token_bytes(32), nonces)
        signer, other = (RecordSigner(Ed25519PrivateKey.generate()) for _ in range(2))
        self.log = LyingLog(self._key.id, lie, other if lie == "signature" else signer)
        self._recorder, self._public_key = Recorder(self._key, self.log, wall_ms, signer), signer.public_key
        self._match, self._live_sets = Match(ladder), LiveSets()
        self._loop = asyncio.get_running_loop()
        self.hello: Hello | None = None

    async def talk(self, client: ServerConnection) -> None:
        with suppress(ConnectionClosed):
            async for text in client:
                for answer in self._answers(str(text)):
                    await client.send(answer)
                self._match.start_clock(1_000 * self._loop.time())

    def _answers(self, text: str) -> Sequence[str]:
        try:
            request = decode_request(text)
            return self._answer(request, 1_000 * self._loop.time())
        except CodecError as error:
            return [encode(answers.Error(code=error.code, message=str(error), re=error.re, fatal=False))]
        except RefusedError as refused:
            return [encode(refused.answer(request.id))]

    def _answer(self, request: ClientRequest, now: float) -> Sequence[str]:
        if isinstance(request, Ping):
            return [encode(answers.Pong(c=request.c, re=request.id))]
        if isinstance(request, Hello):
            self.hello = request
            return [encode(self._welcome(request))]
        if self.hello is None:
            raise RefusedError(answers.ErrorCode.AUTH_REQUIRED, "say hello first")
        if isinstance(request, Play):
            if request.ladder != self._ladder.id or self.log.entries:
                why = f"this server plays one match, on the ladder {self._ladder.id}"
                raise RefusedError(answers.ErrorCode.UNKNOWN_LADDER, why)
            opened = self._recorder.open(self._match.start(now), "my-client", self.hello.client)
            return step_texts(self._key.id, request, opened)
        if not self.log.entries:
            raise RefusedError(answers.ErrorCode.NOT_YOUR_MATCH, "play first")
        if isinstance(request, Resume):
            return resume_texts(self._match, self.log, request, now)
        if isinstance(request, Guess | Ready | Resign):
            return self._move(request, now)
        raise RefusedError(answers.ErrorCode.NOT_PRACTICE, "hints are given on practice ladders only")

    def _move(self, move: Guess | Ready | Resign, now: float) -> Sequence[str]:
        match, reply = self._match, None
        if isinstance(move, Guess):
            events = match.guess(move.game or match.game, move.turn, move.code, now)
        elif isinstance(move, Ready):
            events = match.ready(move.game or match.game, move.nonce, now)
        else:
            events = match.resign(move.game, now)
        first, refusal = events[0], recorded_refusal(move, events[0])
        if isinstance(first, AnswerRepeated):
            return [add_re(self.log.feedback(first.game, first.turn).text, move.id)]
        if isinstance(first, NeedReply):
            reply, refusal = self._reply(first), None
            events = match.reply(reply.feedback, now)
            if self.log.lie == "order" and isinstance(events[1], GameEnded):
                events[:2], self.log.is_told = reversed(events[:2]), True
        ended = self._recorder.first_shown_end(events)
        shown = None if ended is None else ShownEnd(ended, self._shown_code(ended))
        return step_texts(self._key.id, move, self._recorder.record(events, reply, shown=shown), refusal)

    def _welcome(self, hello: Hello) -> answers.Welcome:
        limits = {"frame_bytes": FRAME_BYTES, "nesting": NESTING, "open_matches": 1, "requests_per_second": 100}
        welcome = {
            "player": "my-client",
            "kind": "bot",
            "token": None if hello.token else secrets.token_hex(32),
            "open": (),
            "ladders": (self._ladder.info(),),
            "limits": limits,
            "server": {"name": "evilpegs", "version": "check-client", "site": None, "key": self._public_key},
            "re": hello.id,
        }
        return answers.Welcome.model_validate(welcome)

    def _reply(self, need: NeedReply) -> Reply:
        ladder, lie, history, guess = self._ladder, self.log.lie, need.history, need.guess
        given = self._key.game_secrets(need.game, need.client_nonce)
        if ladder.codemaker == "fixed" and (lie != "feedback" or self.log.is_told):
            return choose_reply(ladder, given, history, guess, ())
        sizes = unchecked_part_sizes(unchecked_position(ladder.rules, history, self._live_sets), guess)
        reply = choose_reply(ladder, given, history, guess, sizes)
        if lie in {"feedback", *_EVIL} and not self.log.is_told:
            *parts, _ = zip(feedbacks(ladder.rules.pegs), sizes, strict=True)  # without all-black
            most = max(sizes[:-1])
            for part, size in parts:
                if size and part != reply.feedback and (lie == "feedback" or (size == most) == (lie == "tie")):
                    self.log.is_told = True
                    return Reply(part)
        return reply

    def _shown_code(self, ended: GameEnded) -> str:
        if self._ladder.codemaker == "fixed":
            return format_code(self._key.game_secrets(ended.game, ended.client_nonce).secret(self._ladder))
        return format_code(unchecked_position(self._ladder.rules, ended.history, self._live_sets).first_candidate)


async def check_lies(
    words: list[str], info: answers.LadderInfo, patience: float, claimed: Set[str], show: Callable[[Verdict], None]
) -> None:
    """Let the client play an honest match and those with a lie, first against a fixed secret, then against evil."""
    if not is_enumerated(Ladder.from_info(info).rules):
        raise CommandError(f"--lies is for rules with fewer codes than {info.rules} has; add --ladder classic")
    port, now = 0, asyncio.get_running_loop().time
    for kinds, honest in ((_FIXED, "honest"), (_EVIL, "honest evil")):
        is_tried = True
        for lie, what in {honest: "end with exit status 0", **kinds}.items():
            began, verdict, did = now(), "untested", "failed the honest match"
            if is_tried:
                server = LyingServer(info, lie, is_evil=kinds is _EVIL)
                status, did, port = await _play(server, words, port, info.id, patience)
                if lie == honest:
                    is_tried = status == 0
                    verdict = "right" if is_tried else "wrong"
                elif server.log.is_told:
                    verdict = "noticed" if status else "not noticed"
                else:
                    did = f"gave no occasion for this lie and {did}"
            failed = verdict == "wrong" or (lie in claimed and verdict != "noticed")
            should = what if lie == honest else f"notice that {what}"
            show(Verdict(lie, verdict, failed, did, should, round(now() - began, 3)))


async def _play(
    server: LyingServer, words: list[str], port: int, ladder: str, patience: float
) -> tuple[int | None, str, int]:  # the exit status unless it runs on, what it did, and the port
    with tempfile.TemporaryDirectory(prefix="evilpegs-check-") as folder:
        async with listen(server.talk, port=port) as listening:
            port = listening.sockets[0].getsockname()[1]
            async with running_client(words, port, ladder, Path(folder)) as client:
                await asyncio.wait([client.ended], timeout=patience)
                status = client.ended.result() if client.ended.done() else None
                did = f"did not end within {patience:g} s" if status is None else str(client.end())
    if server.hello is None:
        raise NeverCameError(did)
    return status, did, port
