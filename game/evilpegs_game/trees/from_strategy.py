from evilpegs_game.codes import Code, check_code
from evilpegs_game.errors import StuckError
from evilpegs_game.evaluation.tree_walk import ChooseGuess, walk_tree
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import History
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import MAX_DEPTH, Node, Tree


def tree_from_strategy(choose: ChooseGuess, rules: Rules, first: Code | None = None) -> Tree:
    """Return the tree of the deterministic strategy ``choose``; ``first`` replaces its first guess.

    Raises:
        StuckError: some code is not guessed within `MAX_DEPTH` guesses.
        IllegalCodeError: a guess is not a code of the rules.
        TooLargeError: the codes do not fit the memory bound.
    """

    def choose_legal(position: Position) -> Code:
        guess = first if first is not None and not position.history else choose(position)
        check_code(guess, rules)
        return guess

    children: dict[History, dict[Feedback, Node]] = {}
    for position, guess, _, _ in walk_tree(choose_legal, Position(rules, (), LiveSets())):
        _check_depth(position)
        children[position.history] = {}
        node = Node(guess, children[position.history])
        if position.history:
            children[position.history[:-1]][position.history[-1].feedback] = node
        else:
            root = node
    return Tree(rules, root)


def _check_depth(position: Position) -> None:
    if position.turn > MAX_DEPTH:
        message = f"the strategy is stuck: a code of {position.rules} is not guessed within {MAX_DEPTH} guesses"
        raise StuckError(message)
