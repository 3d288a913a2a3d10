"""Many games played side by side: a turn of all of them is a few passes over arrays.

A game has its candidates twice: as a mask of all codes, and as a list, so that counting parts takes a step for each
candidate only. There is no list while all codes are candidates: part sizes of these are in a table.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import all_codes, column_code
from evilpegs_game.feedback import feedbacks
from evilpegs_game.kernels import copy_into, kernel
from evilpegs_game.partition import Numbers, Sizes, feedback_numbers
from evilpegs_game.rules import Rules

Masks = NDArray[np.int8]
Lists = NDArray[np.uint16]
Each = NDArray[np.int64]
"""A number per game."""


class ManyGames:
    """Games with `Evil`, or with fixed secrets if they begin with some. Codes have their numbers in code order.

    The rules have at most 65,536 codes. ``values`` are those of a value curve for 0, 1, 2 ... candidates; with them
    ``luck`` is that of each game. ``masks``, int8 of shape (games, codes), has a 1 for each candidate, ``counts`` their
    number, ``played`` that of the guesses. These arrays change in place.
    """

    def __init__(self, rules: Rules, games: int, values: NDArray[np.float64] | None = None) -> None:
        columns, size, numbers = all_codes(rules), rules.size, len(feedbacks(rules.pegs))
        self._table, self._first_sizes = np.empty((size, size), np.uint8), np.empty((size, numbers), np.int64)
        for code in range(size):
            self._table[code] = feedback_numbers(columns, column_code(columns, code))
            self._first_sizes[code] = np.bincount(self._table[code], minlength=numbers)
        self._lists, self._sizes = np.empty((games, size), np.uint16), np.zeros((games, numbers), np.int64)
        self._secrets = np.zeros(games, np.int64)
        self._values = values
        self.masks: Masks = np.ones((games, size), np.int8)
        self.counts, self.played, self.luck = np.full(games, size), np.zeros(games, np.int64), np.zeros(games)

    @staticmethod
    def bytes_needed(rules: Rules, games: int) -> int:
        """Bytes of all arrays, with those of one call."""
        numbers = len(feedbacks(rules.pegs))
        return rules.size * (rules.size + 8 * numbers) + games * (3 * rules.size + 20 * numbers + 128)

    def begin(self, games: Each, secrets: Each | int = 0) -> None:
        """Begin the games at these indices."""
        self.masks[games], self.counts[games], self.played[games] = 1, self.masks.shape[1], 0
        self._secrets[games], self.luck[games] = secrets, 0.0

    def reply(self, games: Each, guesses: Each, tie_break: Callable[[int, int, int], int] | None = None) -> Each:
        """Return the feedback numbers of guesses in some games: evil's with ``tie_break``, else those of the secrets.

        ``tie_break`` is that of `Evil`, with the index of the game before the turn.
        """
        _count_parts(self._table, self._first_sizes, self._lists, self.counts, games, guesses, self._sizes)
        others = self._sizes[games, :-1]
        if tie_break is None:
            replies = self._table[guesses, self._secrets[games]].astype(np.int64)
        else:
            most = others.max(axis=1, keepdims=True)
            is_largest = (others == most) & (most > 0)
            tied, chosen = is_largest.sum(axis=1), np.zeros((games.size, 1), np.int64)
            for i in np.flatnonzero(tied > 1).tolist():
                chosen[i] = tie_break(int(games[i]), int(self.played[games[i]]) + 1, int(tied[i]))
            replies = np.where(tied > 0, (is_largest.cumsum(axis=1) > chosen).argmax(axis=1), others.shape[1])
        before = self.counts[games]
        _keep_parts(self._table, games, guesses, replies, self.masks, self._lists, self.counts)
        self.played[games] += 1
        if self._values is not None:
            after = self._values[self.counts[games]] * (replies < others.shape[1])
            self.luck[games] += after - (others * self._values[others]).sum(axis=1) / before
        return replies


@kernel
def _count_parts(
    table: Numbers, first_sizes: Sizes, lists: Lists, counts: Each, games: Each, guesses: Each, sizes: Sizes
) -> None:
    for i in range(games.size):
        game, row = games[i], sizes[games[i]]
        if counts[game] == table.shape[0]:
            copy_into(row, first_sizes[guesses[i]])
            continue
        for number in range(row.size):
            row[number] = 0
        numbers, candidates = table[guesses[i]], lists[game]
        for place in range(counts[game]):
            row[numbers[candidates[place]]] += 1


@kernel
def _keep_parts(
    table: Numbers, games: Each, guesses: Each, replies: Each, masks: Masks, lists: Lists, counts: Each
) -> None:
    for i in range(games.size):
        game, numbers, number, kept = games[i], table[guesses[i]], np.uint8(replies[i]), 0
        mask, candidates = masks[game], lists[game]
        for code in range(mask.size):
            mask[code] &= numbers[code] == number
        if counts[game] == mask.size:
            for code in range(mask.size):
                candidates[kept] = code
                kept += mask[code]
        else:
            for place in range(counts[game]):
                candidate = candidates[place]
                candidates[kept] = candidate
                kept += numbers[candidate] == number
        counts[game] = kept
