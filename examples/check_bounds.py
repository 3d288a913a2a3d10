"""Check strategy trees and adversary's trees with numpy alone

    python examples/check_bounds.py FILE

FILE has the form of docs/trees.md, plain or compressed with gzip or xz. The program prints how many guesses are enough,
or are not, and exits with status 1 and the number of the first wrong line if that is not proved. Nothing is shared with
evilpegs, and all is done in plain loops: feedback from its definition, and symmetries by listing the images of a guess.
"""

import gzip
import lzma
import re
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from pathlib import Path
from typing import NoReturn

import numpy as np

SYMBOLS = "1234567890ABCDEFGHJKLMNPQRSTUVWXYZ"
TITLES = ("evilpegs tree 1", "evilpegs adversary 1")


class WrongLineError(Exception):
    """A line that is wrong, by its number in the text."""


def wrong(number: int, why: str) -> NoReturn:
    raise WrongLineError(f"line {number}: {why}")


class Game:
    """All codes of some rules, as guesses and as secrets; feedback is black * (pegs + 1) + white."""

    def __init__(self, pegs: int, colors: int, distinct: bool) -> None:
        self.pegs, self.colors = pegs, colors
        every = permutations(range(colors), pegs) if distinct else product(range(colors), repeat=pegs)
        self.codes = list(every)
        self.index = {code: number for number, code in enumerate(self.codes)}
        self.at_peg = np.array(self.codes, dtype=np.uint8).T.copy()
        self.of_color = np.array([(self.at_peg == color).sum(axis=0) for color in range(colors)], dtype=np.uint8)
        self.all_black = pegs * (pegs + 1)

    def feedback(self, guess: int) -> np.ndarray:
        """Return the feedback of every secret, in the order of all codes."""
        code = self.codes[guess]
        result = np.zeros(len(self.codes), dtype=np.uint8)
        for peg, color in enumerate(code):
            result += (self.at_peg[peg] == color) * np.uint8(self.pegs)  # with the color below, pegs + 1
        for color in set(code):
            result += np.minimum(self.of_color[color], np.uint8(code.count(color)))
        return result

    def read_code(self, number: int, text: str) -> int:
        code = tuple(SYMBOLS.find(symbol) for symbol in text)
        return self.index[code] if code in self.index else wrong(number, f"{text} is not a code")

    def read_feedback(self, number: int, text: str) -> int:
        black, white = map(int, re.fullmatch(r"(\d+),(\d+)", text).groups() if "," in text else wrong(number, text))
        return black * (self.pegs + 1) + white

    def show(self, guess: int) -> str:
        return "".join(SYMBOLS[color] for color in self.codes[guess])


class Entry:
    """A line: its number, its two words, and the lines below it that are indented by one step more."""

    def __init__(self, number: int, words: Sequence[str]) -> None:
        self.number, self.words, self.below = number, words, list[Entry]()


def read(data: bytes) -> tuple[bool, Game, int, list[Entry]]:
    """Return whether this is an adversary's tree, its game, its number of guesses or 0, and the lines at the top."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    elif data[:6] == b"\xfd7zXZ\0":
        data = lzma.decompress(data)
    numbered = enumerate(data.decode().split("\n"), 1)
    lines = [(number, line.partition("#")[0].rstrip()) for number, line in numbered]
    lines = [(number, line) for number, line in lines if line]
    (number, title), (second, rules), *lines = lines
    match = re.fullmatch(r"rules (\d+)x(\d+)(-distinct)?", rules) or wrong(second, "not rules")
    adversary = title == TITLES[1] or (title != TITLES[0] and wrong(number, "not a title"))
    guesses = 0
    if adversary:
        (number, line), *lines = lines
        guesses = int((re.fullmatch(r"guesses (\d+)", line) or wrong(number, "not a number of guesses"))[1])
    root = Entry(0, [])
    path = [root]
    for number, line in lines:
        depth, odd = divmod(len(line) - len(line.lstrip(" ")), 2)
        words = line.split()
        if odd or depth >= len(path) or len(words) != (2 if adversary or depth else 1):
            wrong(number, "this line does not fit below the one above it")
        entry = Entry(number, words)
        path[depth].below.append(entry)
        path[depth + 1 :] = [entry]
    return adversary, Game(int(match[1]), int(match[2]), bool(match[3])), guesses, root.below


def check_strategy(game: Game, entry: Entry, rows: np.ndarray, turn: int, found: dict[int, int]) -> None:
    """Follow the secrets at ``rows`` through the tree below ``entry`` and count in ``found`` the turns they take."""
    guess = game.read_code(entry.number, entry.words[-1])
    given = game.feedback(guess)[rows]
    below = {game.read_feedback(child.number, child.words[0]): child for child in entry.below}
    answers = set(given.tolist())
    if game.all_black in answers:
        found[turn] = found.get(turn, 0) + 1
    if len(below) != len(entry.below) or set(below) != answers - {game.all_black}:
        wrong(entry.number, f"not one line below {game.show(guess)} for each feedback that is possible here")
    for answer, child in below.items():
        check_strategy(game, child, rows[given == answer], turn + 1, found)


Turns = tuple[tuple[int, int], ...]  # guess and reply


class Adversary:
    """The check that no codebreaker who has ``guesses`` guesses is sure to win against the replies of a tree."""

    def __init__(self, game: Game, guesses: int) -> None:
        self.game, self.guesses = game, guesses
        every, seen = np.arange(len(game.codes)), np.zeros(256, dtype=bool)
        self.table = np.empty((len(every), len(every)), dtype=np.uint8)  # symmetric
        for guess in every:
            self.table[guess] = game.feedback(guess)
            seen[self.table[guess]] = True
        self.numbers = int(np.flatnonzero(seen)[-1]) + 1
        # one secret with the last guess; with more, another set behind each feedback that goes on
        ways, self.most = int(seen.sum()) - 1, [0, 1]
        while len(self.most) <= guesses:
            self.most.append(1 + ways * self.most[-1])
        self.separable: dict[bytes, bool] = {}

    def check(self, turns: Turns, rows: np.ndarray, below: list[Entry], number: int) -> None:
        left = self.guesses - len(turns)
        if left == 0 or (left == 1 and len(rows) > 1):
            return  # a secret is left that was not guessed
        sizes = np.array([np.bincount(given[rows], minlength=self.numbers) for given in self.table])
        largest = np.delete(sizes, self.game.all_black, axis=1).max(axis=1)
        # the others leave too many, or do not tell any of these secrets from another
        needed = np.flatnonzero((largest <= self.most[left - 1]) & (largest < len(rows)))
        if not below and left <= 3:
            for guess in needed:
                if all(self.is_solvable(part, left - 1) for part in self.parts(rows, guess)):
                    wrong(number, f"{self.game.show(guess)} is enough with {left} guesses left")
            return
        lines = [(entry, self.game.read_code(entry.number, entry.words[0])) for entry in below]
        covered = {image for _, guess in lines for image in self.images(turns, guess)}
        if open_ones := [guess for guess in needed if guess not in covered]:
            wrong(number, f"no line for {self.game.show(open_ones[0])} below this one")
        for entry, guess in lines:
            reply = self.game.read_feedback(entry.number, entry.words[1])
            kept = rows[self.table[guess][rows] == reply]
            if not len(kept) or reply == self.game.all_black:
                wrong(entry.number, "no secret goes on after this reply")
            self.check((*turns, (guess, reply)), kept, entry.below, entry.number)

    def parts(self, rows: np.ndarray, guess: int) -> list[np.ndarray]:
        given = self.table[guess][rows]
        parts = [rows[given == one] for one in np.unique(given) if one != self.game.all_black]
        return sorted(parts, key=len, reverse=True)

    def is_solvable(self, rows: np.ndarray, left: int) -> bool:
        if left < 2 or len(rows) <= 2:
            return len(rows) <= left
        key = rows.tobytes()
        if key not in self.separable:
            seen, twice = np.zeros((2, len(self.table)), dtype=np.uint64)
            for row in rows:
                bits = np.uint64(1) << self.table[row].astype(np.uint64)
                twice |= seen & bits
                seen |= bits
            self.separable[key] = bool((twice == 0).any())
        return self.separable[key]

    def images(self, turns: Turns, guess: int) -> Iterator[int]:
        """Yield every guess that a symmetry which keeps the turns, in whatever order, makes of ``guess``."""
        codes, orders = self.game.codes, list(permutations(range(len(turns))))
        used = {color for earlier, _ in turns for color in codes[earlier]}
        free = [color for color in range(self.game.colors) if color not in used]
        for pegs, order in product(permutations(range(self.game.pegs)), orders):
            pairs = {
                (codes[earlier][peg], codes[turns[other][0]][to])
                for (earlier, _), other in zip(turns, order, strict=True)
                for to, peg in enumerate(pegs)
            }
            same = all(reply == turns[other][1] for (_, reply), other in zip(turns, order, strict=True))
            colors = dict(pairs)
            if not same or len(pairs) != len(used) or len(set(colors.values())) != len(used):
                continue  # no permutation of colors goes with these pegs
            moved = [codes[guess][peg] for peg in pegs]
            fresh = sorted(set(moved) - used)
            for chosen in permutations(free, len(fresh)):
                names = colors | dict(zip(fresh, chosen, strict=True))
                yield self.game.index[tuple(names[color] for color in moved)]


def main(name: str) -> int:
    start = time.perf_counter()
    try:
        adversary, game, guesses, top = read(Path(name).read_bytes())
        rows = np.arange(len(game.codes))
        if adversary:
            Adversary(game, guesses).check((), rows, top, 3)
            proved = f"{guesses} guesses are not enough"
        else:
            found: dict[int, int] = {}
            check_strategy(game, top[0], rows, 1, found)
            total = sum(turn * times for turn, times in found.items())
            proved = f"{max(found)} guesses are enough, {total} in all for {len(rows)} codes"
    except WrongLineError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    print(f"{name}: {proved}; checked in {time.perf_counter() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
