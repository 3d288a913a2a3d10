"""The state of a match as values that tests compare with those of another match, or of the same one later."""

import copy

from evilpegs_server.match.match import State

TRANSIENT = {"_wake_at", "_pending", "_took_ms", "_strikes"}
"""The names of attributes that a restart loses."""


def snapshot(match):
    """Return a deep copy of all attributes of a match by name."""
    return copy.deepcopy(vars(match) | {"clock": vars(match.clock)})


def durable_state(match):
    """Return the values that survive a restart, by name.

    Deadlines, strikes and the start of the turn are lost in a restart. A guess without its reply is lost too and counts
    as never made, so the state THINKING becomes TURN.
    """
    known = {name: value for name, value in snapshot(match).items() if name not in TRANSIENT}
    known["clock"] = (match.clock.left_ms, match.clock.elapsed_ms)
    known["state"] = State.TURN if match.state is State.THINKING else match.state
    return known
