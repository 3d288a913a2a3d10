"""Search for an adversary's tree on rules too large for `evilpegs solve --against devil`, such as 5x8.

    python -m tools.good_adversary 5x8 6 --out 5x8.adversary

To each guess the reply that leaves the most codes is tried first, and the next one if it does not refute the guess.
With four guesses left nothing more is written: whoever checks the tree tries them all, as this program does. It prints
a line for each reply to a first guess, and ends with status 1 if some guess has no reply that refutes it.
"""

import argparse
import sys
import time
from pathlib import Path

from evilpegs_game.codes import format_code
from evilpegs_game.feedback import all_black
from evilpegs_game.partition import split
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.history_key import history_key
from evilpegs_game.trees.adversary import AdversaryTree, Answer, format_adversary
from evilpegs_game.trees.few_guesses import FEW, FewGuesses
from evilpegs_game.trees.lower_bound import open_guesses


def refute(few, rules, turns, columns, left):
    """Return replies that ``left`` more guesses do not beat, by guess; None if none were found."""
    if left <= FEW:
        return None if few.are_enough(columns, left, [guess for guess, _ in turns]) else {}
    # reversed, so that the first guess of each key is kept
    needed = open_guesses(rules, few.every, columns, left)[::-1]
    answers = {}
    for guess in {history_key(rules, turns, guess)[0]: guess for guess in needed}.values():
        parts = [each for each in split(columns, guess) if each[0] != all_black(rules.pegs)]
        for reply, part in sorted(parts, key=lambda each: -each[1].shape[1]):
            start = time.process_time()
            below = refute(few, rules, (*turns, (guess, reply)), part, left - 1)
            if not turns:
                found = "not refuted" if below is None else f"refuted, {len(below)} replies"
                print(f"{format_code(guess)} {reply}: {found}, {time.process_time() - start:.0f} s", flush=True)
            if below is not None:
                answers[guess] = Answer(reply, below)
                break
        else:
            return None
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", type=Rules.parse)
    parser.add_argument("guesses", type=int, help="as many are shown not to be enough")
    parser.add_argument("--out", type=Path, required=True, help="the file of the tree")
    given = parser.parse_args()
    few = FewGuesses(given.rules)
    answers = refute(few, given.rules, (), few.every, given.guesses)
    if answers is None:
        sys.exit(f"no replies found that {given.guesses} guesses do not beat")
    given.out.write_text(format_adversary(AdversaryTree(given.rules, given.guesses, answers)))


if __name__ == "__main__":
    main()
