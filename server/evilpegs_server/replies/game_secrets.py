"""What nobody may know during a match: seed, nonces, secrets, and the draws among equally good replies.

All follow from the seed and the player's nonces by the formulas of the protocol.
"""

from dataclasses import dataclass, field

from evilpegs_game.codes import Code, code_at
from evilpegs_protocol.commitment import derive_nonce, secret_index, tie_index, tie_share
from evilpegs_server.match.ladders import Ladder


@dataclass(frozen=True, slots=True)
class MatchKey:
    """The id and the ladder of a match, and the secret seed of its nonces, which is never published."""

    id: str
    ladder: Ladder
    seed: bytes = field(repr=False)
    tie_nonces: int | None = None

    def nonce(self, game: int) -> str:
        """Return the server's nonce of a game, in hexadecimal."""
        return derive_nonce(self.seed, self.id, game)


class GameSecrets:
    """The nonces of one game; without ``tie_nonces``, the player's does not influence the choices among replies."""

    __slots__ = ("_nonce", "_secret", "_share", "client_nonce", "game", "match")

    def __init__(
        self, match: str, game: int, nonce: str, client_nonce: str | None, tie_nonces: int | None = None
    ) -> None:
        self.match = match
        self.game = game
        self.client_nonce = client_nonce
        self._nonce = nonce
        self._share = tie_share(tie_nonces, client_nonce)
        self._secret: Code | None = None

    def __repr__(self) -> str:  # without the nonces
        return f"GameSecrets(match={self.match!r}, game={self.game})"

    def secret(self, ladder: Ladder) -> Code:
        if self._secret is None:
            rules = ladder.rules
            index = secret_index(self._nonce, self.client_nonce, self.match, self.game, rules.size)
            self._secret = code_at(index, rules)
        return self._secret

    def tie_index(self, turn: int, count: int) -> int:
        """Return the index of the drawn reply in feedback order."""
        return tie_index(self._nonce, self.match, self.game, turn, count, self._share)


class MatchSecrets:
    """The source of the `GameSecrets` of one match, which keeps only those of the game used last."""

    __slots__ = ("_key", "_last")

    def __init__(self, key: MatchKey) -> None:
        self._key = key
        self._last: GameSecrets | None = None

    def of_game(self, game: int, client_nonce: str | None) -> GameSecrets:
        last = self._last
        if last is None or (last.game, last.client_nonce) != (game, client_nonce):
            key = self._key
            last = self._last = GameSecrets(key.id, game, key.nonce(game), client_nonce, key.tie_nonces)
        return last
