"""The tree of a strategy: its guess after every history that a codemaker can lead it into."""

from evilpegs_game.codes import Code, check_code
from evilpegs_game.errors import StuckError
from evilpegs_game.evaluation.exact import ChooseGuess
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import MAX_DEPTH, Node, Tree


def tree_from_strategy(choose: ChooseGuess, rules: Rules, first: Code | None = None) -> Tree:
    """Return the strategy tree that ``choose`` plays on ``rules``; ``first`` replaces its first guess.

    Raises:
        StuckError: some code is not guessed within `MAX_DEPTH` guesses.
        IllegalCodeError: a guess is not a code of the rules.
        TooLargeError: the codes do not fit the memory bound.
    """
    # Each waiting position carries the mapping that its node will join, so no recursion is needed.
    roots: dict[Feedback, Node] = {}
    waiting = [(Position(rules, (), LiveSets()), all_black(rules.pegs), roots)]
    while waiting:
        position, feedback, siblings = waiting.pop()
        guess = choose(position) if first is None or position.history else first
        _check(guess, position)
        children: dict[Feedback, Node] = {}
        siblings[feedback] = Node(guess, children)
        after = position.split(guess)
        after.pop(all_black(rules.pegs), None)
        waiting += [(after[feedback], feedback, children) for feedback in sorted(after, reverse=True)]
    return Tree(rules, roots[all_black(rules.pegs)])


def _check(guess: Code, position: Position) -> None:
    check_code(guess, position.rules)
    if position.turn > MAX_DEPTH:
        message = f"the strategy is stuck: a code of {position.rules} is not guessed within {MAX_DEPTH} guesses"
        raise StuckError(message)
