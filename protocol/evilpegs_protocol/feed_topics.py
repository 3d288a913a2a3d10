"""The MQTT topics of the live feed. docs/feed.md describes their payloads.

    evilpegs/v1/<server>/state
    evilpegs/v1/<server>/match/<match>/event
    evilpegs/v1/<server>/match/<match>/result
    evilpegs/v1/<server>/ladder/<ladder>/leaderboard
    evilpegs/v1/<server>/ladder/<ladder>/live

The ids of servers and ladders match `[a-z0-9-]{1,40}`, so no id can contain a separator or a wildcard.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from evilpegs_game.errors import quoted

TopicKind = Literal["state", "event", "result", "leaderboard", "live"]

PREFIX: Final = "evilpegs/v1"
ANY: Final = "+"
"""The MQTT wildcard for one level of a topic. In place of an id, it stands for every id."""
_ID: Final = re.compile(r"[a-z0-9-]{1,40}")
_TOPIC: Final = re.compile(
    rf"{PREFIX}/(?P<server>{_ID.pattern})/"
    rf"(?:(?P<state>state)|match/(?P<match>[0-9a-f]{{16}})/(?P<of_match>event|result)"
    rf"|ladder/(?P<ladder>{_ID.pattern})/(?P<of_ladder>leaderboard|live))"
)


@dataclass(frozen=True, slots=True)
class FeedTopics:
    """The MQTT topics of one server, or of every server if ``server`` is the wildcard `ANY`.

    Raises:
        ValueError: ``server``, or the ladder of a topic, is neither a valid id nor `ANY`.
    """

    server: str

    def __post_init__(self) -> None:
        _check_id(self.server)

    @property
    def state(self) -> str:
        """The topic of the server's state, which says whether the server is online."""
        return f"{PREFIX}/{self.server}/state"

    def event(self, match: str) -> str:
        """Return the topic of the events of a match as they happen; ``match`` is the id of the match, or `ANY`."""
        return f"{PREFIX}/{self.server}/match/{match}/event"

    def result(self, match: str) -> str:
        """Return the topic of the result of a match; ``match`` is the id of the match, or `ANY`."""
        return f"{PREFIX}/{self.server}/match/{match}/result"

    def leaderboard(self, ladder: str) -> str:
        """Return the topic of the leaderboard of a ladder; ``ladder`` is the id of the ladder, or `ANY`."""
        return f"{PREFIX}/{self.server}/ladder/{_check_id(ladder)}/leaderboard"

    def live(self, ladder: str) -> str:
        """Return the topic of the list of open matches on a ladder; ``ladder`` is the id of the ladder, or `ANY`."""
        return f"{PREFIX}/{self.server}/ladder/{_check_id(ladder)}/live"


def is_id(text: str) -> bool:
    """Return True if ``text`` is a valid id of a server or of a ladder."""
    return _ID.fullmatch(text) is not None


def _check_id(text: str) -> str:
    if text != ANY and not is_id(text):
        message = f"an id in a topic has 1 to 40 of a-z, 0-9 and -, not {quoted(text, 60)}"
        raise ValueError(message)
    return text


@dataclass(frozen=True, slots=True)
class ParsedTopic:
    """A topic of the MQTT feed: its kind, and the ids of the server and of the match or ladder that it belongs to.

    ``match`` is None if the topic belongs to no match, and ``ladder`` is None if the topic belongs to no ladder.
    """

    kind: TopicKind
    server: str
    match: str | None = None
    ladder: str | None = None


def parse_topic(text: str) -> ParsedTopic | None:
    """Return the parts of the topic ``text``, or None if ``text`` is not a topic of the feed."""
    match = _TOPIC.fullmatch(text)
    if match is None:
        return None
    kind = match["state"] or match["of_match"] or match["of_ladder"]
    return ParsedTopic(kind, match["server"], match["match"], match["ladder"])  # type: ignore[arg-type]
