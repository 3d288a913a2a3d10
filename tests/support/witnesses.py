"""Players who change their server whenever they like, remember all they saw, and measure their own time."""

import asyncio
from collections import defaultdict, deque

from websockets.exceptions import InvalidHandshake, WebSocketException

from evilpegs_server.play.stall_free_clock import LONG_STALL_MS, TICK_MS
from support.servers import dial
from support.waiting import think

THINK_SECONDS, LONG_THINK_SECONDS = 0.3, 2.5
SILENCE_SECONDS = 3.0
"""After which a player turns to another server; an answer takes less, but for that of a node that is stopped."""
LADDERS = ("classic", "classic-evil")
PASSING = {"storage_unavailable", "draining", "stale_turn", "game_over", "not_ready", "not_your_match", "rate_limited"}
"""Reasons for which a request may be refused while nodes fail; after each the player connects again."""
ROUNDING_MS = 2
GIVEN_MS = LONG_STALL_MS + TICK_MS + ROUNDING_MS
"""The longest time that a server may be kept from its processor after it has sent a turn, before its clock runs."""


class Witness:
    """A bot; ``seen`` has the events by match and number, ``complaints`` what no player should see.

    ``said`` has when each turn was first answered, of turn 0 for `ready`; ``thought`` the seconds of each guess.
    ``trace`` has what was heard last, and each visit that failed.
    """

    def __init__(self, name, rng, addresses):
        self.name, self.rng, self.addresses = name, rng, addresses
        self.seen = defaultdict(dict)
        self.complaints = []
        self.token = self.new_token = self.match = None
        self.is_banned = self.is_leaving = self.has_left = self.gets_token = False
        self.said, self.thought = {}, {}
        self.trace = deque(maxlen=30)

    @property
    def heard(self):
        return sum(map(len, self.seen.values()))

    async def play(self):
        """Play match after match until `is_leaving`, and then until the server knows of no open one."""
        self.has_left = False
        while not (self.is_banned or self.has_left):
            urls = self.addresses()
            try:
                if urls:
                    async with dial(self.rng.choice(urls)) as raw:
                        await self.visit(raw)
            except (OSError, TimeoutError, InvalidHandshake, WebSocketException) as error:
                self.trace.append(f"{type(error).__name__}: {error}"[:120])
            await think(0.05)

    async def visit(self, raw):
        """Play on one connection until the player goes away, or the server does."""
        proof = {"token": self.token} if self.token else {"name": self.name, "kind": "bot"}
        await raw.say(type="hello", client={"name": "witness", "version": "1"}, **proof)
        welcome = await self._hear(raw, "welcome", "error")  # not the notice of a server that stops
        if welcome["type"] == "error":
            self._refused(welcome)
            return
        self.token = welcome.get("token", self.token)
        if welcome["player"] != self.name:
            self.complaints.append(f"welcomed as {welcome['player']}")
        self.match = self.match or next((each["match"] for each in welcome["open"]), None)
        if self.match is not None:
            await raw.say(type="resume", match=self.match, seq=len(self.seen[self.match]))
        self.has_left = self.is_leaving and self.match is None
        while not (self.is_leaving and self.match is None):
            if self.match is None:
                await raw.say(type="play", ladder=self.rng.choice(LADDERS))
                self.match = ""  # until it has a name
            message = await self._hear(raw)
            if message["type"] == "error":
                self._refused(message)
                self.match = self.match or None
                return
            if not await self._take(raw, message):
                return

    async def _hear(self, raw, *types):
        async with asyncio.timeout(SILENCE_SECONDS):
            message = await raw.hear(*types)
        self.trace.append({name: value for name, value in message.items() if name not in {"ladders", "parts"}})
        return message

    def _refused(self, error):
        code = error["code"]
        if code == "banned":
            self.is_banned = True
        elif code == "auth_failed" and self.gets_token:
            self.token = self.new_token or self.token
        elif code == "name_taken" and not self.token:
            self.name += "x"  # the name was stored, but the welcome with the token was lost
        elif code not in PASSING:
            self.complaints.append(f"refused: {error}")

    async def _take(self, raw, message):
        """Answer a message; return False if the player goes away now."""
        kind = message["type"]
        if "seq" in message and kind != "resumed":
            self._remember(message, raw.heard_at)
        if kind == "game_started" or (kind == "resumed" and message["state"] == "ready"):
            self.said.setdefault((self.match, message["game"], 0), asyncio.get_running_loop().time())
            await raw.say(type="ready", match=self.match, game=message["game"])
        elif kind == "turn":
            return await self._guess(raw, message)
        elif kind == "match_over" or (kind == "resumed" and self._has_all_of_it(message)):
            self.match = None
        return True

    def _has_all_of_it(self, resumed):
        """A node that was stopped may still offer a match that has ended on another."""
        return resumed["state"] == "over" and len(self.seen[self.match]) >= resumed["seq"]

    async def _guess(self, raw, turn):
        heard_at = raw.heard_at
        await think(self.rng.random() * (THINK_SECONDS if self.rng.random() < 0.95 else LONG_THINK_SECONDS))
        if self.rng.random() < 0.05:
            return False
        place = self.match, turn["game"], turn["turn"]
        code = "".join(self.rng.choice("123456") for _ in range(4))
        now = asyncio.get_running_loop().time()
        self.said.setdefault(place, now)
        self.thought[*place, code] = now - heard_at
        await raw.say(type="guess", match=self.match, game=turn["game"], turn=turn["turn"], code=code)
        return True

    def _remember(self, event, heard_at):
        event.pop("re", None)
        self.match = self.match or event["match"]
        known = self.seen[event["match"]].setdefault(event["seq"], event)
        if known != event:
            self.complaints.append(f"two events of one number: {known}, {event}")
        if event["type"] == "feedback":
            self.judge_time(event, heard_at)

    def judge_time(self, event, heard_at):
        place = event["match"], event["game"], event["turn"]
        asked_at = self.said[*place[:2], place[2] - 1]
        thought = self.thought.get((*place, event["code"]))
        if thought is None:
            self.complaints.append(f"nobody guessed this: {event}")
        elif event["took_ms"] + event.get("stalled_ms", 0) < 1000 * thought - GIVEN_MS:
            self.complaints.append(f"time was given, {thought:.3f} s of thought: {event}")
        if event["took_ms"] > 1000 * (heard_at - asked_at) + ROUNDING_MS:
            self.complaints.append(f"time was taken, {heard_at - asked_at:.3f} s have passed: {event}")
