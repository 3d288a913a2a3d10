"""The number of guesses that a tree needs, computed plainly: each secret is played on its own."""

from evilpegs_game.codes import code_at
from evilpegs_game.feedback import all_black, feedback


def guesses_for(tree, secret):
    """Return the number of guesses that a tree needs for a secret, and the ids of the nodes that it visits.

    The number is None if the tree has no answer to a feedback.
    """
    node, visited = tree.root, []
    while node is not None:
        visited.append(id(node))
        reply = feedback(node.guess, secret)
        if reply == all_black(tree.rules.pegs):
            return len(visited), visited
        node = node.children.get(reply)
    return None, visited


def plain_distribution(tree):
    """Return the number of codes found at each guess, from guess 1.

    Return None if a code is never found or a node never visited.
    """
    played = [guesses_for(tree, code_at(index, tree.rules)) for index in range(tree.rules.size)]
    visited = {name for _, names in played for name in names}
    lengths = [guesses for guesses, _ in played]
    if None in lengths or len(visited) < count_nodes(tree):
        return None
    return tuple(lengths.count(guesses) for guesses in range(1, max(lengths) + 1))


def count_nodes(tree):
    waiting, count = [tree.root], 0
    while waiting:
        count += 1
        waiting += waiting.pop().children.values()
    return count
