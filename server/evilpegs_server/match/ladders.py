"""Ladders and the file that defines them. Results of different ladders are never combined in one leaderboard."""

import tomllib
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final, Self

from evilpegs_game.rules import Rules
from evilpegs_protocol.fields import Codemaker
from evilpegs_protocol.server_messages import ClockInfo, LadderInfo, PlayerKind, Tie

LADDERS_FILE: Final = Path(__file__).with_name("ladders.toml")
READY_MS: Final = 60_000
"""The time for which a game waits until its player is ready."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """One way to play, under an id whose meaning never changes; on a ``former`` one, no further match begins."""

    id: str
    rules: Rules
    codemaker: Codemaker
    clock: ClockInfo | None
    guess_limit: int
    games: int
    rated: bool
    kind: PlayerKind | None = None
    tie: Tie | None = None
    exact_up_to: int | None = None  # the largest live set for which a devil finds the best reply
    worst_work: int = 0  # the most table rows that a reply of evil counts; 0 if replies compare all codes
    ready_ms: int = READY_MS
    is_round: bool = False
    sealed: bool = False  # others see nothing of its matches before the round is over
    opens: int | None = None  # in Unix milliseconds, the first at which a match may begin
    closes: int | None = None  # the first at which none may
    former: bool = False

    @classmethod
    def from_info(cls, info: LadderInfo) -> Self:
        return cls(**dict(info) | {"rules": Rules.parse(info.rules)})

    def info(self) -> LadderInfo:
        fields = {name: getattr(self, name) for name in LadderInfo.model_fields}
        return LadderInfo(**fields | {"rules": str(self.rules)})


def load_ladders(path: Path = LADDERS_FILE) -> dict[str, Ladder]:
    """Return the ladders by id, in the order of the file: each of its rules with each kind that is for these rules."""
    content = tomllib.loads(path.read_text())
    ladders = {}
    for rules, kind in product(content["rules"], content["kinds"]):
        if rules in kind.get("rules", content["rules"]):
            terms = {name: value for name, value in kind.items() if name not in {"suffix", "rules"}}
            terms |= content["rules"][rules] | {"id": rules + kind["suffix"], "rules": Rules.parse(rules)}
            terms["clock"] = ClockInfo.parse(kind["clock"]) if "clock" in kind else None
            ladders[terms["id"]] = Ladder(**terms)
    return ladders
