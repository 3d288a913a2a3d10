"""Records as somebody could write them, and how they are judged: alike by `evilpegs verify` and by the page.

Each kind is a list of edits of the lines of one honest record: ``[INDEX, TEXT]`` for a line that is replaced, by
several or by none. With ``"end"`` in place of the index the text follows the record, and with ``"start"`` it stands
before it. A verdict is ``holds``, ``does not hold``, ``not finished`` or ``unreadable``, as the exit statuses 0, 1, 3
and 2 say.
"""

import json
import tempfile
from pathlib import Path

from evilpegs.api.verification import verify_record
from evilpegs.errors import CommandError
from evilpegs.files import read_record_file
from evilpegs_protocol.codec import canonical
from evilpegs_protocol.record import chain

LINES = "\n"


def edited(lines, edits):
    """Return the text of a record after edits."""
    changed = {index: line + LINES for index, line in enumerate(lines)}
    before = after = ""
    for index, text in edits:
        if index == "start":
            before = text
        elif index == "end":
            after = text
        else:
            changed[index] = text
    return before + "".join(changed.values()) + after


def judge(text):
    """Return the verdict of `evilpegs verify`."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "record.jsonl"
        place.write_bytes(text.encode())
        try:
            started, events = read_record_file(str(place))
        except CommandError:
            return "unreadable"
        document = verify_record(started, events).to_json()
    if not document["holds"]:
        return "does not hold"
    return "holds" if document["finished"] else "not finished"


class Doctor:
    """The kinds of doctored records, made from the events of an honest one, whose hashes are computed again."""

    def __init__(self, events):
        self.events, self.lines = events, [canonical(event) for event in events]
        self.last = len(events) - 1
        self.first = next(index for index, event in enumerate(events) if event["type"] == "feedback")

    def kinds(self):
        """Yield the name of each kind and its edits."""
        yield "untouched", []
        yield from self.of_text()
        yield from self.of_values()
        yield from self.of_order()
        yield from self.of_fields()

    def line(self, index, **fields):
        """Return the edit that sets fields of an event, with the hash of before."""
        return [index, canonical(self.events[index] | fields) + LINES]

    def rehashed(self, changes):
        """Return the edits that set fields of events, by index, and the hash at the end."""
        events = [event | changes.get(index, {}) for index, event in enumerate(self.events)]
        events[-1]["head"] = chain(map(canonical, events))[-2]
        # as text, because 1 equals true
        return [[i, line + LINES] for i, line in enumerate(map(canonical, events)) if line != self.lines[i]]

    def replaced(self, index, old, new):
        assert old in self.lines[index], (index, old)
        return [[index, self.lines[index].replace(old, new, 1) + LINES]]

    def of_text(self):
        """Yield other ways to write the same events, and texts that are none."""
        first, lines = self.lines[self.first], self.lines
        yield "lines of Windows", [[index, line + "\r\n"] for index, line in enumerate(lines)]
        yield "byte order mark", [["start", "\ufeff"]]
        yield "byte order mark in the middle", [[self.first, "\ufeff" + first + LINES]]
        yield "empty lines", [["start", "\n\n"], [self.first, "\n" + first + "\n\n"], ["end", "\n"]]
        yield "spaces", [[self.first, json.dumps(self.events[self.first], indent=None) + " \n"]]
        yield "other order of keys", [[self.first, json.dumps(dict(reversed(self.events[self.first].items()))) + LINES]]
        yield "escaped letters", self.replaced(0, '"type"', '"\\u0074ype"')
        yield "no end of the last line", [[self.last, lines[self.last]]]
        yield "comment", [["start", "# a record\n"]]
        yield "comma at the end", [[self.first, first + ",\n"]]
        yield "list of events", [["start", "["], ["end", "]"]]
        yield "half a line", [[self.last, lines[self.last][: len(lines[self.last]) // 2]]]
        yield "two events in a line", [[self.first, first + lines[self.first + 1] + LINES], [self.first + 1, ""]]
        yield "list instead of an event", [[self.first, "[1]\n"]]
        yield "null instead of an event", [[self.first, "null\n"]]
        yield "empty object", [[self.first, "{}\n"]]
        yield "nothing", [[index, ""] for index in range(len(lines))]
        yield "control character", self.replaced(self.first, '"type"', '"x":"\t","type"')

    def of_values(self):
        """Yield values that programs may read differently."""
        at, black = self.first, f'"black":{self.events[self.first]["black"]}'
        for name, number in {"1.0": ".0", "1e0": "e0", "1E+0": "E+0"}.items():
            yield f"{name} in a field", self.replaced(at, black, black + number)
            yield f"{name} in a field of the first event", self.replaced(0, '"pegs":4', f'"pegs":4{number}')
            yield f"{name} in a field of its own", self.replaced(at, black, f'"news":1{number},{black}')
            yield f"{name} after the hashes", self.replaced(self.last, '"type"', f'"news":[1{number}],"type"')
        yield "leading zero", self.replaced(at, black, black.replace(":", ":0"))
        yield "key twice", self.replaced(at, black, f"{black},{black}")
        yield "key twice with another value", self.replaced(at, black, f'{black},"black":4')
        yield "key twice further in", self.replaced(self.last, '"type"', '"news":{"x":1,"x":1},"type"')
        for name in ("NaN", "Infinity", "-Infinity", "undefined", "True", "'x'", "0x1", "+1", ".5", "1."):
            yield f"{name} after the hashes", self.replaced(self.last, '"type"', f'"news":{name},"type"')
        texts = ('"\\ud800"', '"\\ud83d\\ude00"', '"\\u0000"', '"\\u2028"')
        for name in (2**53 - 1, 2**53, -(2**53), 10**400, "-0", *texts):
            yield f"{name!s:.20} after the hashes", self.replaced(self.last, '"type"', f'"news":{name},"type"')
        yield "half of a pair as a key", self.replaced(self.last, '"type"', '"\\udfff":1,"type"')
        yield "deep", self.replaced(self.last, '"type"', f'"news":{"[" * 40}{"]" * 40},"type"')

    def of_order(self):
        """Yield events that are missing, come twice or in another order."""
        lines, last = self.lines, self.last
        yield "last event cut off", [[last, ""]]
        yield "end cut off", [[index, ""] for index in range(self.first + 1, last + 1)]
        yield "only the first event", [[index, ""] for index in range(1, last + 1)]
        yield "first event missing", [[0, ""]]
        yield "event missing", [[self.first, ""]]
        one, next_one = lines[self.first] + LINES, lines[self.first + 1] + LINES
        yield "event twice", [[self.first, one + one]]
        yield "events swapped", [[self.first, next_one], [self.first + 1, one]]
        yield "record twice", [["end", "".join(line + LINES for line in lines)]]
        yield "another match after it", [["end", lines[0].replace(self.events[0]["match"], "0" * 16) + LINES]]
        over = self.events[last]
        again = over | {"seq": over["seq"] + 1, "head": chain(lines)[-1]}
        yield "event after the end", [["end", canonical(again) + LINES]]
        lie = over | {"elapsed_ms": 0}
        true = over | {"seq": over["seq"] + 1}
        true["head"] = chain([*lines[:-1], canonical(lie), canonical(true)])[-2]
        yield "two ends", [[last, canonical(lie) + LINES + canonical(true) + LINES]]
        turn = {"type": "turn", "match": over["match"], "game": 1, "turn": 1, "left_ms": None}
        yield "message of a client's log", [[self.first, canonical(turn) + LINES + one]]
        yield "answer to a message", [self.line(self.first, re="7")]
        yield "event of an unknown type", [[self.first, canonical(turn | {"type": "news"}) + LINES + one]]

    def of_fields(self):
        """Yield events with other fields, most with a new chain of hashes."""
        at, event = self.first, self.events[self.first]
        yield "player, old hashes", [self.line(0, player="somebody")]
        yield "player", self.rehashed({0: {"player": "somebody"}})
        yield "field of its own", self.rehashed({at: {"news": {"x": [1, "é"]}}})
        yield "field of its own, old hashes", [self.line(at, news=1)]
        yield "feedback", self.rehashed({at: {"black": 4 - event["black"], "white": 0}})
        yield "method", self.rehashed({at: {"method": "exact"}})
        yield "another tie rule", self.rehashed({0: {"tie": "nearest"}})
        yield "no tie rule", self.rehashed({0: {"tie": None}})
        yield "other nonces of ties", self.rehashed({0: {"tie_nonces": 3}})
        yield "codemaker", self.rehashed({0: {"codemaker": "devil"}})
        yield "text for a number", self.rehashed({at: {"black": str(event["black"])}})
        yield "true for 1", self.rehashed({at: {"white": True}})
        yield "null for a number", self.rehashed({at: {"black": None}})
        yield "negative number", self.rehashed({at: {"took_ms": -1}})
        yield "number for true", self.rehashed({0: {"rated": 1}})
        yield "first event without a field", [[0, canonical(self.events[0] | {"games": None}) + LINES]]
        yield "first event of a wrong kind", [self.line(0, player="ann,bob")]
        yield "match in capitals", [self.line(index, match=event["match"].upper()) for index in range(len(self.lines))]
        yield "head in capitals", [self.line(self.last, head=self.events[-1]["head"].upper())]
        yield "head too long", [self.line(self.last, head=self.events[-1]["head"] + "\n")]
        yield "digits of another script", self.rehashed({at: {"code": "١١٢٣"}})
        yield "count from 0", self.rehashed({index: {"seq": index} for index in range(len(self.lines))})
        yield "time", self.rehashed({at: {"took_ms": event["took_ms"] + 5}})
        yield "number of games", self.rehashed({0: {"games": self.events[0]["games"] + 1}})
        yield "limit of guesses", self.rehashed({0: {"guess_limit": 1}})


def doctored_records(records):
    """Return each kind of doctored record, with its verdict."""
    return [
        {"kind": kind, "record": name, "edits": edits, "verdict": judge(edited(doctor.lines, edits))}
        for name, doctor in ((name, Doctor(events)) for name, events in records.items())
        for kind, edits in doctor.kinds()
    ]
