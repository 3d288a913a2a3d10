"""Links of the page to games: with a seed, or with a code that somebody chose, whose result goes back as a text.

The page does the same in JavaScript (``core/share.js``, ``core/own_secret.js``); shared test vectors keep both alike.
"""

import hashlib
import re
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import parse_qsl

from evilpegs_clients.daily import DailyTerms, game_text, parse_date
from evilpegs_clients.errors import ClientError
from evilpegs_game.codes import SYMBOLS, format_code, parse_code
from evilpegs_game.errors import GameError, quoted
from evilpegs_game.feedback import History
from evilpegs_game.rules import Rules
from evilpegs_protocol.codec import canonical

_LIMITS: Final = {"4x6": 10, "4x10-distinct": 12, "5x8": 14}  # of the ladders; 20 on rules without one
_MOST_CODES: Final = 1_000_000  # of the page
_SEED: Final = re.compile(r"[0-9A-Za-z-]{1,40}")
_LIMIT: Final = re.compile(r"[1-9][0-9]?")
_SET: Final = re.compile(r"[0-9a-f]{18,48}")
_BROKEN: Final = "this link is incomplete or was changed; put all of it in quotes, or ask for it again"


class ChallengeError(ClientError):
    """The link names no game that can be played here."""


class Challenge(NamedTuple):
    terms: DailyTerms
    commitment: str | None = None  # of a code that somebody chose

    def result(self, history: History, letters: bool) -> str:
        """Return the text to share; of a code that somebody chose, one that their page checks."""
        text = game_text(self.terms, history, letters)
        if self.commitment is None:
            return text
        title, *marks = text.split("\n")
        guesses = [format_code(turn.guess) for turn in history]
        check = _digest(["evilpegs-result-v1", self.commitment, title, *guesses])
        rows = [f"{guess} {row}" for guess, row in zip(guesses, marks, strict=True)]
        return "\n".join([title, *rows, f"challenge {self.commitment[:16]} check {check[:16]}"])


def parse_challenge(link: str) -> Challenge:
    """Parse a link such as ``http://192.0.2.10:8000/#/play/4x6-evil?seed=7f3a&v=1``; raises ChallengeError."""
    path, _, search = link.strip().partition("#/")[2].partition("?")
    kind, _, name = path.partition("/")
    query = dict(reversed(parse_qsl(search, keep_blank_values=True)))  # as on the page, the first of a name counts
    if kind not in {"play", "secret", "daily"}:
        raise ChallengeError(f"not a challenge: {quoted(link)}; copy a link of the page, and put it in quotes")
    if (version := query.get("v", "1")) != "1":
        raise ChallengeError(f"this link has version {quoted(version)}, and this program knows version 1 only")
    if kind == "daily":
        raise ChallengeError(f"this link is of a game of the day; use --daily --date {parse_date(name)}")
    return _own_secret(name, query) if kind == "secret" else _seeded(name, query.get("seed"))


def _seeded(name: str, seed: str | None) -> Challenge:
    codemaker: Literal["evil", "fixed"] = "fixed" if name.endswith("-fixed") else "evil"
    rules = _parse_rules(name.removesuffix(f"-{codemaker}"))
    if seed is None or not _SEED.fullmatch(seed):
        raise ChallengeError(
            f"the seed of this game must be 1 to 40 letters, digits or hyphens, not {quoted(seed or '')}"
        )
    return Challenge(DailyTerms(rules, codemaker, _LIMITS.get(str(rules), 20), seed))


def _own_secret(name: str, query: dict[str, str]) -> Challenge:
    rules, limit, drawn = _parse_rules(name), query.get("limit", ""), query.get("set", "")
    if not (_LIMIT.fullmatch(limit) and _SET.fullmatch(drawn) and len(drawn) == 16 + 2 * rules.pegs):
        raise ChallengeError(_BROKEN)
    colors = masked(bytes.fromhex(drawn[16:]), drawn[:16])
    code = "".join(SYMBOLS[color] if color < len(SYMBOLS) else "?" for color in colors)
    commitment = own_commitment(rules, int(limit), code, drawn[:16])
    if commitment != query.get("commitment"):
        raise ChallengeError(_BROKEN)
    try:
        return Challenge(DailyTerms(rules, "fixed", int(limit), secret=parse_code(code, rules)), commitment)
    except GameError:
        raise ChallengeError(_BROKEN) from None


def masked(colors: bytes, nonce: str) -> bytes:
    """Mask or unmask the colors of a code, so that a glance at its link does not show it."""
    key = hashlib.sha256(f"evilpegs set {nonce}".encode()).digest()
    return bytes(color ^ byte for color, byte in zip(colors, key, strict=False))


def own_commitment(rules: Rules, limit: int, code: str, nonce: str) -> str:
    return _digest(["evilpegs-set-v1", str(rules), limit, code, nonce])


def _parse_rules(name: str) -> Rules:
    rules = Rules.parse(name)
    if rules.size > _MOST_CODES:
        raise ChallengeError(f"{rules} has {rules.size:,} codes, too many for a game without a server")
    return rules


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()
