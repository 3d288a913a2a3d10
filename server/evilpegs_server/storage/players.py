"""Players: names that cannot be mistaken for one another, and the tokens that prove them."""

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import Final, Literal

PlayerKind = Literal["bot", "human", "guest"]

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{1,19}")
_LOOK_ALIKES: Final = str.maketrans("015i", "olsl", "_-")
GUEST_PREFIX: Final = "guest-"


@dataclass(frozen=True, slots=True)
class Player:
    """Someone who plays: ``id`` is the server's number of him."""

    id: int
    name: str
    kind: PlayerKind

    @property
    def is_guest(self) -> bool:
        """Whether the name was given by the server; guests play practice only."""
        return self.kind == "guest"


class NameRefusedError(ValueError):
    """A name cannot be had. ``taken`` tells whether it is good but somebody else's."""

    def __init__(self, message: str, *, taken: bool) -> None:
        super().__init__(message)
        self.taken = taken


class Players:
    """Every player, by token and by name. The storage keeps the same facts; this answers without it."""

    def __init__(self) -> None:
        self._by_token: dict[str, Player] = {}
        self._guest_hashes: dict[int, str] = {}
        self._names: set[str] = set()
        self._highest = 0

    def __len__(self) -> int:
        return len(self._by_token)

    def add(self, player: Player, token_hash: str) -> None:
        """Take in a player the storage knows, or will know before he is told, or a guest."""
        self._by_token[token_hash] = player
        if player.is_guest:
            self._guest_hashes[player.id] = token_hash
        self._names.add(skeleton(player.name))
        self._highest = max(self._highest, player.id)

    def remove(self, player: Player, token_hash: str) -> None:
        """Forget a player whose storing failed, or a guest who left without playing."""
        self._by_token.pop(token_hash, None)
        self._guest_hashes.pop(player.id, None)
        self._names.discard(skeleton(player.name))

    def guest_hash(self, guest: Player) -> str:
        """The hash of a guest's token: guests are stored with their first match only."""
        return self._guest_hashes[guest.id]

    def by_token(self, token: str) -> Player | None:
        """Whoever holds this token."""
        return self._by_token.get(hash_token(token))

    def new_player(self, name: str, kind: PlayerKind) -> Player:
        """A new player of that name; raises NameRefusedError. The name is his once `add` is called."""
        check_name(name)
        if skeleton(name) in self._names:
            raise NameRefusedError("that name, or one that looks like it, is taken; choose another", taken=True)
        return Player(self._highest + 1, name, kind)

    def new_guest(self) -> Player:
        """A new player with a name that is free."""
        while True:
            name = GUEST_PREFIX + secrets.token_hex(4)
            if skeleton(name) not in self._names:
                return Player(self._highest + 1, name, "guest")


def check_name(name: str) -> None:
    """Raise NameRefusedError unless ``name`` is one a player may claim."""
    if _NAME.fullmatch(name) is None:
        message = "a name is 2 to 20 of a-z, 0-9, _ and -, beginning with a letter"
        raise NameRefusedError(message, taken=False)
    if name.startswith(GUEST_PREFIX):
        message = f"names beginning with {GUEST_PREFIX} are the server's to give"
        raise NameRefusedError(message, taken=False)


def skeleton(name: str) -> str:
    """What a name looks like at a glance: two names with one skeleton are look-alikes."""
    return name.translate(_LOOK_ALIKES).replace("rn", "m").replace("vv", "w")


def new_token() -> str:
    """256 random bits in hex."""
    return secrets.token_hex(32)


def hash_token(token: str) -> str:
    """All that is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
