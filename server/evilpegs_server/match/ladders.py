"""Ladders: what is played, against whom, how fast and for how long. Results never mix across ladders."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evilpegs_game.rules import Rules
from evilpegs_protocol.server_messages import ClockInfo, Codemaker, LadderInfo, Tie
from evilpegs_server.match.clock import TimeControl

LADDERS_FILE: Final = Path(__file__).with_name("ladders.toml")
READY_MS: Final = 60_000
"""How long a game waits for its player."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """A ladder. Its id never changes meaning; ``clock`` is None where play is untimed.

    A devil solves live sets of at most ``exact_up_to`` codes; None where there is no devil. ``worst_work`` is what a
    reply on its rules may take at worst, in rows of a count; 0 where codes are looked at one by one. A game waits
    ``ready_ms`` for its player.
    """

    id: str
    rules: Rules
    codemaker: Codemaker
    tie: Tie | None
    clock: TimeControl | None
    guess_limit: int
    games: int
    rated: bool
    exact_up_to: int | None = None
    worst_work: int = 0
    ready_ms: int = READY_MS

    def info(self) -> LadderInfo:
        """The ladder as clients are told of it."""
        clock = ClockInfo(base_ms=self.clock.base_ms, increment_ms=self.clock.increment_ms) if self.clock else None
        return LadderInfo(
            id=self.id,
            rules=str(self.rules),
            codemaker=self.codemaker,
            tie=self.tie,
            exact_up_to=self.exact_up_to,
            clock=clock,
            guess_limit=self.guess_limit,
            games=self.games,
            rated=self.rated,
        )


def load_ladders(path: Path = LADDERS_FILE) -> dict[str, Ladder]:
    """Read a ladders file: for each preset of rules, each kind of ladder it has. Ordered as in the file."""
    content = tomllib.loads(path.read_text())
    return {
        ladder.id: ladder
        for rules, setting in content["rules"].items()
        for kind in content["kinds"]
        if rules in kind.get("rules", content["rules"])
        for ladder in [_ladder(rules, setting, kind)]
    }


def _ladder(rules: str, setting: Mapping[str, Any], kind: Mapping[str, Any]) -> Ladder:
    return Ladder(
        id=rules + kind["suffix"],
        rules=Rules.parse(rules),
        codemaker=kind["codemaker"],
        tie=kind.get("tie"),
        clock=TimeControl.parse(kind["clock"]) if "clock" in kind else None,
        guess_limit=setting["guess_limit"],
        games=kind["games"],
        rated=kind["rated"],
        exact_up_to=kind["exact_up_to"] if kind["codemaker"] == "devil" else None,
        worst_work=setting.get("worst_work", 0),
    )
