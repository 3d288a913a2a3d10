"""A hint for people who wait for a ladder that no server publishes."""

import asyncio
from collections.abc import Callable
from typing import Final

from evilpegs_protocol.feed_topics import ParsedTopic

SECONDS: Final = 3.0  # after a subscription, within which a broker should have sent the messages that it retains


class MissingLadder:
    """A hint, given once, that nothing is published for a ladder.

    Servers publish the open matches of each ladder that they offer as a retained message, which a broker sends soon
    after a subscription.
    """

    def __init__(self, ladder: str | None, hint: Callable[[str], None]) -> None:
        self._ladder = ladder
        self._hint = hint
        self._is_known = ladder is None

    def expect(self) -> None:
        """Schedule the hint; call this after subscribing."""
        if not self._is_known:
            asyncio.get_running_loop().call_later(SECONDS, self._give_hint)

    def note(self, topic: ParsedTopic) -> None:
        """Note a message; one about the ladder cancels the hint."""
        if topic.ladder is not None and topic.ladder == self._ladder:
            self._is_known = True

    def _give_hint(self) -> None:
        if not self._is_known:
            self._is_known = True
            self._hint(f"nothing is published for the ladder {self._ladder} at this broker; waiting")
