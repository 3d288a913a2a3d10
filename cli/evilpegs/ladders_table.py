"""The ladders as a table; whatever the width, their ids can be read and typed."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.table import Table

from evilpegs.tables import Shown, table_of
from evilpegs_protocol.server_messages import LadderInfo


def ladders_tables(infos: Sequence[LadderInfo]) -> Iterator[Table]:
    """The table with all there is to say, then ever narrower ones."""
    yield table_of(infos, FULL)
    for columns in range(len(SHORT), 0, -1):
        yield table_of(infos, SHORT[:columns], close=True)


def _codemaker(info: LadderInfo) -> str:
    return info.codemaker + (" (ties by seed)" if info.tie == "largest/seeded" else "")


def _clock(info: LadderInfo) -> str:
    if info.clock is None:
        return "untimed"
    return f"{info.clock.base_ms / 1000:g} s + {info.clock.increment_ms / 1000:g} s a guess"


def _short_clock(info: LadderInfo) -> str:
    return "untimed" if info.clock is None else f"{info.clock.base_ms / 1000:g} + {info.clock.increment_ms / 1000:g} s"


_ID: Final = Shown[LadderInfo]("ladder", lambda info: info.id)
_RULES: Final = Shown[LadderInfo]("rules", lambda info: info.rules)
_NUMBERS: Final = (
    Shown[LadderInfo]("guesses", lambda info: str(info.guess_limit), "right"),
    Shown[LadderInfo]("games", lambda info: str(info.games), "right"),
)
FULL: Final = (
    _ID,
    _RULES,
    Shown("codemaker", _codemaker),
    Shown("clock", _clock),
    *_NUMBERS,
    Shown[LadderInfo]("counts", lambda info: "rated" if info.rated else "practice"),
)
SHORT: Final = (
    _ID,
    _RULES,
    Shown[LadderInfo]("codemaker", lambda info: info.codemaker),
    Shown("clock", _short_clock),
    *_NUMBERS,
)
"""From the most to the least important, without what the id of a built-in ladder tells anyway."""
