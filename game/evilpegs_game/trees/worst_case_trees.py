"""Trees of both kinds from the exact solver of worst cases: a strategy, and its adversary."""

from typing import Final

from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import Code, Columns, all_codes
from evilpegs_game.feedback import all_black
from evilpegs_game.partition import split
from evilpegs_game.symmetry.history_key import history_key
from evilpegs_game.trees.adversary import AdversaryTree, Answer
from evilpegs_game.trees.certificate import Turns
from evilpegs_game.trees.lower_bound import open_guesses
from evilpegs_game.trees.tree import Node, Tree

_TRIED: Final = 3  # a check of four guesses takes seconds, of three a few milliseconds


def find_strategy(worst: WorstCase, guesses: int) -> Tree:
    """Return a strategy tree that takes at most ``guesses`` guesses, which must be enough."""

    def node(columns: Columns, left: int) -> Node:
        guess = worst.solving_guess(columns, left)
        parts = (each for each in split(columns, guess) if each[0] != all_black(worst.rules.pegs))
        return Node(guess, {reply: node(part, left - 1) for reply, part in parts})

    return Tree(worst.rules, node(all_codes(worst.rules), guesses))


def find_adversary(worst: WorstCase, guesses: int) -> AdversaryTree:
    """Return replies that beat every codebreaker who has ``guesses`` guesses, which must not be enough."""
    rules, every = worst.rules, all_codes(worst.rules)

    def answer(turns: Turns, columns: Columns, guess: Code, left: int) -> Answer:
        parts = [each for each in split(columns, guess) if each[0] != all_black(rules.pegs)]
        falling = sorted(parts, key=lambda each: -each[1].shape[1])
        reply, part = next(each for each in falling if not worst.is_solvable(each[1], left - 1))
        return Answer(reply, answers((*turns, (guess, reply)), part, left - 1))

    def answers(turns: Turns, columns: Columns, left: int) -> dict[Code, Answer]:
        if left <= _TRIED:
            return {}
        # reversed, so that the first guess of each key is kept
        tried = {
            history_key(rules, turns, guess)[0]: guess for guess in open_guesses(rules, every, columns, left)[::-1]
        }
        return {guess: answer(turns, columns, guess, left) for guess in tried.values()}

    return AdversaryTree(rules, guesses, answers((), every, guesses))
