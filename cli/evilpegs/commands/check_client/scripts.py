"""What `evilpegs check-client` does to a client; a script returns what the client did then, or raises WrongError."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Final

from evilpegs.commands.check_client.bench import Bench, Heard, Message
from evilpegs.commands.check_client.client import EndedError, SilentError, WrongError
from evilpegs_protocol.codec import canonical
from evilpegs_protocol.record import GENESIS, event_hash

Script = tuple[str, str, Callable[[Bench], Awaitable[str]]]
QUIET_SECONDS: Final = 5.0  # the time after which a client does not want its seat back
THINKING_SECONDS: Final = 2.0
RETRY_MS: Final = 1_000
_HOURS_MS: Final = 7_200_000.0
_ANOTHER: Final = "began another match"
_GAVE_UP: Final = "gave its connection up again"
_UNKNOWN: Final = {"type": "error", "code": "out_of_pegs", "message": "there are no pegs left today", "fatal": False}
_LIMITED: Final = {"type": "error", "code": "rate_limited", "message": "too many matches begin", "fatal": False}


async def _second_guess(bench: Bench) -> Heard:
    while (guess := await bench.hear("guess")).message.get("turn") != 2:
        guess.go_on()
    return guess


async def _resumes(bench: Bench, hello: Heard | None = None) -> None:
    hello = hello or await bench.hear("hello")
    if "token" not in hello.message:
        raise WrongError("came back without its token")
    hello.go_on()
    without = "did not resume its match"
    resume = await bench.hear("resume", play=_ANOTHER, guess=without, ready=without, hello=_GAVE_UP)
    if resume.message.get("seq", 0) > bench.seen:
        raise WrongError(f"resumed after event {resume.message['seq']}, and had seen {bench.seen}")
    resume.go_on()


async def _comes_back(bench: Bench, hello: Heard | None = None) -> str:
    await _resumes(bench, hello)
    return f"resumed its match, {await _finishes_game(bench)}"


async def _finishes_game(bench: Bench) -> str:
    move, moves = "resume", ("guess", "ready", "error", "game_over")
    while (heard := await bench.hear(*moves, play=_ANOTHER, hello=_GAVE_UP)).type != "game_over":
        if heard.type == "error":
            raise WrongError(f"resumed, and its {move} was refused with {heard.message['code']}")
        if heard.type == "guess":
            turn, code = heard.message.get("turn"), str(heard.message.get("code")).upper()
            if bench.answered.get(code, turn) != turn:
                raise WrongError(f"resumed, and guessed {code} again as if it had forgotten the game")
        move = heard.type
        heard.go_on()
    heard.go_on()
    return "and finished the game"


async def _goes_on(bench: Bench, did: str, *, is_new_game: bool = False) -> str:
    try:
        move = await bench.hear("guess", "ready", "play", hello="connected again")
    except EndedError as error:
        if error.status != 0 or not bench.is_over:
            raise
        return f"{did} and ended after the match"
    if move.type == "play" and not bench.is_over:
        raise WrongError(_ANOTHER)
    if move.type == "guess" and is_new_game:
        raise WrongError("guessed on in the game that was over")
    move.go_on()
    return f"{did} and went on"


async def _cut_after_feedback(bench: Bench) -> str:
    (await bench.hear("feedback")).go_on()
    await bench.hear("turn", "game_over")
    bench.cut()
    return await _comes_back(bench)


async def _cut_before_ready(bench: Bench) -> str:
    await bench.hear("ready")
    bench.cut()
    return await _comes_back(bench)


async def _restart(bench: Bench, *, is_sudden: bool) -> str:
    await _second_guess(bench)  # which is lost
    if is_sudden:
        bench.cut()
    await bench.restart()
    return await _comes_back(bench)


async def _thinking(bench: Bench) -> str:
    (await _second_guess(bench)).go_on()
    reply = await bench.hear("feedback")  # which is lost
    bench.cut()
    await _resumes(bench)
    early, wait = "moved while the server was thinking", min(THINKING_SECONDS, bench.patience)
    resumed = await bench.hear("resumed")
    told = {name: value for name, value in resumed.message.items() if name != "ready_by_ms"}
    resumed.go_on(told | {"seq": reply.message["seq"] - 1, "state": "thinking", "game": reply.message["game"]})
    while (held := await bench.hear("feedback", guess=early, ready=early)).message["seq"] < reply.message["seq"]:
        held.go_on()
    with suppress(SilentError):
        await bench.hear(guess=early, ready=early, hello=_GAVE_UP, play=_ANOTHER, seconds=wait)
    held.go_on()
    return f"waited for the reply {await _finishes_game(bench)}"


async def _refused(bench: Bench, *, status: int) -> str:
    await _second_guess(bench)
    bench.refusal = status
    bench.cut()
    return await _comes_back(bench)


async def _unknown_field(bench: Bench) -> str:
    heads = {0: GENESIS}

    def with_field(message: Message) -> Message:
        changed = message | {"since_tomorrow": {"what": ["a", 1, None]}}
        if changed["type"] == "welcome":  # nobody can sign what is changed
            changed["server"] = changed["server"] | {"key": None}
        if "at" in changed:
            before = heads[changed["seq"] - 1]
            changed |= {"head": before, "signature": None} if "head" in changed else {}
            changed = {name: value for name, value in changed.items() if (name, value) != ("signature", None)}
            event = {name: value for name, value in changed.items() if name != "re"}
            heads[changed["seq"]] = event_hash(before, canonical(event))
        return changed

    bench.edit = with_field
    (await bench.hear("game_over")).go_on()
    return await _goes_on(bench, "played the game to its end")


async def _unknown_event(bench: Bench) -> str:
    feedback = await bench.hear("feedback")
    feedback.go_on({"type": "sunrise", "match": bench.match["match"], "at_peg": 3}, feedback.message)
    await _goes_on(bench, "")  # some clients fail only after the messages that came with it
    return await _goes_on(bench, "passed over it")


async def _refused_play(bench: Bench, error: Message) -> str:
    play = await bench.hear("play")
    re = {"re": play.message["id"]} if "id" in play.message else {}
    play.forwarded.set_result(())
    await play.client.send(json.dumps(error | re))
    refused, wrong = bench.now(), "went on as if it had a match"
    try:
        await bench.hear("play", "hello", guess=wrong, ready=wrong)
    except EndedError:
        return "took it for a refusal and ended"
    waited = 1_000 * (bench.now() - refused)
    if waited < 0.9 * error.get("retry_after_ms", 0):  # timers may be early
        raise WrongError(f"asked again after {waited:.0f} ms")
    return "took it for a refusal and asked again"


async def _fragments(bench: Bench) -> str:
    bench.has_fragments = True
    (await bench.hear("game_over")).go_on()
    return await _goes_on(bench, "played the game to its end")


async def _seat_taken(bench: Bench) -> str:
    await _second_guess(bench)
    await bench.take_seat()
    (await bench.hear("notice")).go_on()
    with suppress(EndedError, SilentError):
        await bench.hear(resume="took the match back", seconds=min(QUIET_SECONDS, bench.patience))
    return "left the match alone"


async def _clock(bench: Bench) -> str:
    guess = await _second_guess(bench)
    if bench.match["clock"] is None:
        return "played a ladder without a clock, where this cannot be seen"
    bench.clock.ahead_ms += _HOURS_MS
    guess.go_on()
    (await bench.hear("game_over")).go_on()
    return await _goes_on(bench, "lost the game", is_new_game=True)


async def _silence(bench: Bench, *, seconds: float) -> str:
    guess = await _second_guess(bench)
    guess.go_on()
    held = await bench.hear("feedback")  # and nothing else of the server goes on before it
    pong, end = asyncio.ensure_future(await held.client.ping()), bench.now() + seconds
    try:
        while True:
            move = await bench.hear("guess", "hello", play=_ANOTHER, seconds=max(end - bench.now(), 0.001))
            if move.type == "hello":
                return f"gave its connection up, {await _comes_back(bench, move)}"
            if move.message.get("code") != guess.message.get("code"):
                raise WrongError("guessed again with another code")
            move.go_on()
    except SilentError:
        if not pong.done():
            raise WrongError("left a WebSocket ping unanswered") from None
    held.go_on()
    return await _goes_on(bench, "waited")


def scripts(silence: float) -> list[Script]:
    """Return each script with its name and what the client should do; ``silence`` is in seconds."""
    back, ignore = "connect again, resume its match and go on", "ignore it and go on"
    refusal, limited = "take it for a refusal, and ask again or end", _LIMITED | {"retry_after_ms": RETRY_MS}
    later = "connect again after a pause, resume its match and go on"
    return [
        ("cut after a feedback", back, _cut_after_feedback),
        ("cut before ready", back, _cut_before_ready),
        ("restart of the server", back, partial(_restart, is_sudden=True)),
        ("notice draining", back, partial(_restart, is_sudden=False)),
        ("resumed while thinking", "wait for the feedback and go on", _thinking),
        ("429 at connect", later, partial(_refused, status=429)),
        ("503 at connect", later, partial(_refused, status=503)),
        ("unknown field", ignore, _unknown_field),
        ("unknown event", ignore, _unknown_event),
        ("fragmented frames", "put them together and go on", _fragments),
        ("unknown error code", refusal, partial(_refused_play, error=_UNKNOWN)),
        ("rate_limited", f"{refusal}, no sooner than retry_after_ms", partial(_refused_play, error=limited)),
        ("notice seat_taken", "leave the match to the other connection", _seat_taken),
        ("clock that runs out", "take the game for lost and go on with the next", _clock),
        ("silence", "wait, and then go on", partial(_silence, seconds=silence)),
    ]
