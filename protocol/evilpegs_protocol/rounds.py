"""The messages about a round: who entered, how far each is, and the results once it is over."""

from typing import Literal

from evilpegs_protocol.fields import Count, LadderId, Message, Milliseconds, Name
from evilpegs_protocol.server_messages import LadderInfo

RoundState = Literal["planned", "open", "closing", "over"]
Progress = Literal["not_started", "playing", "finished"]
Names = tuple[Name, ...]


class RoundResult(Message):
    """The result of an entrant. A failed game counts as one guess more than the limit in `mean`.

    `mean` is without luck if the round is `adjusted`. `games` are those that count, without void ones, and `not_played`
    those of the `failed` games that were never begun. An entrant is `ahead_of` others with at least one claim for it
    and none against; the claims are those of better play and of fewer failures.
    """

    place: Count
    mean: float
    games: Count
    failed: Count
    not_played: Count
    ahead_of: Names
    plays_better_than: Names
    fails_less_than: Names


class RoundEntrant(Message):
    """An entrant, and how far they are; `player` is null for one who withdrew.

    `ended` is the number of games that have ended. In a sealed round it is null until the round is over, and `progress`
    changes at full minutes only, because the moment at which a game ends tells how many guesses it took. `excluded` is
    the reason for which the results are left out. `result` is null before the round is over, and for those who
    withdrew, are excluded or have no game that counts.
    """

    player: Name | None
    progress: Progress
    ended: Count | None
    excluded: str | None
    result: RoundResult | None


class RoundDocument(Message):
    """A round, whose conditions are those of `ladder`, with all games in one match.

    It is `planned` before it opens, `closing` while the last games are played, and then `over`. `adjusted` says that
    scores are without luck, null before it is over. `changed` is when the operator last excluded, admitted, hid,
    showed or forgot an entrant after the round was over. Entrants are in the order of their places, else by name.
    """

    id: LadderId
    ladder: LadderInfo
    sealed: bool
    state: RoundState
    opens: Milliseconds
    closes: Milliseconds | None
    adjusted: bool | None
    changed: Milliseconds | None
    entrants: tuple[RoundEntrant, ...]


class RoundList(Message):
    """All rounds, the latest first, without their entrants."""

    rounds: tuple[RoundDocument, ...]
