"""A complete bot: python complete_bot.py [ws://HOST:PORT/v1] plays a rated match and verifies every game.

It claims a name, keeps the token in complete_bot.json, and finishes the match when the connection is cut or the bot is
started again. Before you reuse it, choose another NAME.
"""

import hashlib
import hmac
import itertools
import json
import sys
import time
from pathlib import Path

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

NAME, LADDER = "complete-bot", "classic"
SERVER = sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:8765/v1"
TOKEN_FILE = Path("complete_bot.json")


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def feedback(guess, secret):
    black = sum(a == b for a, b in zip(guess, secret, strict=True))
    return black, sum(min(guess.count(color), secret.count(color)) for color in set(guess)) - black


def drawn_secret(nonce, my_nonce, match, game, codes):
    """Return the secret that follows from both nonces."""
    counter, number = 0, 2**256
    while number >= 2**256 - 2**256 % len(codes):
        digest = hmac.new(bytes.fromhex(nonce), canonical([my_nonce, match, game, counter]), "sha256").digest()
        counter, number = counter + 1, int.from_bytes(digest, "big")
    return codes[number % len(codes)]


def check(holds, complaint):
    if not holds:
        sys.exit(f"the server cheated: {complaint}")


def check_game(events, over, my_nonce, codes):
    """Verify a finished game."""
    match, game = over["match"], over["game"]
    (started,) = (event for event in events if event["type"] == "game_started" and event["game"] == game)
    commitment = hashlib.sha256(canonical(["evilpegs-v1", match, game, events[0]["rules"], over["nonce"]])).hexdigest()
    check(commitment == started["commitment"], "the commitment was broken")
    if over["secret"] is not None:
        check(over["secret"] == drawn_secret(over["nonce"], my_nonce, match, game, codes), "the secret was chosen")
    for event in events:
        if event["type"] == "feedback" and event["game"] == game:
            truth = feedback(event["code"], over["secret"])
            check((event["black"], event["white"]) == truth, "a feedback was wrong")


def check_record(events):
    """Verify the chain of hashes of a whole record."""
    head = "0" * 64
    for event in events[:-1]:
        text = canonical({key: value for key, value in event.items() if key != "re"})
        head = hashlib.sha256(head.encode() + text).hexdigest()
    check(head == events[-1]["head"], "the record was changed")


class MatchConnection:
    """One connection: `on_TYPE` handles the messages of each type, and other types are ignored."""

    def __init__(self, socket):
        self.socket = socket
        self.token = json.loads(TOKEN_FILE.read_text()) if TOKEN_FILE.exists() else None
        self.events, self.codes, self.possible = [], [], []
        self.replayed, self.over = 0, False

    def play(self):
        """Play or finish one match; return True when it is over."""
        who = {"token": self.token} if self.token else {"name": NAME, "kind": "bot"}
        self.send(type="hello", client={"name": NAME, "version": "1.0"}, **who)
        for event in map(json.loads, self.socket):
            if "seq" in event and "at" in event:
                self.events.append(event)
            getattr(self, f"on_{event['type']}", lambda _: None)(event)
            if self.over:
                return True
        return False

    def send(self, **message):
        self.socket.send(json.dumps(message))

    def my_nonce(self, event):
        """Return this bot's share in the secret of a game, the same after a restart."""
        return hashlib.sha256(f"{self.token} {event['match']} {event['game']}".encode()).hexdigest()[:32]

    def ready(self, event):
        self.send(type="ready", match=event["match"], game=event["game"], nonce=self.my_nonce(event))

    def on_welcome(self, event):
        self.token = self.token or event["token"]
        TOKEN_FILE.touch(mode=0o600)
        TOKEN_FILE.write_text(json.dumps(self.token))
        if event["open"]:
            self.send(type="resume", match=event["open"][0]["match"], seq=0)
        else:
            self.send(type="play", ladder=LADDER)

    def on_resumed(self, event):
        self.replayed = event["seq"]  # every event up to this one follows
        if event["state"] == "ready":
            self.ready(event)

    def on_match_started(self, event):
        self.codes = ["".join(code) for code in itertools.product(event["symbols"], repeat=event["pegs"])]

    def on_game_started(self, event):
        self.possible = self.codes
        if event["seq"] > self.replayed:
            self.ready(event)

    def on_turn(self, event):
        check(self.possible, "no code agrees with every feedback")
        where = {key: event[key] for key in ("match", "game", "turn")}
        self.send(type="guess", **where, code=self.possible[0])

    def on_feedback(self, event):
        answer = event["black"], event["white"]
        self.possible = [code for code in self.possible if feedback(event["code"], code) == answer]

    def on_game_over(self, event):
        check_game(self.events, event, self.my_nonce(event), self.codes)
        print(f"game {event['game']}: {event['outcome']} in {event['guesses']} guesses, verified")

    def on_match_over(self, event):
        check_record(self.events)
        print(f"match {event['match']}: the record is intact")
        self.over = True

    def on_error(self, event):
        sys.exit(event["message"])


for delay in (0, 1, 2, 4, 8, 16, 30, 60):
    time.sleep(delay)
    try:
        with connect(SERVER, subprotocols=["evilpegs.v1"]) as connection:
            if MatchConnection(connection).play():
                sys.exit()
    except (OSError, ConnectionClosed) as error:
        print(f"the connection was cut: {error}", file=sys.stderr)
sys.exit("the server does not come back; start again later to finish the match")
