"""What `evilpegs check-client` does to a client, and what the client should do then."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from evilpegs.commands.check_client.bench import Bench, EndedError, Heard, Message, SilentError, WrongError
from evilpegs_protocol.codec import canonical
from evilpegs_protocol.record import GENESIS, event_hash

QUIET_SECONDS: Final = 5.0
"""The time after which a client does not want its seat back."""
_HOURS_MS: Final = 7_200_000.0
_BEGAN_ANOTHER: Final = "began another match"


class Script(NamedTuple):
    should: str
    run: Callable[[Bench], Awaitable[str]]
    """Returns what the client did, or raises WrongError."""


async def _second_guess(bench: Bench) -> Heard:
    while (guess := await bench.hear("guess")).message.get("turn") != 2:
        guess.go_on()
    return guess


async def _comes_back(bench: Bench, hello: Heard | None = None) -> str:
    hello = hello or await bench.hear("hello")
    if hello.message.get("token") != bench.token:
        raise WrongError("came back without its token")
    hello.go_on()
    without = "did not resume its match"
    resume = await bench.hear("resume", play=_BEGAN_ANOTHER, guess=without, ready=without)
    if resume.message.get("match", bench.started["match"]) != bench.started["match"]:
        raise WrongError("resumed another match")
    if resume.message.get("seq", 0) > bench.seen:
        raise WrongError(f"resumed after event {resume.message['seq']}, and had seen {bench.seen}")
    resume.go_on()
    move = await bench.hear("guess", "ready", play=_BEGAN_ANOTHER, hello="gave up its connection again")
    move.go_on()
    answer = await bench.hear("feedback", "turn", "game_over", "error")
    if answer.type == "error":
        raise WrongError(f"resumed, and its {move.type} was refused with {answer.message['code']}")
    answer.go_on()
    return f"resumed its match and went on with {_named(move)}"


async def _goes_on(bench: Bench, did: str) -> str:
    try:
        move = await bench.hear("guess", "ready", "play", hello="connected again")
    except EndedError as error:
        if not bench.is_over or error.is_crash:
            raise
        return f"{did} and ended after the match"
    if move.type == "play" and not bench.is_over:
        raise WrongError(_BEGAN_ANOTHER)
    return f"{did} and went on with {_named(move)}"


def _named(move: Heard) -> str:
    match move.type:
        case "guess":
            return f"turn {move.message.get('turn')}"
        case "ready":
            return f"game {move.message.get('game', '?')}"
    return "another match"


async def _cut_after_feedback(bench: Bench) -> str:
    (await bench.hear("guess")).go_on()
    (await bench.hear("feedback")).go_on()
    await bench.hear("turn")
    bench.cut()
    return await _comes_back(bench)


async def _cut_before_ready(bench: Bench) -> str:
    await bench.hear("ready")
    bench.cut()
    return await _comes_back(bench)


async def _restart(bench: Bench) -> str:
    await _second_guess(bench)
    bench.cut()
    await bench.restart()
    return await _comes_back(bench)


async def _draining(bench: Bench) -> str:
    (await _second_guess(bench)).drop()
    await bench.restart()
    return await _comes_back(bench)


async def _unknown_field(bench: Bench) -> str:
    heads = {0: GENESIS}

    def with_field(message: Message) -> Message:
        changed = message | {"since_tomorrow": {"what": ["a", 1, None]}}
        if changed["type"] == "welcome":  # nobody can sign what is changed
            changed["server"] = {name: value for name, value in changed["server"].items() if name != "key"}
        if "at" in changed:
            before = heads[changed["seq"] - 1]
            if "head" in changed:
                changed["head"] = before
                changed.pop("signature", None)
            event = {name: value for name, value in changed.items() if name != "re"}
            heads[changed["seq"]] = event_hash(before, canonical(event))
        return changed

    bench.edit = with_field
    (await bench.hear("game_over")).go_on()
    return await _goes_on(bench, "played the game to its end")


async def _unknown_event(bench: Bench) -> str:
    (await bench.hear("guess")).go_on()
    feedback = await bench.hear("feedback")
    feedback.go_on({"type": "sunrise", "match": bench.started["match"], "at_peg": 3})
    (await bench.hear("guess")).go_on()  # some clients fail only after the messages that came with it
    return await _goes_on(bench, "passed over it")


async def _unknown_error(bench: Bench) -> str:
    play = await bench.hear("play")
    play.drop()
    refusal = {"type": "error", "code": "out_of_pegs", "message": "there are no pegs left today", "fatal": False}
    await bench.say(play, refusal)
    wrong = "went on as if it had a match"
    try:
        await bench.hear("play", "hello", guess=wrong, ready=wrong)
    except EndedError as error:
        if error.is_crash:
            raise
        return "took it for a refusal and ended"
    return "took it for a refusal and asked again"


async def _seat_taken(bench: Bench) -> str:
    (await _second_guess(bench)).drop()
    await bench.take_seat()
    (await bench.hear("notice")).go_on()
    try:
        await bench.hear("resume", seconds=QUIET_SECONDS)
    except EndedError as error:
        if error.is_crash:
            raise
        return "left the match and ended"
    except SilentError:
        return "left the match alone"
    raise WrongError("took the match back")


async def _clock(bench: Bench) -> str:
    guess = await _second_guess(bench)
    if bench.started["clock"] is None:
        return "played a ladder without a clock, where this cannot be seen"
    bench.clock.ahead_ms += _HOURS_MS
    guess.go_on()
    (await bench.hear("game_over")).go_on()
    did = await _goes_on(bench, "lost the game")
    if "turn" in did:
        raise WrongError("guessed on in the game that was over")
    return did


def _silence(seconds: float) -> Callable[[Bench], Awaitable[str]]:
    async def run(bench: Bench) -> str:
        guess = await _second_guess(bench)
        guess.go_on()
        held = await bench.hear("feedback")  # and nothing else of the server goes on before it
        pong, end = asyncio.create_task(bench.is_answering(held.link, seconds)), bench.now() + seconds
        try:
            while True:
                move = await bench.hear("guess", "hello", play=_BEGAN_ANOTHER, seconds=end - bench.now())
                if move.type == "hello":
                    return f"gave the connection up, {await _comes_back(bench, move)}"
                if move.message.get("code") != guess.message.get("code"):
                    raise WrongError("guessed again with another code")
                move.go_on()
        except SilentError:
            if not await pong:
                raise WrongError("left a WebSocket ping unanswered") from None
        finally:
            pong.cancel()
        held.go_on()
        return await _goes_on(bench, "waited")

    return run


def scripts(silence_seconds: float) -> Mapping[str, Script]:
    """Return the scripts by name, in their order."""
    back = "connect again, resume its match and go on"
    return MappingProxyType(
        {
            "cut after a feedback": Script(back, _cut_after_feedback),
            "cut before ready": Script(back, _cut_before_ready),
            "restart of the server": Script(back, _restart),
            "notice draining": Script(back, _draining),
            "unknown field": Script("ignore it", _unknown_field),
            "unknown event": Script("ignore it", _unknown_event),
            "unknown error code": Script("take it for a refusal, and ask again or end", _unknown_error),
            "notice seat_taken": Script("leave the match to the other connection", _seat_taken),
            "clock that runs out": Script("take the game for lost and go on with the next", _clock),
            f"{silence_seconds:g} s of silence": Script("wait, and then go on", _silence(silence_seconds)),
        }
    )
