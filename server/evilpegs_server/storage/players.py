"""Players: their names, no two of which look alike, and the tokens that prove their identity."""

import hashlib
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

PlayerKind = Literal["bot", "human", "guest"]

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{1,19}")
_LOOK_ALIKES: Final = str.maketrans("015i", "olsl", "_-")
GUEST_PREFIX: Final = "guest-"
_RESERVED_NAMES: Final = (
    *("admin", "administrator", "codemaker", "evilpegs", "guest", "host", "mod", "moderator", "official", "operator"),
    *("owner", "root", "server", "staff", "support", "sysadmin", "system"),
)
"""The names that no player may have, because other players would believe that the server is speaking."""


@dataclass(frozen=True, slots=True)
class Player:
    """A player of a server. The server assigns the ``id``, which is at least 1 and unique."""

    id: int
    name: str
    kind: PlayerKind

    @property
    def is_guest(self) -> bool:
        """True if the player is a guest: the server chose the name, and only practice ladders are open to them."""
        return self.kind == "guest"


class NameRefusedError(ValueError):
    """The error of a name that cannot be claimed.

    ``taken`` is True if the name is well-formed, but it is reserved or looks like the name of another player.
    """

    def __init__(self, message: str, *, taken: bool) -> None:
        super().__init__(message)
        self.taken = taken


class Players:
    """The players that a server keeps in memory, found by their tokens.

    No player gets a name that looks like the name of another player. The length is the number of players in memory, and
    iterating yields these players.
    """

    def __init__(self) -> None:
        self._by_token: dict[str, Player] = {}
        self._guest_hashes: dict[int, str] = {}
        self._names: set[str] = set()
        self._highest = 0

    def __len__(self) -> int:
        return len(self._by_token)

    def __iter__(self) -> Iterator[Player]:
        return iter(tuple(self._by_token.values()))

    def skip_ids(self, highest: int) -> None:
        """Give new players only ids above ``highest``, because lower ids may belong to players not in memory."""
        self._highest = max(self._highest, highest)

    def lapse(self, token_hash: str) -> None:
        """Forget the player whose token has the hash ``token_hash``, if there is one, but keep their name reserved."""
        self._by_token.pop(token_hash, None)

    def add(self, player: Player, token_hash: str) -> None:
        """Add a player, whose token has the hash ``token_hash``, and reserve their name.

        A player who is not a guest must be stored in the database before the client receives the token.
        """
        self._by_token[token_hash] = player
        if player.is_guest:
            self._guest_hashes[player.id] = token_hash
        self._names.add(skeleton(player.name))
        self._highest = max(self._highest, player.id)

    def remove(self, player: Player, token_hash: str) -> None:
        """Remove a player, whose token has the hash ``token_hash``, and free their name.

        Call this when a new player could not be stored, or when a guest left without playing.
        """
        self._by_token.pop(token_hash, None)
        self._guest_hashes.pop(player.id, None)
        self._names.discard(skeleton(player.name))

    def guest_hash(self, guest: Player) -> str:
        """Return the hash of the token of a guest in memory. It is stored together with the guest's first match."""
        return self._guest_hashes[guest.id]

    def guest(self, number: int) -> Player | None:
        """Return the guest with the id ``number``, or None if no guest in memory has it."""
        token_hash = self._guest_hashes.get(number)
        return None if token_hash is None else self._by_token[token_hash]

    def by_token(self, token: str) -> Player | None:
        """Return the player to whom ``token`` belongs, or None if there is none in memory."""
        return self.by_hash(hash_token(token))

    def by_hash(self, token_hash: str) -> Player | None:
        """Return the player whose token has the hash ``token_hash``, or None if there is none in memory."""
        return self._by_token.get(token_hash)

    def new_player(self, name: str, kind: PlayerKind) -> Player:
        """Return a new player with the given name and the next free id, without adding the player.

        The name and the id stay free until `add` is called.

        Raises:
            NameRefusedError: the name is malformed, reserved or taken.
        """
        check_name(name)
        if skeleton(name) in _RESERVED_SKELETONS:
            raise NameRefusedError("that name is reserved for the server; choose another", taken=True)
        if skeleton(name) in self._names:
            raise NameRefusedError("that name, or one that looks like it, is taken; choose another", taken=True)
        return Player(self._highest + 1, name, kind)

    def new_guest(self) -> Player:
        """Return a new guest with a random free name and the next free id; both stay free until `add` is called."""
        while True:
            name = GUEST_PREFIX + secrets.token_hex(4)
            if skeleton(name) not in self._names:
                return Player(self._highest + 1, name, "guest")


def check_name(name: str) -> None:
    """Raise NameRefusedError if ``name`` is malformed or begins with `GUEST_PREFIX`, which marks guests."""
    if _NAME.fullmatch(name) is None:
        message = "a name is 2 to 20 of a-z, 0-9, _ and -, beginning with a letter"
        raise NameRefusedError(message, taken=False)
    if name.startswith(GUEST_PREFIX):
        message = f"names beginning with {GUEST_PREFIX} are the server's to give"
        raise NameRefusedError(message, taken=False)


def skeleton(name: str) -> str:
    """Return ``name`` with similar characters replaced by one of them, such as ``0`` by ``o``.

    Names with equal skeletons look alike.
    """
    return name.translate(_LOOK_ALIKES).replace("rn", "m").replace("vv", "w")


def new_token() -> str:
    """Return a new token: 256 random bits in hexadecimal."""
    return secrets.token_hex(32)


def hash_token(token: str) -> str:
    """Return the SHA-256 hash of a token in hexadecimal. Only this hash is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


_RESERVED_SKELETONS: Final = frozenset(map(skeleton, _RESERVED_NAMES))
