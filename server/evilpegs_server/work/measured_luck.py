"""The luck of a stored game, from the turns in the record of its match."""

from collections.abc import Iterable

from evilpegs_game.codes import parse_code
from evilpegs_game.errors import ContradictionError, EvilpegsError, TooLargeError
from evilpegs_game.feedback import Feedback, Turn, feedbacks
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.luck.game_luck import ValueCurve, game_luck, to_millionths
from evilpegs_game.rules import Rules


def measure_luck(
    rules: Rules, turns: Iterable[tuple[str, int, int]], curve: ValueCurve, live_sets: LiveSets
) -> int | None:
    """Return the luck in millionths of a guess; bad luck is positive.

    Each turn is the code as text, the blacks and the whites. None means that the turns cannot be read, that no code
    agrees with them, or that counting would take too much memory.
    """
    try:
        history = tuple(Turn(parse_code(code, rules), Feedback(black, white)) for code, black, white in turns)
        if any(turn.feedback not in feedbacks(rules.pegs) for turn in history):
            return None
    except (EvilpegsError, TypeError, AttributeError):  # a damaged record may hold any JSON values
        return None
    try:
        return to_millionths(game_luck(rules, history, curve, live_sets))
    except (ContradictionError, TooLargeError):
        return None
