"""A forged record: a match against fixed secrets in which every game is solved by the first guess.

Everything that a reader can recompute holds, because the forger chooses nonces, secrets and hashes. Only the signature
of the server cannot be forged.
"""

import hashlib

from evilpegs_game.codes import code_at, format_code
from evilpegs_game.rules import Rules
from evilpegs_protocol.codec import canonical
from evilpegs_protocol.commitment import commitment, secret_index
from evilpegs_protocol.record import chain


def forge(events):
    """Return a consistent record that has the first event of a real one and other games; it is not signed."""
    started = events[0]
    rules, match, clock = Rules.parse(started["rules"]), started["match"], started["clock"]
    forged, at = [started], started["at"]

    def add(kind, **fields):
        forged.append({"type": kind, "match": match, "seq": len(forged) + 1, "at": at, **fields})

    for game in range(1, started["games"] + 1):
        nonce = hashlib.sha256(f"forged {game}".encode()).hexdigest()
        secret = format_code(code_at(secret_index(nonce, None, match, game, rules.size), rules))
        add("game_started", game=game, commitment=commitment(match, game, str(rules), nonce), ready_by_ms=60_000)
        at += 5
        left = clock and clock["base_ms"] - 5 + clock["increment_ms"]
        add("feedback", game=game, turn=1, code=secret, black=rules.pegs, white=0, took_ms=5, left_ms=left)
        add("game_over", game=game, outcome="solved", guesses=1, elapsed_ms=5, secret=secret, nonce=nonce)
    head = chain(map(canonical, forged))[-1]
    games = started["games"]
    add("match_over", outcomes=["solved"] * games, guesses=[1] * games, elapsed_ms=5 * games, head=head)
    return forged
