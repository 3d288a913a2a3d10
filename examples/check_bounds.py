"""Check strategy trees and adversary's trees with numpy alone

    python examples/check_bounds.py FILE [SAMPLE | LIBRARY]

FILE has the form of docs/trees.md, plain or compressed with gzip. The program prints how many guesses are enough, or
are not, and exits with status 1 and the number of the first wrong line if that is not proved. Nothing is shared with
evilpegs, and all is done in plain loops: feedback from its definition, and symmetries by listing the images of a guess.
It takes at most half a gigabyte for a strategy, and for an adversary one byte for each pair of codes, at most 2 GiB.

An adversary's tree may end with four guesses left. All guesses are tried there, one of each class under symmetries. On
5x8 that takes months with numpy alone, so LIBRARY, compiled from examples/three_guesses.c, decides if three guesses are
enough; it takes up to seven pegs. With SAMPLE only so many guesses are tried, chosen at random, and the tree is checked
but not proved.
"""

import contextlib
import ctypes
import gzip
import io
import math
import random
import re
import sys
import time
import zlib
from array import array
from collections.abc import Iterator
from itertools import count, permutations, product
from pathlib import Path
from typing import NoReturn

import numpy as np

SYMBOLS = "1234567890ABCDEFGHJKLMNPQRSTUVWXYZ"
PRESETS = {
    "classic": "4x6",
    "bulls-and-cows": "4x10-distinct",
    "super": "5x8",
    "grand": "6x10",
    "huge": "8x10",
    "monster": "10x12",
    "colossus": "12x14",
}
MOST_BYTES = 1 << 26
MOST_GUESSES = 128
MOST_CODES = 1 << 20
MOST_PAIRS = 1 << 31  # of codes, for an adversary
MOST_PEGS = 9  # for an adversary: no more than 64 feedbacks
MOST_SYMMETRIES = 1 << 20
SILENT_SECONDS = 60
UNDECIDED = 2


class NotProvedError(Exception):
    """Why a file proves nothing."""


def wrong(number: int, why: str) -> NoReturn:
    raise NotProvedError(f"line {number}: {why}")


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
        result = np.zeros(len(self.codes), dtype=np.uint8 if self.all_black < 256 else np.uint16)
        for peg, color in enumerate(code):
            result += (self.at_peg[peg] == color) * result.dtype.type(self.pegs)  # with the color below, pegs + 1
        for color in set(code):
            result += np.minimum(self.of_color[color], np.uint8(code.count(color)))
        return result

    def read_code(self, number: int, text: str) -> int:
        code = tuple(SYMBOLS.find(symbol) for symbol in (text.upper() if text.isascii() else "?"))
        return self.index[code] if code in self.index else wrong(number, f"{text:.40} is not a code")

    def read_feedback(self, number: int, text: str) -> int:
        match = re.fullmatch("([0-9]{1,2}),([0-9]{1,2})", text) or wrong(number, f"{text:.40} is not a feedback")
        black, white = int(match[1]), int(match[2])
        if black + white > self.pegs or black == self.pegs:
            wrong(number, f"the game does not go on after the feedback {text}")
        return black * (self.pegs + 1) + white

    def show(self, guess: int) -> str:
        return "".join(SYMBOLS[color] for color in self.codes[guess])


class Lines:
    """The lines of a tree in their order; what is below a line follows it, indented by one step more.

    ``codes`` are the guesses, ``replies`` the feedbacks in the same lines, ``numbers`` those of the lines, and
    ``ends`` the first later line that is not below each. ``top`` is the number of the line before the first.
    """

    def __init__(self, top: int) -> None:
        self.top = top
        self.numbers, self.codes, self.replies, self.ends = (array("i") for _ in range(4))

    def below(self, at: int) -> Iterator[int]:
        """Yield the lines one step below a line, or those at the top if it is -1."""
        end = len(self.ends) if at < 0 else self.ends[at]
        at += 1
        while at < end:
            yield at
            at = self.ends[at]


def read_text(data: bytes) -> str:
    if data[:2] == b"\x1f\x8b":
        try:
            with gzip.open(io.BytesIO(data)) as file:
                data = file.read(MOST_BYTES + 1)
        except (EOFError, OSError, zlib.error):
            raise NotProvedError("the compressed data is damaged") from None
    if len(data) > MOST_BYTES:
        raise NotProvedError(f"this is longer than {MOST_BYTES:,} bytes")
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        wrong(data.count(b"\n", 0, error.start) + 1, "this is not text in UTF-8")


def read_rules(number: int, line: str, is_adversary: bool) -> Game:
    text = line.removeprefix("rules ")
    match = re.fullmatch(
        r"rules (0?[0-9]|[1-9][0-9])x(0?[0-9]|[1-9][0-9])(-distinct)?", "rules " + PRESETS.get(text, text)
    )
    if text == line or not match:
        wrong(number, f"{line:.40} names no rules")
    pegs, colors, is_distinct = int(match[1]), int(match[2]), bool(match[3])
    if not (1 <= pegs <= 16 and 1 <= colors <= 34 and (pegs <= colors or not is_distinct)):
        wrong(number, f"there are no rules {text}")
    size = math.perm(colors, pegs) if is_distinct else colors**pegs
    if size > MOST_CODES or (is_adversary and (size**2 > MOST_PAIRS or pegs > MOST_PEGS)):
        wrong(number, f"{size:,} codes of {pegs} pegs are too many for this program")
    return Game(pegs, colors, is_distinct)


def read(text: str) -> tuple[bool, Game, int, Lines]:
    """Return whether this is an adversary's tree, its game, its number of guesses, and its lines."""
    numbered = enumerate(io.StringIO(text, newline="\n"), 1)
    full = ((number, line) for number, each in numbered if (line := each.partition("#")[0].rstrip()))
    number, title = next(full, (1, ""))
    is_adversary = title == "evilpegs adversary 1"
    if title not in {"evilpegs tree 1", "evilpegs adversary 1"}:
        wrong(number, "this is not the title of a tree")
    number, rules = next(full, (number, "the end of the file"))
    game = read_rules(number, rules, is_adversary)
    guesses = MOST_GUESSES
    if is_adversary:
        number, line = next(full, (number, ""))
        match = re.fullmatch("guesses ([1-9][0-9]{0,2})", line)
        if not match or (guesses := int(match[1])) > MOST_GUESSES:
            wrong(number, f"not a number of guesses from 1 to {MOST_GUESSES}")
    lines, path = Lines(number), list[int]()  # the line at each depth that the next line may follow
    for number, line in full:
        spaces = len(line) - len(line.lstrip(" "))
        depth = spaces // 2
        words = line[spaces:].split(" ")
        if spaces % 2 or depth > len(path) or len(words) != (2 if is_adversary or depth else 1):
            wrong(number, "this line does not fit below the one above it")
        if depth >= guesses or (lines.numbers and not depth and not is_adversary):
            wrong(number, "only one first guess" if not depth else f"more than {guesses} guesses")
        for done in path[depth:]:
            lines.ends[done] = len(lines.ends)
        path[depth:] = [len(lines.ends)]
        code, reply = words if is_adversary else (words[-1], words[0])
        lines.numbers.append(number)
        lines.codes.append(game.read_code(number, code))
        lines.replies.append(game.read_feedback(number, reply) if len(words) == 2 else -1)
        lines.ends.append(0)
    for done in path:
        lines.ends[done] = len(lines.ends)
    if not lines.numbers and not is_adversary:
        wrong(number, "the first guess is missing")
    return is_adversary, game, guesses, lines


def check_strategy(game: Game, lines: Lines, at: int, rows: np.ndarray, turn: int, found: dict[int, int]) -> None:
    """Follow the secrets at ``rows`` through the tree at a line and count in ``found`` the turns they take."""
    guess, number = lines.codes[at], lines.numbers[at]
    given = game.feedback(guess)[rows]
    answers = set(np.unique(given).tolist())
    if game.all_black in answers:
        found[turn] = found.get(turn, 0) + 1
    missing = answers - {game.all_black}
    for child in lines.below(at):
        answer = lines.replies[child]
        if answer not in missing:
            wrong(lines.numbers[child], f"no other secret that is possible here answers {game.show(guess)} so")
        missing.remove(answer)
        is_answer = given == answer
        check_strategy(game, lines, child, rows if is_answer.all() else rows[is_answer], turn + 1, found)
    if missing:
        wrong(number, f"not one line below {game.show(guess)} for each feedback that is possible here")


Turns = tuple[tuple[int, int], ...]  # guess and reply


class Adversary:
    """The check that no codebreaker who has ``guesses`` guesses is sure to win against the replies of a tree."""

    def __init__(
        self, game: Game, guesses: int, lines: Lines, sample: int | None = None, library: ctypes.CDLL | None = None
    ) -> None:
        self.game, self.guesses, self.lines, self.sample, self.library = game, guesses, lines, sample, library
        every, seen = np.arange(len(game.codes)), np.zeros(256, dtype=bool)
        self.table = np.empty((len(every), len(every)), dtype=np.uint8)  # symmetric
        for guess in every:
            self.table[guess] = game.feedback(guess)
            seen[self.table[guess]] = True
        self.numbers = int(np.flatnonzero(seen)[-1]) + 1
        self.bit = np.uint64(1) << (np.cumsum(seen) - 1).astype(np.uint64)
        # one secret with the last guess; with more, another set behind each feedback that goes on
        ways, self.most = int(seen.sum()) - 1, [0, 1]
        while len(self.most) <= guesses:
            self.most.append(min(1 + ways * self.most[-1], len(every)))
        self.separable: dict[bytes, bool] = {}
        self.silent_until = time.perf_counter() + SILENT_SECONDS

    def check(self, turns: Turns, rows: np.ndarray, at: int, number: int) -> None:
        """Check what is below a line, which is -1 for what is at the top, and ``number`` in an error."""
        left, lines = self.guesses - len(turns), self.lines
        below = list(lines.below(at))
        if not below and (left == 0 or (left == 1 and len(rows) > 1)):
            return  # a secret is left that was not guessed
        sizes = np.array([np.bincount(given[rows], minlength=self.numbers) for given in self.table])
        largest = np.delete(sizes, self.game.all_black, axis=1).max(axis=1)
        # the others leave too many, or do not tell any of these secrets from another
        needed = np.flatnonzero((largest <= self.most[left - 1]) & (largest < len(rows)))
        if not below and left <= 4:
            self.check_end(turns, rows, needed.tolist(), number)
            return
        symmetries = list(self.symmetries(turns, number))
        guesses = {lines.codes[line]: line for line in below}
        covered = {image for guess in guesses for image in self.images(turns, guess, symmetries)}
        if open_ones := [guess for guess in needed if guess not in covered]:
            wrong(number, f"no line for {self.game.show(open_ones[0])} below this one")
        for line in below:
            guess, reply = lines.codes[line], lines.replies[line]
            if guesses[guess] != line:
                wrong(lines.numbers[guesses[guess]], f"{self.game.show(guess)} was already answered")
            kept = rows[self.table[guess][rows] == reply]
            if not len(kept):
                wrong(lines.numbers[line], "no secret goes on after this reply")
            self.check((*turns, (guess, reply)), kept, line, lines.numbers[line])

    def check_end(self, turns: Turns, rows: np.ndarray, needed: list[int], number: int) -> None:
        """Try the guesses ``needed`` where nothing is below a line."""
        left, tried, symmetries = self.guesses - len(turns), set[int](), []
        if left == 4:
            if self.sample is not None:
                needed = random.sample(needed, min(self.sample, len(needed)))
            if time.perf_counter() > self.silent_until:
                print(f"at line {number}", file=sys.stderr, flush=True)
                self.silent_until = time.perf_counter() + SILENT_SECONDS
            with contextlib.suppress(NotProvedError):  # too many; then each guess is tried
                symmetries = list(self.symmetries(turns, number)) if needed else []
        open_ones = list[int]()
        for guess in needed:
            if guess not in tried:
                tried.update(self.images(turns, guess, symmetries))
                open_ones.append(guess)
        if left == 4 and self.library is not None:
            parts = [next(iter(self.parts(rows, guess)), rows[:0]) for guess in open_ones]
            largest = self.are_three_enough(rows, parts)
            solving = (guess for guess, is_enough in zip(open_ones, largest, strict=True) if is_enough)
            good = next((guess for guess in solving if all(self.are_three_enough(rows, self.parts(rows, guess)))), None)
        else:
            good = next((guess for guess in open_ones if self.is_good(rows, guess, left)), None)
        if good is not None:
            wrong(number, f"{self.game.show(good)} is enough with {left} guesses left")

    def is_good(self, rows: np.ndarray, guess: int, left: int) -> bool:
        return all(self.is_solvable(part, left - 1) for part in self.parts(rows, guess))

    def parts(self, rows: np.ndarray, guess: int) -> list[np.ndarray]:
        given = self.table[guess][rows]
        parts = [rows[given == one] for one in np.unique(given) if one != self.game.all_black]
        return sorted(parts, key=len, reverse=True)

    def is_solvable(self, rows: np.ndarray, left: int) -> bool:
        if left < 2 or len(rows) <= 2:
            return len(rows) <= left
        if left > 2:
            sizes = np.zeros((self.numbers, len(self.table)), dtype=np.int32)
            for row in rows:
                sizes[self.table[row], np.arange(len(self.table))] += 1
            largest = np.delete(sizes, self.game.all_black, axis=0).max(axis=0)
            needed = np.flatnonzero((largest <= self.most[left - 1]) & (largest < len(rows)))
            return any(self.is_good(rows, guess, left) for guess in needed)
        key = rows.tobytes()
        if key not in self.separable:
            seen, twice = np.zeros((2, len(self.table)), dtype=np.uint64)
            for row in rows:
                bits = self.bit[self.table[row]]
                twice |= seen & bits
                seen |= bits
            self.separable[key] = bool((twice == 0).any())
        return self.separable[key]

    def are_three_enough(self, rows: np.ndarray, parts: list[np.ndarray]) -> list[bool]:
        """Return for each part of ``rows`` if three guesses are enough, as the library finds."""
        if not parts:
            return []
        members = np.searchsorted(rows, np.concatenate(parts)).astype(np.int32)
        starts = np.cumsum([0, *map(len, parts)], dtype=np.int32)
        enough, secrets = np.full(len(parts), UNDECIDED, dtype=np.uint8), rows.astype(np.int32)
        table, secrets_at, members_at, starts_at, enough_at = (
            each.ctypes.data_as(ctypes.c_void_p) for each in (self.table, secrets, members, starts, enough)
        )
        numbers = len(self.table), self.game.all_black, self.most[2]
        failed = self.library.are_three_enough(
            table, *numbers, secrets_at, len(rows), members_at, starts_at, len(parts), enough_at
        )
        if failed or (enough == UNDECIDED).any():
            raise NotProvedError("the library cannot count these rules, or has no memory")
        return enough.astype(bool).tolist()

    def symmetries(self, turns: Turns, number: int) -> Iterator[tuple[tuple[int, ...], dict[int, int]]]:
        """Yield each permutation of pegs with the colors that take all turns to themselves, in whatever order."""
        tried = count(1)

        def recolor(left: Turns, targets: Turns, colors: dict[int, int]) -> Iterator[dict[int, int]]:
            if next(tried) > MOST_SYMMETRIES:
                wrong(number, "too many symmetries for this program")
            if not left:
                yield colors
                return
            (guess, reply), *rest = left
            moved = [self.game.codes[guess][peg] for peg in pegs]
            for target in targets:
                names = dict(colors)
                pairs = zip(moved, self.game.codes[target[0]], strict=True)
                fits = reply == target[1] and all(names.setdefault(color, to) == to for color, to in pairs)
                if fits and len(set(names.values())) == len(names):
                    yield from recolor(tuple(rest), tuple(each for each in targets if each != target), names)

        distinct = tuple(dict.fromkeys(turns))
        for pegs in permutations(range(self.game.pegs)):
            for colors in recolor(distinct, distinct, {}):
                yield pegs, colors

    def images(
        self, turns: Turns, guess: int, symmetries: list[tuple[tuple[int, ...], dict[int, int]]]
    ) -> Iterator[int]:
        """Yield every guess that a symmetry which keeps the turns makes of ``guess``."""
        codes = self.game.codes
        used = {color for earlier, _ in turns for color in codes[earlier]}
        free = [color for color in range(self.game.colors) if color not in used]
        for pegs, colors in symmetries:
            moved = [codes[guess][peg] for peg in pegs]
            fresh = sorted(set(moved) - used)
            for chosen in permutations(free, len(fresh)):
                names = colors | dict(zip(fresh, chosen, strict=True))
                yield self.game.index[tuple(names[color] for color in moved)]


def main(names: list[str]) -> int:
    start = time.perf_counter()
    if len(names) not in {1, 2} or "" in names:
        print("usage: python check_bounds.py FILE [SAMPLE | LIBRARY]", file=sys.stderr)
        return 2
    name, option = names[0], "".join(names[1:])
    sample = int(option) if option.isdecimal() else None
    try:
        library = ctypes.CDLL(str(Path(option).resolve())) if option and sample is None else None
        if library is not None and not hasattr(library, "are_three_enough"):
            raise OSError(f"{option} is not made from three_guesses.c")
        is_adversary, game, guesses, lines = read(read_text(Path(name).read_bytes()))
        rows = np.arange(len(game.codes), dtype=np.int32)
        if is_adversary:
            Adversary(game, guesses, lines, sample, library).check((), rows, -1, lines.top)
            proved = f"{guesses} guesses are not enough" + ("" if sample is None else ", as far as sampled")
        else:
            found: dict[int, int] = {}
            check_strategy(game, lines, 0, rows, 1, found)
            total = sum(turn * times for turn, times in found.items())
            proved = f"{max(found)} guesses are enough, {total} in all for {len(rows)} codes"
    except NotProvedError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{name}: {error.strerror or error}", file=sys.stderr)
        return 2
    print(f"{name}: {proved}; checked in {time.perf_counter() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
