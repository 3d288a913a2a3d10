"""The transcripts of the protocol page: they are read, replayed against a real server, and rewritten.

A transcript is a block of lines `WHO > MESSAGE` (sent), `WHO < MESSAGE` (received) and `WHO cut`. The server gets known
bytes in place of random ones, and a clock that only advances, by `STEP_MS`, before each message that is sent. So every
line can be repeated exactly. `["…"]` stands for a list that is too long to print.

``make transcripts`` rewrites the transcripts of the page from `SCENES`.
"""

import asyncio
import contextlib
import hashlib
import itertools
import json
import re
import tempfile
from pathlib import Path
from unittest import mock

import structlog

from evilpegs_game.codes import format_code, parse_code
from evilpegs_game.feedback import Feedback, Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_server.play import registry
from evilpegs_server.server import running_server
from evilpegs_server.settings import Settings
from evilpegs_server.show_server import running_show
from evilpegs_server.storage import server_key
from evilpegs_server.storage.log import players
from support.servers import dial

PAGE = Path(__file__).parents[1] / "protocol" / "README.md"
BLOCK = re.compile(r"(### (.*?)\n.*?```text\n)(.*?)(```)", re.DOTALL)
STEP_MS = 1250
LONG = ["…"]
MODULES = {
    "evilpegs_server.lobby": [registry],
    "evilpegs_server.players": [players],
    "evilpegs_server.server_key": [server_key],
}
"""The modules that draw random bytes from each seed; the ids and nonces on the page follow from them."""


class KnownSecrets:
    """A replacement for the module `secrets` whose bytes follow from ``seed``, so every run gets the same bytes."""

    def __init__(self, seed):
        self._bytes = (hashlib.sha256(f"{seed} {number}".encode()).digest() for number in itertools.count())

    def token_bytes(self, size):
        return next(self._bytes)[:size]

    def token_hex(self, size):
        return self.token_bytes(size).hex()


class StillTime:
    """A replacement for `StallFreeClock` that shows the time ``moment``, in milliseconds, until a test changes it."""

    moment = long_stalls_ms = short_stalls_ms = 0.0

    def now(self):
        return self.moment

    def wall_ms(self):
        """Return the Unix time in milliseconds."""
        return 1_800_000_000_000 + int(self.moment)

    def tick(self):
        """Do nothing, because this clock has no stalls."""


@contextlib.asynccontextmanager
async def still_stage():
    """Run a real server with known random bytes and times during the block; yield a `Stage` that is connected to it."""
    with contextlib.ExitStack() as stack:
        for seed, modules in MODULES.items():
            source = KnownSecrets(seed)
            for module in modules:
                stack.enter_context(mock.patch.object(module, "secrets", source))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        settings, time = Settings(port=0, site=False, database=f"sqlite:///{folder}/page.sqlite3"), StillTime()
        async with (
            running_server(
                settings, structlog.get_logger(), clock=time, wall_ms=time.wall_ms, show=running_show
            ) as server,
            Stage(server.url, time) as stage,
        ):
            yield stage


class Stage:
    """The connections of a transcript by the name of their client, and the lines of the transcript so far."""

    def __init__(self, url, time):
        self.url, self.time, self.lines = url, time, []
        self._stack, self._open = contextlib.AsyncExitStack(), {}

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self._stack.aclose()

    async def say(self, who, **message):
        await self.send(who, json.dumps(message, separators=(",", ":")))

    async def send(self, who, text):
        if who not in self._open:
            self._open[who] = await self._stack.enter_async_context(dial(self.url))
        self.time.moment += STEP_MS
        self.lines.append(f"{who} > {text}")
        await self._open[who].send(text)

    async def hear(self, who, whole=False):
        """Receive a message and return it; long lists are abbreviated in the transcript unless ``whole`` is True."""
        message = await self._open[who].hear()
        message |= {"ladders": LONG} if "ladders" in message else {}
        message |= {"parts": LONG} if "parts" in message and not whole else {}
        self.lines.append(f"{who} < {json.dumps(message, separators=(',', ':'), ensure_ascii=False)}")
        return message

    async def until(self, who, *types):
        """Receive messages until one has one of these types, and return this one."""
        while True:
            message = await self.hear(who)
            if message["type"] in types:
                return message

    async def cut(self, who):
        self.lines.append(f"{who} cut")
        self._open[who].socket.transport.abort()
        await self._open.pop(who).closed()

    # What most scenes begin with

    async def hello(self, who, **fields):
        await self.say(who, type="hello", client={"name": "my-bot", "version": "1.0"}, **fields)
        return await self.hear(who)

    async def play(self, who, ladder):
        await self.say(who, type="play", ladder=ladder)
        match = (await self.hear(who))["match"]
        await self.hear(who)
        return match

    async def solve(self, who, match, game, **ready):
        """Play a game to its end; each guess after the first is the first candidate."""
        rules, history = Rules.parse("4x6"), ()
        await self.say(who, type="ready", match=match, game=game, **ready)
        turn = await self.hear(who)
        while turn["type"] == "turn":
            guess = Position(rules, history, LiveSets()).first_candidate if history else parse_code("1123", rules)
            await self.guess(who, match, game, turn["turn"], format_code(guess))
            given = await self.hear(who)
            history = (*history, Turn(guess, Feedback(given["black"], given["white"])))
            turn = await self.until(who, "turn", "game_over")

    async def guess(self, who, match, game, turn, code, **more):
        await self.say(who, type="guess", match=match, game=game, turn=turn, code=code, **more)


async def fixed(stage):
    await stage.hello("bot", name="my-bot", kind="bot", id="1")
    match = await stage.play("bot", "classic")
    await stage.solve("bot", match, 1, nonce="my-own-luck")
    await stage.hear("bot")
    await stage.solve("bot", match, 2)


async def evil(stage):
    await stage.hello("bot")
    match = await stage.play("bot", "classic-evil-practice")
    await stage.solve("bot", match, 1)
    await stage.hear("bot")


async def by_hand(stage):
    await stage.hello("ann")
    await stage.say("ann", type="play", ladder="classic-evil-practice")
    await stage.until("ann", "game_started")
    await stage.say("ann", type="ready")
    await stage.hear("ann")
    await stage.say("ann", type="guess", turn=1, code="1122")
    await stage.hear("ann", whole=True)
    await stage.hear("ann")
    await stage.say("ann", type="hint")
    await stage.hear("ann")
    await stage.say("ann", type="resign")
    await stage.until("ann", "match_over")


async def devil(stage):
    await stage.hello("bot")
    match = await stage.play("bot", "classic-devil-practice")
    await stage.solve("bot", match, 1)
    await stage.hear("bot")


async def illegal(stage):
    await stage.hello("bot")
    match = await stage.play("bot", "classic-practice")
    await stage.say("bot", type="ready", match=match, game=1)
    await stage.hear("bot")
    for code in ("1189", "112", "9999"):
        await stage.guess("bot", match, 1, 1, code)
        await stage.hear("bot")
    await stage.until("bot", "match_over")


async def doubled(stage):
    await stage.hello("bot")
    match = await stage.play("bot", "classic-practice")
    await stage.say("bot", type="ready", match=match, game=1)
    await stage.hear("bot")
    await stage.guess("bot", match, 1, 1, "1122", id="first")
    await stage.until("bot", "turn")
    await stage.guess("bot", match, 1, 1, "1122", id="again")
    await stage.hear("bot")
    await stage.guess("bot", match, 1, 1, "3344", id="other")
    await stage.hear("bot")


async def cut(stage):
    welcome = await stage.hello("bot", name="my-bot", kind="bot")
    match = await stage.play("bot", "classic-evil")
    await stage.say("bot", type="ready", match=match, game=1)
    await stage.hear("bot")
    await stage.guess("bot", match, 1, 1, "1122")
    await stage.hear("bot")
    await stage.hear("bot")
    await stage.cut("bot")
    await stage.hello("bot", token=welcome["token"])
    await stage.say("bot", type="resume", match=match, seq=2)
    await stage.until("bot", "turn")
    await stage.guess("bot", match, 1, 2, "3344")
    await stage.until("bot", "turn")


async def resign(stage):
    await stage.hello("bot", name="my-bot", kind="bot")
    match = await stage.play("bot", "classic-evil")
    await stage.say("bot", type="ready", match=match, game=1)
    await stage.hear("bot")
    await stage.say("bot", type="resign", match=match, game=1)
    await stage.until("bot", "game_started")
    await stage.say("bot", type="resign", match=match)
    await stage.until("bot", "match_over")


SCENES = {
    "Two games of a match against a fixed secret": fixed,
    "A practice game against the evil codemaker": evil,
    "A practice game by hand, with a hint": by_hand,
    "A practice game against the devil": devil,
    "Illegal codes": illegal,
    "A doubled guess": doubled,
    "Cut and resume": cut,
    "Resigning": resign,
}


def heading(scene):
    """Return the heading of the transcript of ``scene`` on the page."""
    return next(title for title, known in SCENES.items() if known is scene)


def transcripts(page):
    """Return the lines of each transcript of a page, by heading."""
    return {title: block.splitlines() for _, title, block, _ in BLOCK.findall(page)}


async def replay(lines):
    """Repeat a transcript against a real server, and return the lines that result.

    Each message that was sent is sent again, and as many messages are received as before.
    """
    async with still_stage() as stage:
        for line in lines:
            who, mark, text = (*line.split(" ", 2), "")[:3]
            if mark == ">":
                await stage.send(who, text)
            elif mark == "<":
                await stage.hear(who, whole='"parts":["…"]' not in text)
            else:
                await stage.cut(who)
        return stage.lines


async def perform(scene):
    """Perform a scene and return its lines."""
    async with still_stage() as stage:
        await scene(stage)
        return stage.lines


def rewrite(page):
    """Return the page with new transcripts, for which every scene has been performed again."""

    def block(found):
        lines = asyncio.run(perform(SCENES[found[2]]))
        return found[1] + "\n".join(lines) + "\n" + found[4]

    return BLOCK.sub(block, page)


if __name__ == "__main__":
    PAGE.write_text(rewrite(PAGE.read_text()))
