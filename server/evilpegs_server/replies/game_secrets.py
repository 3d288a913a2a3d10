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

    def game_secrets(self, game: int, client_nonce: str | None) -> "GameSecrets":
        return GameSecrets(self.id, game, self.nonce(game), client_nonce, self.tie_nonces)


@dataclass(slots=True)
class GameSecrets:
    """The nonces of one game; without ``tie_nonces``, the player's does not influence the choices among replies."""

    match: str
    game: int
    nonce: str = field(repr=False)
    client_nonce: str | None = field(repr=False)
    tie_nonces: int | None = field(default=None, repr=False)
    _secret: Code | None = field(default=None, init=False, repr=False)

    def secret(self, ladder: Ladder) -> Code:
        if self._secret is None:
            rules = ladder.rules
            index = secret_index(self.nonce, self.client_nonce, self.match, self.game, rules.size)
            self._secret = code_at(index, rules)
        return self._secret

    def tie_index(self, turn: int, count: int) -> int:
        """Return the index of the drawn reply in feedback order."""
        share = tie_share(self.tie_nonces, self.client_nonce)
        return tie_index(self.nonce, self.match, self.game, turn, count, share)
