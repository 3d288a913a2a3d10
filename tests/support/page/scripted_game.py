"""A game server that a test scripts: Playwright answers the page's WebSocket, and checks nothing.

So it can send names, rules and messages that are markup, which a real server would not accept from anybody.
"""

import json
from types import MappingProxyType

MATCH = "1a3185c59c4ed34a"
LADDER = {
    "id": "classic-practice",
    "rules": "4x6",
    "codemaker": "fixed",
    "tie": None,
    "exact_up_to": None,
    "clock": None,
    "guess_limit": 10,
    "games": 1,
    "rated": False,
}


class ScriptedGame:
    """A server that plays practice games in which every text is ``text``; a test may set another at any time.

    ``refuses`` maps the types of the requests that it refuses to error codes.
    """

    text = ""
    refuses = MappingProxyType({})

    def serve(self, page):
        """Answer every WebSocket that a page opens."""
        page.route_web_socket(lambda url: url.startswith("ws://"), self._accept)

    def _accept(self, socket):
        socket.on_message(lambda frame: self._answer(socket, json.loads(frame)))

    def _answer(self, socket, request):
        kind = request["type"]
        if kind in self.refuses:
            answers = [{"type": "error", "code": self.refuses[kind], "message": self.text, "fatal": False}]
        else:
            answers = getattr(self, f"_{kind}")(request)
        for number, answer in enumerate(answers):
            socket.send(json.dumps(answer | ({"re": request["id"]} if number == 0 and "id" in request else {})))

    def _hello(self, _):
        server = {"name": self.text, "version": self.text, "site": self.text, "key": self.text}
        # A real server gives guests their names; this one gives the player a text.
        yield {
            "type": "welcome",
            "player": self.text,
            "kind": "human",
            "open": [],
            "ladders": [LADDER],
            "server": server,
        }

    def _play(self, _):
        ladder = {name: value for name, value in LADDER.items() if name != "id"}
        event = {"match": MATCH, "at": 1_800_000_000_000}
        names = {"player": self.text, "client": {"name": self.text, "version": self.text}, "ladder": self.text}
        rules = {"pegs": 4, "colors": 6, "symbols": "123456", "repeats": True}
        yield {"type": "match_started", "seq": 1, **event, **ladder, **names, **rules}
        yield {"type": "game_started", "seq": 2, **event, "game": 1, "commitment": self.text, "ready_by_ms": 60_000}

    def _ready(self, _):
        yield {"type": "turn", "match": MATCH, "game": 1, "turn": 1, "left_ms": None}

    def _hint(self, _):
        yield {"type": "hint", "match": MATCH, "code": "1122", "candidates": 1296, "why": self.text}

    def _resign(self, _):
        event = {"match": MATCH, "at": 1_800_000_000_000, "elapsed_ms": 0}
        yield {
            "type": "game_over", **event, "seq": 3, "game": 1, "outcome": self.text, "guesses": 0,
            "secret": "1122", "nonce": self.text,
        }  # fmt: skip
        yield {
            "type": "match_over", **event, "seq": 4, "outcomes": [self.text], "guesses": [0],
            "head": self.text, "signature": self.text,
        }  # fmt: skip

    def _ping(self, request):
        yield {"type": "pong", "c": request["c"]}
