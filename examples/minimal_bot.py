"""A small bot: python minimal_bot.py [ws://HOST:PORT/v1] plays a practice game as a guest."""

import itertools
import json
import sys

from websockets.sync.client import connect


def feedback(guess, secret):
    black = sum(a == b for a, b in zip(guess, secret, strict=True))
    return black, sum(min(guess.count(color), secret.count(color)) for color in set(guess)) - black


def printable(text):
    """Return the text of a server without what a terminal would obey."""
    return "".join(character if character.isprintable() else "?" for character in str(text))


url = sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:8765/v1"
proxy = None if "//127.0.0.1:" in url else True  # True is that of the environment, which does not lead to this machine
with connect(url, subprotocols=["evilpegs.v1"], proxy=proxy) as socket:
    socket.send(json.dumps({"type": "hello", "client": {"name": "minimal-bot", "version": "1"}}))
    socket.send(json.dumps({"type": "play", "ladder": "classic-practice"}))
    for event in map(json.loads, socket):
        game = {"match": event.get("match"), "game": event.get("game")}
        if event["type"] == "match_started":
            codes = ["".join(code) for code in itertools.product(event["symbols"], repeat=event["pegs"])]
        elif event["type"] == "game_started":
            socket.send(json.dumps({"type": "ready", **game}))
        elif event["type"] == "turn":
            socket.send(json.dumps({"type": "guess", **game, "turn": event["turn"], "code": codes[0]}))
        elif event["type"] == "feedback":
            codes = [code for code in codes if feedback(event["code"], code) == (event["black"], event["white"])]
        elif event["type"] == "game_over":
            print(printable(f"{event['outcome']} in {event['guesses']} guesses; the secret was {event['secret']}"))
        elif event["type"] in ("match_over", "error"):
            sys.exit(printable(event["message"]) if "message" in event else None)
