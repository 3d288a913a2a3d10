"""The records among the vectors of the page: real ones of every codemaker, and forgeries of them.

Some records were written by version 0.1.0 and are kept in `tests/compatibility`. One record, on large rules, is
computed here. The other records are of matches at a real server with known random bytes and times. To play these
matches again and write `tests/vectors/records.json`, run ``make records``. No test does so,
because the worker process of a server takes long to start.

A forgery is a list of changes to a record, so that Python and JavaScript make the same one. A change has the form
{"event": INDEX, "set": {...}}, with "unset" for a list of fields to remove, "drop" to remove the event, or "then" for
an event to add after it. Most forgeries come with a new chain of hashes, as a careful forger would make it.
"""

import asyncio
import copy
import json
from pathlib import Path

from evilpegs_game.codemakers.codemaker import Evil, evil_replies
from evilpegs_game.codes import SYMBOLS, format_code, parse_code
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_protocol.codec import canonical
from evilpegs_protocol.commitment import commitment
from evilpegs_protocol.record import chain
from tools.transcripts import still_stage

VECTORS = Path(__file__).parents[1] / "tests" / "vectors"
RECORDS = VECTORS / "records.json"
OLD = Path(__file__).parents[1] / "tests" / "compatibility" / "v0.1.0"
NONCE = "my-own-luck"


def play_records():
    """Return the honest records, each with its name and the names of the checks that the page leaves out."""
    honest = {f"{kind} 0.1.0": read_old(kind) for kind in ("fixed", "evil", "devil")} | asyncio.run(play_all())
    honest["evil on large rules"] = on_large_rules(honest["evil practice"])
    return [{"name": name, "events": events, "unchecked": unchecked(events)} for name, events in honest.items()]


def forge_all(records):
    """Return forgeries of every record, each with the check of the page that must refuse it."""
    return [forged for record in records for forged in Forger(record["name"], record["events"]).forgeries()]


def read_old(kind):
    return [json.loads(line) for line in (OLD / f"{kind}.jsonl").read_text().splitlines()]


def render(vectors):
    """Return vectors as JSON text with one vector per line."""
    sections = []
    for name, value in vectors.items():
        rows = value if isinstance(value, list) else [value]
        lines = ",\n".join("  " + json.dumps(row, ensure_ascii=True, separators=(",", ":")) for row in rows)
        sections.append(f"{json.dumps(name)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def is_large(started):
    """Return True if the rules of a match have more codes than the page enumerates."""
    return Rules.parse(started["rules"]).size > 10**6


def unchecked(events):
    """Return the names of the checks that the page leaves out for this record."""
    started, names = events[0], []
    if started["codemaker"] == "devil" or (started["codemaker"] == "evil" and is_large(started)):
        names.append("replies")
    if is_large(started) and not started["rated"]:
        names.append("help")
    return names + (["signature"] if "signature" in events[-1] else [])


PLAYED = {
    "fixed": ("classic", [NONCE, None]),
    "fixed distinct": ("bulls-and-cows", [None]),
    "fixed practice": ("classic-practice", [NONCE]),
    "evil": ("classic-evil", [NONCE, None]),
    "evil practice": ("bulls-and-cows-evil-practice", [None]),
    "devil practice": ("classic-devil-practice", [None]),
}
"""The ladder of each record, and the client nonces of the games that are played; later games are resigned."""


async def play_all():
    """Play the matches at a real server and return their records by name."""
    async with still_stage() as stage:
        await stage.hello("bot", name="my-bot", kind="bot")
        return {name: await play(stage, ladder, nonces) for name, (ladder, nonces) in PLAYED.items()}


async def play(stage, ladder, nonces):
    """Play games in which each guess is the first candidate, resign the rest of the match, and return its record.

    ``nonces`` has the client nonce of each game that is played, or None for a game without one.
    """
    heard = []

    async def hear(*types):
        while not heard or heard[-1]["type"] not in types:
            heard.append(await stage.hear("bot", whole=True))
        return heard[-1]

    await stage.say("bot", type="play", ladder=ladder)
    match = (await hear("match_started"))["match"]
    rules = Rules.parse(heard[0]["rules"])
    for game, nonce in enumerate(nonces, 1):
        await hear("game_started")
        await stage.say("bot", type="ready", match=match, game=game, **({} if nonce is None else {"nonce": nonce}))
        position, turn = Position(rules), await hear("turn")
        while turn["type"] == "turn":
            guess = position.first_candidate if position.history else first_guess(rules)
            await stage.guess("bot", match, game, turn["turn"], format_code(guess))
            given = await hear("feedback")
            position = position.after(guess, Feedback(given["black"], given["white"]))
            turn = await hear("turn", "game_over")
    if heard[0]["games"] > len(nonces):
        await stage.say("bot", type="resign", match=match)
    await hear("match_over")
    return [{key: value for key, value in event.items() if key != "re"} for event in heard if "at" in event]


def first_guess(rules):
    return parse_code("1123456789"[: rules.pegs] if rules.repeats else "1234567890"[: rules.pegs], rules)


def on_large_rules(record):
    """Return a record on the rules 8x10, made from the record of an untimed evil ladder.

    The game is resigned after three turns.
    """
    rules = Rules.parse("huge")
    started = record[0] | {"ladder": "huge-evil-practice", "rules": str(rules), "pegs": 8, "colors": 10}
    events = [started | {"symbols": SYMBOLS[:10], "guess_limit": 24, "repeats": True}, dict(record[1])]
    over = dict(next(event for event in record if event["type"] == "game_over"))
    events[1]["commitment"] = commitment(started["match"], 1, str(rules), over["nonce"])
    feedbacks = [event for event in record if event["type"] == "feedback"][:3]
    position = Position(rules)
    for event in feedbacks:
        guess = position.first_candidate if position.history else first_guess(rules)
        parts, given = position.parts(guess), Evil().reply(position, guess)
        position = position.after(guess, given)
        rows = [[*part, count] for part, count in parts.items()]
        fields = {"code": format_code(guess), "black": given.black, "white": given.white, "parts": rows}
        events.append(event | fields | {"candidates": position.count})
    elapsed = sum(event["took_ms"] for event in feedbacks)
    sums = {"elapsed_ms": elapsed, "guesses": 3}
    events.append(over | sums | {"seq": 6, "outcome": "resigned", "secret": format_code(position.first_candidate)})
    last = {field: record[-1][field] for field in ("type", "match", "at")}
    events.append(last | {"seq": 7, "outcomes": ["resigned"], "guesses": [3], "elapsed_ms": elapsed, "head": ""})
    events[-1]["head"] = head_of(events)
    return events


class Forger:
    """A forger who makes forgeries of one record by changing its first game."""

    def __init__(self, name, events):
        self.name, self.events, self.started = name, events, events[0]
        self.rules = Rules.parse(self.started["rules"])
        self.first, self.end, self.last = index_of(events, "feedback"), index_of(events, "game_over"), len(events) - 1
        self.turn, self.over, self.sums = events[self.first], events[self.end], events[self.last]
        self.is_fixed = self.started["codemaker"] == "fixed"

    def forgeries(self):
        yield from self.of_record()
        yield from self.of_game()
        yield from self.of_replies()

    def forged(self, what, refused_by, *changes, rehash=True):
        changes = [{"event": index, **change} for index, change in changes]
        if rehash:
            changes.append({"event": self.last, "set": {"head": head_of(apply(self.events, changes))}})
        return {"record": self.name, "forgery": what, "refused_by": refused_by, "changes": changes}

    def set(self, what, refused_by, index, rehash=True, **fields):
        return self.forged(what, refused_by, (index, {"set": fields}), rehash=rehash)

    def of_record(self):
        """Yield forgeries that are refuted by checks of the whole record."""
        other = other_feedback(self.turn)
        yield self.set("head", "hashes", self.last, rehash=False, head="0" * 64)
        yield self.set("feedback", "hashes", self.first, rehash=False, **other)
        yield self.set("player", "hashes", 0, rehash=False, player="somebody")
        yield self.set("unknown field", "hashes", 1, rehash=False, news=[1, {"x": "é"}])
        yield self.set("fraction", "events", self.first, rehash=False, news=0.5)
        yield self.set("type of a field", "events", self.first, black="1")
        yield self.forged("missing field", "events", (self.first, {"unset": ["left_ms"]}))
        yield self.set("another match", "order", 1, match="f" * 16)
        yield self.forged("missing turn", "order", (self.first, {"drop": True}))
        lie = self.sums | {"elapsed_ms": 0, "guesses": [1] * len(self.sums["guesses"])}
        again = self.sums | {"seq": self.last + 2, "head": chain(map(canonical, self.events))[-1]}
        yield self.forged("event after the end", "order", (self.last, {"then": again}), rehash=False)
        yield self.forged(
            "two ends", "order", (self.last - 1, {"then": lie}), (self.last, {"set": {"seq": self.last + 2}})
        )
        yield self.set("sum of times", "summary", self.last, elapsed_ms=self.sums["elapsed_ms"] + 1)
        yield self.set("colors", "rules", 0, colors=self.started["colors"] + 1)
        yield self.set("codemaker", "codemaker", 0, codemaker="evil" if self.is_fixed else "fixed")

    def of_game(self):
        """Yield forgeries that are refuted by checks of the first game; they have a new chain of hashes."""
        guesses, outcome = self.over["guesses"] + 1, "void" if self.over["outcome"] == "solved" else "solved"
        yield self.set("nonce", "commitment", self.end, nonce="5" * 64)
        yield self.set("no nonce", "commitment", self.end, nonce=None)
        yield self.set("commitment", "commitment", 1, commitment="5" * 64)
        yield self.forged("guesses", "outcome", (self.end, {"set": {"guesses": guesses}}), self.sum(guesses=guesses))
        yield self.forged("outcome", "outcome", (self.end, {"set": {"outcome": outcome}}), self.sum(outcomes=outcome))
        yield self.set("time", "clock", self.first, took_ms=self.turn["took_ms"] + 10**6)
        yield self.set("time left", "clock", self.first, left_ms=7)

    def of_replies(self):
        """Yield forgeries of the codemaker's replies and secrets; they have a new chain of hashes."""
        other = other_feedback(self.turn)
        yield self.set("feedback, new hashes", "replies" if self.is_fixed else "witness", self.first, **other)
        shown = other_code(self.over["secret"])
        yield self.set("secret", "secret" if self.is_fixed else "witness", self.end, secret=shown)
        if self.is_fixed and "client_nonce" in self.over:
            yield self.set("client nonce", "secret", self.end, client_nonce="other")
        if "parts" in self.turn and not is_large(self.started):
            yield self.set("parts", "help", self.first, parts=self.turn["parts"][1:])
            yield self.set("candidates", "help", self.first, candidates=self.turn["candidates"] + 1)
        method = "greedy" if self.started["codemaker"] == "devil" else "exact"
        yield self.set("method", "replies", self.first, method=method)
        if self.started["codemaker"] == "evil" and not is_large(self.started):
            yield from self.with_reply("smaller part", lambda parts, largest: parts.keys() - set(largest))
            yield from self.with_reply("another of equal parts", lambda parts, largest: set(largest))

    def with_reply(self, what, choices):
        """Yield a forgery in which evil gives another reply, after which the game ends with a witness that fits.

        ``choices`` returns the replies to choose from. Its arguments are the parts of a guess and the replies that evil
        may give.
        """
        position = Position(self.rules)
        for event in self.events[self.first : self.end]:
            guess, given = parse_code(event["code"], self.rules), Feedback(event["black"], event["white"])
            others = choices(position.parts(guess), evil_replies(position, guess)) - {given, all_black(self.rules.pegs)}
            if others:
                after = position.after(guess, min(others))
                yield self.forged(what, "replies", *self.ended_after(event, after))
                return
            position = position.after(guess, given)

    def ended_after(self, event, after):
        """Yield the changes that end the first game after the turn of ``event``, by resignation.

        ``after`` is the position after the forged reply to this turn.
        """
        index, given = self.events.index(event), after.history[-1].feedback
        parts = {} if "candidates" not in event else {"candidates": after.count}
        yield index, {"set": {"black": given.black, "white": given.white, **parts}}
        yield (
            self.end,
            {"set": {"secret": format_code(after.first_candidate), "guesses": event["turn"], "outcome": "resigned"}},
        )
        yield self.sum(guesses=event["turn"], outcomes="resigned")
        for later in range(index + 1, self.end):
            yield later, {"drop": True}
        for later in range(self.end, self.last + 1):
            yield later, {"set": {"seq": later + 1 - (self.end - index - 1)}}

    def sum(self, **first):
        """Return the change of the last event that gives the first game the values ``first``."""
        return self.last, {"set": {field: [value, *self.sums[field][1:]] for field, value in first.items()}}


def index_of(events, kind):
    """Return the index of the first event of this type."""
    return next(index for index, event in enumerate(events) if event["type"] == kind)


def other_feedback(event):
    """Return a feedback that differs from that of ``event`` and is possible too."""
    return {"black": 0, "white": 0} if event["black"] + event["white"] else {"black": 0, "white": 1}


def other_code(code):
    """Return another code with the same colors, or with another color if it has only one."""
    swapped = code[1:] + code[0]
    return swapped if swapped != code else ("2" if code[0] != "2" else "1") + code[1:]


def apply(events, changes):
    """Return a copy of ``events`` to which ``changes`` have been applied."""
    changed = copy.deepcopy(events)
    for change in changes:
        changed[change["event"]].update(change.get("set", {}))
        for field in change.get("unset", []):
            del changed[change["event"]][field]
    kept = {index: [event] for index, event in enumerate(changed)}
    for change in changes:
        if change.get("drop"):
            kept[change["event"]] = []
        kept[change["event"]] += [change["then"]] if "then" in change else []
    return [event for index in range(len(changed)) for event in kept[index]]


def head_of(events):
    """Return the hash that `match_over` must contain."""
    return chain(map(canonical, events))[-2]


if __name__ == "__main__":
    RECORDS.write_text(render({"honest": play_records()}))
