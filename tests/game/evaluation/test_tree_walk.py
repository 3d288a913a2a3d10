"""The walk of a game tree visits what playing every secret visits, in a stated order."""

import itertools

import pytest

from evilpegs_game.codes import all_codes, column_code
from evilpegs_game.errors import StuckError
from evilpegs_game.evaluation.exact import MAX_IDLE_TURNS, walk_tree
from evilpegs_game.feedback import Turn, feedback
from evilpegs_game.guessing.criteria import MINIMAX
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

RULES = Rules(3, 3)
FIRST = (2, 1, 1)


def choose(position):
    return best_guess(position, MINIMAX)


def root(history=()):
    return Position(RULES, history, LiveSets())


def histories_of_every_secret(first):
    """Return the histories before each guess of the games against all secrets."""
    visited = set()
    for index in range(RULES.size):
        secret, history = column_code(all_codes(RULES), index), ()
        guess = None
        while guess != secret:
            visited.add(history)
            guess = first if not history and first else choose(root(history))
            history = (*history, Turn(guess, feedback(guess, secret)))
    return visited


@pytest.mark.parametrize("first", [None, FIRST])
def test_walk_visits_positions_of_every_secret_once(first):
    nodes = list(walk_tree(choose, root(), first))
    histories = [node.position.history for node in nodes]
    assert len(set(histories)) == len(histories)
    assert set(histories) == histories_of_every_secret(first)
    assert sum(node.is_solved for node in nodes) == RULES.size


def test_nodes_come_before_those_below_and_parts_in_order_of_feedback():
    seen, order = set(), []
    for node in walk_tree(choose, root()):
        history = node.position.history
        assert not history or history[:-1] in seen
        seen.add(history)
        order.append([turn.feedback for turn in history])
        assert list(node.parts) == sorted(node.parts)
        candidates = sum(part.count for part in node.parts.values()) + node.is_solved
        assert candidates == node.position.count
    assert order == sorted(order)


def test_walk_begins_below_a_history():
    history = (Turn(FIRST, feedback(FIRST, (0, 1, 2))),)
    nodes = list(walk_tree(choose, root(history)))
    assert nodes[0].position.history == history
    assert sum(node.is_solved for node in nodes) == root(history).count


def test_guesses_that_exclude_nothing_end_the_walk():
    def repeat(position):
        return (0, 0, 0)

    turns = (node.position.turn for node in walk_tree(repeat, root()))
    assert max(itertools.islice(turns, MAX_IDLE_TURNS)) == MAX_IDLE_TURNS
    with pytest.raises(StuckError):
        list(turns)
