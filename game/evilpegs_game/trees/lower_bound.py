"""Lower bounds: the check of an adversary's tree.

Every guess of the rules is tried: some reply leaves too many codes by their number alone, or all codes reply alike, so
the guess is wasted, or the tree has a reply to this guess or to one that is symmetric to it (docs/trees.md).
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from evilpegs_game.codemakers.small_sets import max_codes_within
from evilpegs_game.codes import Code, Columns, column_code, format_code
from evilpegs_game.feedback import all_black
from evilpegs_game.partition import part_size_table, select
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.history_key import history_key
from evilpegs_game.trees.adversary import AdversaryTree, Answer
from evilpegs_game.trees.certificate import Fault, TreeError, Turns, location
from evilpegs_game.trees.few_guesses import FEW, FewGuesses


class LowerBound(NamedTuple):
    r"""The proof that a codemaker who never commits to a secret can force ``at_least`` guesses.

    >>> import evilpegs
    >>> evilpegs.certify("evilpegs adversary 1\nrules 1x3\nguesses 2\n").at_least
    3
    """

    rules: Rules
    at_least: int


def open_guesses(rules: Rules, every: Columns, columns: Columns, left: int) -> list[Code]:
    """Return the guesses of ``every`` that need a reply with ``left`` guesses left: part sizes do not settle them."""
    largest, max_codes = part_size_table(columns, every)[:-1].max(axis=0), max_codes_within(rules)
    most = max_codes[min(left, len(max_codes)) - 1]
    numbers = np.flatnonzero((largest <= most) & (largest < columns.shape[1]))
    return [column_code(every, number) for number in numbers.tolist()]


def certify_adversary(tree: AdversaryTree) -> LowerBound:
    """Prove that ``tree.guesses`` guesses are not enough for the codes of its rules.

    Raises TreeError for the first wrong line, and TooLargeError for rules of more than 2**20 codes or 9 pegs.
    """
    rules, few = tree.rules, FewGuesses(tree.rules)

    def check(turns: Turns, columns: Columns, answers: Mapping[Code, Answer], line: int) -> None:
        def error(fault: Fault, line: int, why: str) -> TreeError:
            return TreeError(f"{location(line, turns)}: {why}", fault=fault, line=line, turns=turns)

        left = tree.guesses - len(turns)
        if left <= FEW and not answers:
            if few.are_enough(columns, left, [guess for guess, _ in turns]):
                raise error("solvable", line, f"{left} more guesses are enough for the {columns.shape[1]:,} codes left")
            return
        keys = {history_key(rules, turns, guess)[0] for guess in answers}
        for guess in open_guesses(rules, few.every, columns, left):
            if guess not in answers and history_key(rules, turns, guess)[0] not in keys:
                raise error("missing", line, f"no reply to {format_code(guess)}, nor to a guess symmetric to it")
        for guess, answer in answers.items():
            part = select(columns, guess, answer.reply)
            if not part.size or answer.reply == all_black(rules.pegs):
                raise error("unreachable", answer.line, f"no code left replies {answer.reply} to {format_code(guess)}")
            check((*turns, (guess, answer.reply)), part, answer.answers, answer.line)

    check((), few.every, tree.answers, tree.line)
    return LowerBound(rules, tree.guesses + 1)
