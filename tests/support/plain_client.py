"""A plain client that does what it should, to plant a fault in: plain_client.py ws://HOST:PORT/v1 LADDER."""

import itertools
import json
import sys
import time

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

SERVER, LADDER = sys.argv[1:]


def black_and_white(guess, secret):
    black = sum(a == b for a, b in zip(guess, secret, strict=True))
    return black, sum(min(guess.count(color), secret.count(color)) for color in set(guess)) - black


class Player:
    """One match on as many connections as it takes."""

    def __init__(self):
        self.token = self.match = None
        self.seq, self.possible = 0, []

    def play(self, socket):
        self.socket = socket
        who = {"token": self.token} if self.token else {"name": "plain", "kind": "bot"}
        self.send(type="hello", client={"name": "plain", "version": "1"}, **who)
        for text in socket:
            event = json.loads(text)
            self.seq = event["seq"] if "at" in event else self.seq
            getattr(self, f"on_{event['type']}", lambda _: None)(event)

    def send(self, **message):
        self.socket.send(json.dumps(message))

    def on_welcome(self, event):
        self.token = self.token or event["token"]
        if self.match:
            self.send(type="resume", match=self.match, seq=self.seq)
        else:
            self.send(type="play", ladder=LADDER)

    def on_match_started(self, event):
        self.match = event["match"]
        self.codes = ["".join(each) for each in itertools.product(event["symbols"], repeat=event["pegs"])]

    def on_resumed(self, event):
        if event["state"] == "ready":
            self.on_game_started(event)

    def on_game_started(self, event):
        self.possible = self.codes
        self.send(type="ready", match=self.match, game=event["game"])

    def on_turn(self, event):
        self.send(type="guess", match=self.match, game=event["game"], turn=event["turn"], code=self.possible[0])

    def on_feedback(self, event):
        answer = event["black"], event["white"]
        self.possible = [code for code in self.possible if black_and_white(event["code"], code) == answer]

    def on_match_over(self, event):
        sys.exit()

    def on_notice(self, event):
        if event["kind"] == "seat_taken":
            sys.exit()

    def on_error(self, event):
        if event["code"] not in ("flagged", "draining"):
            sys.exit(event["message"])


player = Player()
for _ in range(100):
    try:
        with connect(SERVER) as socket:
            player.play(socket)
    except (OSError, WebSocketException) as error:
        print(error)
    time.sleep(0.2)  # noqa: TID251 - a pause that is checked
