"""The JSON documents of the HTTP API.

Fields whose names end with `_at` are Unix times in milliseconds, and fields whose names end with `_ms` are durations in
milliseconds. A value that is not known, or not known yet, is null.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evilpegs_protocol.fields import Codemaker, Count, LadderId, MatchId, Milliseconds, Name, Outcome, PublicKey
from evilpegs_protocol.leaderboard import LeaderboardRow
from evilpegs_protocol.server_messages import LadderInfo
from evilpegs_server.storage.derived.browse import MatchEntry, PlayerEntry

NextPage = Annotated[str | None, Field(description="The path of the next page; null on the last one.")]


class Document(BaseModel):
    """A frozen JSON object; `model_validate` also accepts an object with the fields as attributes."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class Bound(Document):
    """Bounds on a number of guesses: no strategy needs fewer than `at_least`, and a known one needs `at_most`.

    `at_most` is null if no strategy is known. `source` says where the bounds come from.
    """

    at_least: float
    at_most: float | None
    source: str | None


class Bounds(Document):
    """Bounds on the fewest guesses that a strategy can need on a ladder.

    `mean` is about the mean over all secrets, null unless the codemaker is `fixed`. `worst` is about the worst case.
    """

    mean: Bound | None
    worst: Bound


class LadderDocument(LadderInfo):
    """A ladder, with the number of `codes` of its rules and `bounds` on the guesses that a strategy needs on it.

    `offered` is false if it cannot be played on this server.
    """

    codes: int
    offered: bool
    bounds: Bounds


class GameAddressDocument(Document):
    """The address of the game: the WebSocket URL and the subprotocol with which players connect.

    `url` is null until the server accepts players. `version` is the version of the server's program.
    """

    url: str | None
    subprotocol: str
    version: str


class LadderList(Document):
    """All ladders that the server knows."""

    ladders: tuple[LadderDocument, ...]


class BetweenDocument(Document):
    """The rows of two players in the asked order, with `difference` as `evilpegs leaderboard --between --json` has it.

    `difference` is null as long as a player has too few games. `lines` says the same in words.
    """

    ladder: LadderId
    guess_limit: Count
    rows: tuple[LeaderboardRow, ...]
    difference: dict[str, Any] | None
    lines: tuple[str, ...]


class PlayerPage(Document):
    """A page of all players, ordered by name."""

    players: tuple[PlayerEntry, ...]
    next: NextPage


class PlayerResult(Document):
    """The results of a player on one ladder with one version of their client program."""

    ladder: LadderId
    row: LeaderboardRow


class PlayerDocument(PlayerEntry):
    """A player, with all of their results that count on a leaderboard."""

    results: tuple[PlayerResult, ...]


class MatchPage(Document):
    """A page of matches, the latest start first."""

    matches: tuple[MatchEntry, ...]
    next: NextPage


class TurnDocument(Document):
    """A guess and its feedback, in the turn with the number `turn`, from 1.

    `took_ms` is the time that the guess took, and `left_ms` the time left for the game, null if play is untimed.
    `candidates` is the number of codes left after the feedback, null unless the ladder is for practice.
    """

    turn: int
    code: str
    black: int
    white: int
    took_ms: Milliseconds
    left_ms: Milliseconds | None
    candidates: int | None


class GameDocument(Document):
    """A game of a match, with its number `game`, from 1, and its turns so far.

    The outcome, the secret, the server's nonce and the player's time `elapsed_ms` are null until the game is over.
    """

    game: int
    outcome: Outcome | None
    guesses: Count
    elapsed_ms: Milliseconds | None
    secret: str | None
    nonce: str | None
    turns: tuple[TurnDocument, ...]


class MatchDocument(Document):
    """A match with every game and turn so far.

    `client` is the name and the version of the player's program, self-reported. `over` is true if the match is over.
    """

    match: MatchId
    ladder: LadderId
    rules: str
    codemaker: Codemaker
    player: Name
    client: str
    started_at: Milliseconds
    over: bool
    games: tuple[GameDocument, ...]


class LiveMatch(Document):
    """An open match, with the numbers of the game and of the turn that it has reached, from 1.

    `turn` is 0 before the player has sent `ready` for the game. `watchers` is the number of streams that follow the
    match or its ladder.
    """

    match: MatchId
    ladder: LadderId
    player: Name
    game: Count
    turn: Count
    watchers: Count


class LivePage(Document):
    """A page of the open matches, the newest first. `total` is the number of open matches on all pages."""

    matches: tuple[LiveMatch, ...]
    total: Count
    next: NextPage


class HealthDocument(Document):
    """The answer of a site that runs."""

    status: Literal["ok"] = "ok"


class ReadyDocument(Document):
    """The answer of a site whose leaderboards have all stored games."""

    status: Literal["ready"] = "ready"


class KeysDocument(Document):
    """The public keys with which signatures of records are verified.

    `key` belongs to the key that signs records now, and `former` to keys that signed records before, oldest first. All
    are Ed25519 keys in base64url without padding.
    """

    key: PublicKey
    former: tuple[PublicKey, ...]


class IndexDocument(Document):
    """The name and the version of the server's program, and `links`, the paths of its documents by name."""

    name: str
    version: str
    links: dict[str, str]
