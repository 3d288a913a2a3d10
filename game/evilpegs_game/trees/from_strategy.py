"""Any strategy as a tree: what it guesses after every history that a codemaker can lead it into."""

from evilpegs_game.codes import Code, check_code
from evilpegs_game.errors import StuckError
from evilpegs_game.evaluation.exact import Choose
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import MAX_DEPTH, Node, Tree


def tree_from_strategy(choose: Choose, rules: Rules, first: Code | None = None) -> Tree:
    """The tree that ``choose`` plays, ``first`` being the first guess if it is given.

    Raises:
        StuckError: some code is not guessed within `MAX_DEPTH` guesses.
        IllegalCodeError: a guess is not a code of the rules.
        TooLargeError: the codes do not fit the memory bound.
    """
    # A child is entered where its parent waits for it, so that the walk needs no recursion.
    roots: dict[Feedback, Node] = {}
    waiting = [(Position(rules, (), LiveSets()), all_black(rules.pegs), roots)]
    while waiting:
        position, given, siblings = waiting.pop()
        guess = choose(position) if first is None or position.history else first
        _check(guess, position)
        children: dict[Feedback, Node] = {}
        siblings[given] = Node(guess, children)
        after = position.split(guess)
        after.pop(all_black(rules.pegs), None)
        waiting += [(after[given], given, children) for given in sorted(after, reverse=True)]
    return Tree(rules, roots[all_black(rules.pegs)])


def _check(guess: Code, position: Position) -> None:
    check_code(guess, position.rules)
    if position.turn > MAX_DEPTH:
        message = f"the strategy is stuck: a code of {position.rules} is not guessed within {MAX_DEPTH} guesses"
        raise StuckError(message)
