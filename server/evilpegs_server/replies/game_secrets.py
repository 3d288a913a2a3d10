"""The secret of a game and its choices among equally good replies, derived from nonces by the protocol's formulas."""

from collections.abc import Callable

from evilpegs_game.codes import Code, code_at
from evilpegs_protocol.commitment import secret_index, tie_index, tie_share
from evilpegs_server.match.ladders import Ladder


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

    __slots__ = ("_last", "_match", "_nonce", "_tie_nonces")

    def __init__(self, match: str, nonce: Callable[[int], str], tie_nonces: int | None) -> None:
        self._match = match
        self._nonce = nonce
        self._tie_nonces = tie_nonces
        self._last: GameSecrets | None = None

    def of_game(self, game: int, client_nonce: str | None) -> GameSecrets:
        last = self._last
        if last is None or (last.game, last.client_nonce) != (game, client_nonce):
            last = self._last = GameSecrets(self._match, game, self._nonce(game), client_nonce, self._tie_nonces)
        return last
