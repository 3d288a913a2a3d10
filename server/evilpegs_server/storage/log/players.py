"""Players: their names, of which no new one may look like another, and the tokens that prove their identity."""

import hashlib
import itertools
import re
import secrets
import unicodedata
from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from evilpegs_protocol.server_messages import PlayerKind
from evilpegs_server.storage.log.look_alikes import is_letter, skeleton

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{1,19}")
_JAPANESE: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC"})
GUEST_PREFIX: Final = "guest-"
FORGOTTEN_PREFIX: Final = "forgotten-"
_PREFIXES: Final = {GUEST_PREFIX: "given by the server", FORGOTTEN_PREFIX: "those of players who were forgotten"}
FIRST_ADDED: Final = 1_000_000_000
"""The first id of players whom the operator adds; a server gives lower ones, some before it stores the player."""
MAX_NAME: Final = 20
# others would believe that the server or the host of a contest is speaking, or that a strategy plays
_RESERVED_NAMES: Final = (
    *("admin", "administrator", "codemaker", "evilpegs", "guest", "host", "mod", "moderator", "official", "operator"),
    *("owner", "root", "server", "staff", "support", "sysadmin", "system"),
    *("judge", "organiser", "organizer", "referee", "teacher", "tutor", "bot", "human"),
    *("entropy", "expected-size", "first-consistent", "lexicographic", "minimax", "most-parts", "optimal"),
    *("random-consistent", "sampled", "two-ply"),
)


@dataclass(frozen=True, slots=True)
class Player:
    id: int
    name: str
    kind: PlayerKind

    @property
    def is_guest(self) -> bool:
        return self.kind == "guest"


class NameRefusedError(ValueError):
    """A name that cannot be claimed; ``taken`` if it is well-formed, but reserved or like another player's."""

    def __init__(self, message: str, *, taken: bool) -> None:
        super().__init__(message)
        self.taken = taken


class Players:
    """The players in memory, found by their tokens; no new name looks like another."""

    def __init__(self) -> None:
        self._by_token: dict[str, Player] = {}
        self._guest_hashes: dict[int, str] = {}
        self._names: dict[str, dict[str, Player]] = {}  # by skeleton and name
        self.free_ids = range(1, FIRST_ADDED)
        """The ids that new players may get, and those after them."""
        self.next_ids = range(0)
        self.bans: dict[int, str | None] = {}  # the reason by player
        self.is_open: bool | None = None
        """Whether the operator opened or closed registration last; None if the setting `registration` says."""

    def __len__(self) -> int:
        return len(self._by_token)

    def lapse(self, token_hash: str) -> None:
        """Forget the player, but keep their name reserved."""
        self._by_token.pop(token_hash, None)

    def add(self, player: Player, token_hash: str) -> None:
        """Add a player; all but guests must be stored before the client receives the token."""
        self._by_token[token_hash] = player
        if player.is_guest:
            self._guest_hashes[player.id] = token_hash
        self._names.setdefault(skeleton(player.name), {})[player.name] = player
        if player.id in self.free_ids:
            self.free_ids = range(player.id + 1, self.free_ids.stop)
            if not self.free_ids:
                self.free_ids, self.next_ids = self.next_ids, range(0)

    def reserve(self, name: str, player: Player) -> None:
        """Keep a former name of a player from others."""
        self._names.setdefault(skeleton(name), {}).setdefault(name, player)

    def replace(self, player: Player, token_hash: str) -> None:
        """Replace the token and the name of a player; the old token proves nothing, the old name stays reserved."""
        self._drop_tokens(player)
        self.add(player, token_hash)

    def forget(self, player: Player) -> None:
        self._drop_tokens(player)
        left = {
            known: {name: each for name, each in alike.items() if each.id != player.id}
            for known, alike in self._names.items()
        }
        self._names = {known: alike for known, alike in left.items() if alike}

    def _drop_tokens(self, player: Player) -> None:
        self._by_token = {known: each for known, each in self._by_token.items() if each.id != player.id}

    def remove(self, player: Player, token_hash: str) -> None:
        """Remove a player who could not be stored, or a guest who left without playing, and free the name."""
        self._by_token.pop(token_hash, None)
        self._guest_hashes.pop(player.id, None)
        alike = self._names.get(skeleton(player.name), {})
        if alike.get(player.name) == player:  # or the operator gave the name meanwhile
            del alike[player.name]
            if not alike:
                del self._names[skeleton(player.name)]

    def guest_hash(self, guest: Player) -> str:
        """Return the hash of the guest's token, which is stored together with the guest's first match."""
        return self._guest_hashes[guest.id]

    def guest(self, number: int) -> Player | None:
        token_hash = self._guest_hashes.get(number)
        return None if token_hash is None else self._by_token[token_hash]

    def by_token(self, token: str) -> Player | None:
        return self.by_hash(hash_token(token))

    def by_hash(self, token_hash: str) -> Player | None:
        return self._by_token.get(token_hash)

    def new_player(self, name: str, kind: PlayerKind) -> Player:
        """Return a player with a free id; name and id stay free until `add`. Raises NameRefusedError."""
        check_name(name)
        if (reserved := _RESERVED.get(skeleton(name))) is not None:
            why = "is reserved, and only the operator can give it"
            what = f"the name {name} {why}" if name == reserved else f"{name} looks like {reserved}, which {why}"
            raise NameRefusedError(f"{what}; choose another", taken=True)
        if (alike := self._names.get(skeleton(name))) is not None:
            raise taken_name(name, name if name in alike else next(iter(alike.values())).name, self._names)
        return Player(self.free_ids[0], name, kind)

    def new_guest(self) -> Player:
        """Return a guest with a random name and a free id; both stay free until `add`."""
        while True:
            # long enough not to be drawn again: a guest who has left stays in the database alone
            name = GUEST_PREFIX + secrets.token_hex(6)
            if skeleton(name) not in self._names:
                return Player(self.free_ids[0], name, "guest")


def taken_name(name: str, other: str, skeletons: Container[str]) -> NameRefusedError:
    """Return the refusal of a name because of ``other``; it names one whose skeleton is not in ``skeletons``."""
    numbered = (f"{name[: MAX_NAME - len(str(n)) - 1]}-{n}" for n in itertools.count(2))
    free = next(each for each in numbered if skeleton(each) not in skeletons)
    why = "is taken" if name == other else f"looks like {other}, which is taken"
    return NameRefusedError(f"{name} {why}; {free} is free", taken=True)


def check_name(name: str) -> None:
    """Raise NameRefusedError if ``name`` is malformed or has the prefix of guests."""
    if _NAME.fullmatch(name) is None:
        raise NameRefusedError("a name is 2 to 20 of a-z, 0-9, _ and -, beginning with a letter", taken=False)
    _check_prefix(name)


def _check_prefix(name: str) -> None:
    for prefix, whose in _PREFIXES.items():
        if name.startswith(prefix):
            raise NameRefusedError(f"names beginning with {prefix} are {whose}; choose another", taken=False)


def check_display_name(name: str) -> None:
    """Raise NameRefusedError unless ``name`` can be claimed, or is like such a name in letters of any one script."""
    letters = [letter for letter in name if letter not in "0123456789_-"]
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in letters}
    # what NFKC changes looks like something else: letters of full width, with marks apart
    is_text = name[:1].isalpha() and all(map(is_letter, letters)) and unicodedata.normalize("NFKC", name) == name
    # the column of skeletons is as wide as that of names, and æ is read as two letters
    fits = 2 <= len(name) <= MAX_NAME and len(skeleton(name)) <= MAX_NAME
    if not (is_text and fits and (len(scripts) == 1 or scripts <= _JAPANESE)):
        message = "a name is 2 to 20 letters of one script in use today, digits, _ and -, beginning with a letter"
        raise NameRefusedError(message, taken=False)
    _check_prefix(name.casefold())


def new_token() -> str:
    return secrets.token_hex(32)


def hash_token(token: str) -> str:
    """Return the SHA-256 of a token, which alone is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


_RESERVED: Final = {skeleton(name): name for name in _RESERVED_NAMES}
