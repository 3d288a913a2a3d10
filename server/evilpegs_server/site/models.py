"""The documents of the HTTP API. Times are Unix milliseconds; what is not known, or not yet, is null."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from evilpegs_protocol.fields import Codemaker, Count, LadderId, MatchId, Milliseconds, Name, Outcome, PublicKey
from evilpegs_protocol.server_messages import LadderInfo, PlayerKind
from evilpegs_server.scoring.leaderboard import LeaderboardRow

NextPage = Annotated[str | None, Field(description="The path of the next page; null on the last one.")]


class Document(BaseModel):
    """A frozen JSON object. It can also be made from an object that has its fields as attributes."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class Bound(Document):
    """Bounds of a number of guesses: no strategy needs fewer than `at_least`, and one needs `at_most`."""

    at_least: float
    at_most: float | None
    source: str | None


class Bounds(Document):
    """The fewest guesses that a strategy can need: the mean over all secrets, and in the worst case.

    `mean` is null unless the codemaker is `fixed`.
    """

    mean: Bound | None
    worst: Bound


class LadderDocument(LadderInfo):
    """A ladder. `codes` is the number of codes; `offered` is false if this server does not let it be played."""

    codes: int
    offered: bool
    bounds: Bounds


class GameAddressDocument(Document):
    """The address of the game. `url` is null until the server accepts players, and `version` is that of the server."""

    url: str | None
    subprotocol: str
    version: str


class LadderList(Document):
    """All ladders."""

    ladders: tuple[LadderDocument, ...]


class LeaderboardDocument(Document):
    """The leaderboard of a ladder, best row first, as `evilpegs leaderboard --json` prints it."""

    ladder: LadderId
    rules: str
    codemaker: Codemaker
    guess_limit: Count
    rows: tuple[LeaderboardRow, ...]


class PlayerEntry(Document):
    """A player."""

    name: Name
    kind: PlayerKind
    created_at: Milliseconds


class PlayerPage(Document):
    """A page of the players, by name."""

    players: tuple[PlayerEntry, ...]
    next: NextPage


class PlayerResult(Document):
    """The results of a player on one ladder with one version of a client."""

    ladder: LadderId
    row: LeaderboardRow


class PlayerDocument(PlayerEntry):
    """A player and all results that count on a leaderboard."""

    results: tuple[PlayerResult, ...]


class MatchEntry(Document):
    """A match in a list. `outcomes` and `guesses` have an entry for each game that is over."""

    match: MatchId
    ladder: LadderId
    player: Name
    client: str
    started_at: Milliseconds
    over: bool
    outcomes: tuple[Outcome, ...]
    guesses: tuple[Count, ...]
    elapsed_ms: Milliseconds


class MatchPage(Document):
    """A page of matches, newest first."""

    matches: tuple[MatchEntry, ...]
    next: NextPage


class TurnDocument(Document):
    """A guess and its feedback. `candidates` is the number of codes left, which only practice games reveal."""

    turn: int
    code: str
    black: int
    white: int
    took_ms: Milliseconds
    left_ms: Milliseconds | None
    candidates: int | None


class GameDocument(Document):
    """A game. Its secret and nonce are null until it is over."""

    game: int
    outcome: Outcome | None
    guesses: Count
    elapsed_ms: Milliseconds | None
    secret: str | None
    nonce: str | None
    turns: tuple[TurnDocument, ...]


class MatchDocument(Document):
    """A match with every game and turn so far."""

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
    """An open match. `turn` is 0 while a game waits for its player; `watchers` counts connections."""

    match: MatchId
    ladder: LadderId
    player: Name
    game: Count
    turn: Count
    watchers: Count


class LivePage(Document):
    """A page of the open matches, newest first. `total` counts those on all pages."""

    matches: tuple[LiveMatch, ...]
    total: Count
    next: NextPage


class HealthDocument(Document):
    """The server answers."""

    status: Literal["ok"] = "ok"


class ReadyDocument(Document):
    """The server takes matches."""

    status: Literal["ready"] = "ready"


class KeysDocument(Document):
    """The public keys that sign records: `key` is in use, `former` were in use before, oldest first.

    They are Ed25519 keys in base64url without padding.
    """

    key: PublicKey
    former: tuple[PublicKey, ...]


class IndexDocument(Document):
    """The name and version of this server, and the paths of its documents."""

    name: str
    version: str
    links: dict[str, str]
