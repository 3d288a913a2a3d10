"""The MQTT topics of the live feed. docs/feed.md describes their payloads.

    evilpegs/v1/<server>/state
    evilpegs/v1/<server>/match/<match>/event
    evilpegs/v1/<server>/match/<match>/result
    evilpegs/v1/<server>/ladder/<ladder>/leaderboard
    evilpegs/v1/<server>/ladder/<ladder>/live
    evilpegs/v1/<server>/ladder/<ladder>/result

The ids of servers and ladders match `[a-z0-9-]{1,40}`, so no id can contain a separator or a wildcard.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from evilpegs_game.errors import quoted

TopicKind = Literal["state", "event", "result", "leaderboard", "live"]

PREFIX: Final = "evilpegs/v1"
ANY: Final = "+"  # the MQTT wildcard for one level of a topic; in place of an id, it stands for every id
ID: Final = re.compile(r"[a-z0-9-]{1,40}")
_TOPIC: Final = re.compile(
    rf"{PREFIX}/(?P<server>{ID.pattern})/"
    rf"(?:(?P<state>state)|match/(?P<match>[0-9a-f]{{16}})/(?P<of_match>event|result)"
    rf"|ladder/(?P<ladder>{ID.pattern})/(?P<of_ladder>leaderboard|live|result))"
)


@dataclass(frozen=True, slots=True)
class FeedTopics:
    """The topics of one server, or of `ANY`; an id may be `ANY` too. Raises ValueError for an invalid id."""

    server: str

    def __post_init__(self) -> None:
        _check_id(self.server)

    @property
    def state(self) -> str:
        """The topic that says whether the server is online."""
        return f"{PREFIX}/{self.server}/state"

    def event(self, match: str) -> str:
        return f"{PREFIX}/{self.server}/match/{match}/event"

    def result(self, match: str) -> str:
        return f"{PREFIX}/{self.server}/match/{match}/result"

    def leaderboard(self, ladder: str) -> str:
        return f"{PREFIX}/{self.server}/ladder/{_check_id(ladder)}/leaderboard"

    def live(self, ladder: str) -> str:
        """Return the topic of the list of open matches on a ladder."""
        return f"{PREFIX}/{self.server}/ladder/{_check_id(ladder)}/live"

    def ladder_result(self, ladder: str) -> str:
        return f"{PREFIX}/{self.server}/ladder/{_check_id(ladder)}/result"


def is_id(text: str) -> bool:
    return ID.fullmatch(text) is not None


def _check_id(text: str) -> str:
    if text != ANY and not is_id(text):
        raise ValueError(f"an id in a topic has 1 to 40 of a-z, 0-9 and -, not {quoted(text, 60)}")
    return text


@dataclass(frozen=True, slots=True)
class ParsedTopic:
    kind: TopicKind
    server: str
    match: str | None = None
    ladder: str | None = None


def parse_topic(text: str) -> ParsedTopic | None:
    match = _TOPIC.fullmatch(text)
    if match is None:
        return None
    kind = match["state"] or match["of_match"] or match["of_ladder"]
    return ParsedTopic(kind, match["server"], match["match"], match["ladder"])  # type: ignore[arg-type]
