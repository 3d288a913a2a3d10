"""A comparison of the times that turns took with the times at which their events were recorded.

A turn begins only when the previous event has been recorded, and its feedback is recorded only when the guess has
arrived. So the time between these two events is at least as long as the turn. It may be much longer: it includes the
player's pause before `ready`, the computation of the reply, and the time while the server was down.

Turns are measured with a clock that only goes forward, but events have the time of the wall clock, which can be set
back. A record in which the two times differ is therefore doubtful, but not refuted.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from evilpegs_clients.verification.violation import Doubt, Subject
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, GameStarted, RecordEvent

TOLERANCE_MS: Final = 1000
"""The excess of turns over what the record allows that is not doubtful.

Rounding explains at most 2 ms per turn, and a leap second or a small correction of the wall clock explains a second.
Programs that keep the time of a machine correct smaller errors by slewing, which changes both clocks alike.
"""


def compare_times(events: Sequence[RecordEvent]) -> Iterator[Doubt]:
    """Yield a doubt for each event at which the turns of a game took longer than the times of the events allow.

    A turn is compared alone and together with the turns before it, so that an excess that is spread over several turns
    is found too. No excess is reported twice.
    """
    took_ms = passed_ms = start_ms = least_excess = 0
    for event in events:
        match event:
            case GameStarted():
                took_ms = passed_ms = least_excess = 0
                start_ms = event.at
                continue
            case FeedbackGiven():
                took_ms += event.took_ms
            case GameOver() if event.nonce is not None:  # without a nonce the game was never opened
                took_ms = event.elapsed_ms
            case _:
                continue
        passed_ms = event.at - start_ms
        excess = took_ms - passed_ms
        if excess - least_excess > TOLERANCE_MS:
            turn = event.turn if isinstance(event, FeedbackGiven) else 0
            short = excess - least_excess
            what = f"the turns up to here took {short} ms longer than the times of the events allow"
            yield Doubt(what, event.game, turn, Subject.CLOCK)
            least_excess = excess
        least_excess = min(least_excess, excess)
