"""The test vectors that the page of the server shares with Python: results of the game package, as JSON files.

Tests of both languages read the files in `tests/vectors`: `tests/page/test_vectors.py` and the modules of
`tests/page/js`. Every run writes the same files. ``make vectors`` writes all of them again,
except for the records that `page_records.py` writes; read the diff before you commit it.
"""

import hashlib
import hmac
import json
from datetime import date, timedelta
from random import Random

from evilpegs_clients.challenge import ChallengeError, masked, own_commitment, parse_challenge
from evilpegs_clients.daily import (
    WEEKDAYS_BEGIN,
    DateError,
    after_reply,
    daily_codemaker,
    daily_position,
    daily_terms,
    is_solved,
    parse_date,
    seeded_evil,
    seeded_secret,
    share_text,
)
from evilpegs_game.codemakers.codemaker import Evil
from evilpegs_game.codes import SYMBOLS, all_codes, code_at, column_code, format_code, parse_code
from evilpegs_game.errors import GameError
from evilpegs_game.feedback import Turn, feedback
from evilpegs_game.live.position import Position
from evilpegs_game.rules import PRESETS, Rules
from evilpegs_protocol.codec import canonical
from evilpegs_protocol.commitment import commitment, secret_index, tie_index
from evilpegs_protocol.record import chain
from tools.doctored import doctored_records
from tools.page_records import RECORDS, VECTORS, forge_all, render

RULES = ("4x6", "1x3", "3x3-distinct", "4x10-distinct", "5x8", "6x10", "10x12", "16x34")
ENUMERATED = ("4x6", "1x3", "3x3-distinct", "3x5-distinct", "4x10-distinct", "5x8")
NONCES = [hashlib.sha256(f"nonce {number}".encode()).hexdigest() for number in range(4)]
MATCH = "0123456789abcdef"


def codes():
    """Return vectors for rules and codes: texts that can be read or not, numbers of codes, and codes by index."""
    rng = Random("codes")
    good_rules = [*RULES, "04x06", *PRESETS]
    bad_rules = [
        "",
        "4",
        "4x",
        "x6",
        "0x6",
        "4x0",
        "17x6",
        "4x35",
        "4x3-distinct",
        "4x6-Distinct",
        " 4x6",
        "4x6\n",
        "٤x٦",
    ]
    texts = [
        "1122",
        "1234",
        "6666",
        "123",
        "12345",
        "1127",
        "112I",
        "1O22",
        "11 2",
        "",
        "ab12",
        "1q22",
        "１１２２",
        "11😀2",
    ]
    distinct = ["1234", "0987", "1123", "123a", "ijkl", "ABCD"]
    return {
        "rules": [[text, str(rules := Rules.parse(text)), str(rules.size)] for text in good_rules],
        "no_rules": [text for text in bad_rules if refused(Rules.parse, text)],
        "codes": [
            [rules, text, read_code(rules, text)]
            for rules, shown in (("4x6", texts), ("4x10-distinct", distinct), ("4x12", ["ab12", "12ik", "120c"]))
            for text in shown
        ],
        "code_at": [
            [rules, str(index), format_code(code_at(index, Rules.parse(rules)))]
            for rules in RULES
            for index in sorted(
                {0, Rules.parse(rules).size - 1, *(rng.randrange(Rules.parse(rules).size) for _ in range(5))}
            )
        ],
        "enumerated": [[rules, digest_of_all_codes(Rules.parse(rules))] for rules in ENUMERATED],
    }


def refused(read, *words):
    """Return True if ``read`` raises GameError for the arguments ``words``; raise AssertionError if it does not."""
    try:
        read(*words)
    except GameError:
        return True
    raise AssertionError(words)


def read_code(rules, text):
    """Return the color indices of a code as a list, or None if the text is not a code of the rules."""
    try:
        return list(parse_code(text, Rules.parse(rules)))
    except GameError:
        return None


def digest_of_all_codes(rules):
    """Return the SHA-256 of all codes in code order, with one byte per peg."""
    return hashlib.sha256(all_codes(rules).T.tobytes()).hexdigest()


def random_code(rng, rules):
    return code_at(rng.randrange(rules.size), rules)


def feedbacks():
    """Return vectors for feedback: random pairs of codes, and pairs that share many colors."""
    rng, rows = Random("feedback"), []
    for name in RULES:
        rules = Rules.parse(name)
        for _ in range(20):
            guess = random_code(rng, rules)
            other = tuple(rng.sample(guess, len(guess))) if rng.random() < 0.4 else random_code(rng, rules)
            rows.append([name, format_code(guess), format_code(other), *feedback(guess, other)])
        rows.append([name, format_code(guess), format_code(guess), *feedback(guess, guess)])
    return {"feedback": rows}


def partitions():
    """Return vectors for the parts of guesses at several positions, and for evil's replies."""
    rng, rows = Random("partitions"), []
    for name in (*ENUMERATED, "5x8", "4x10-distinct"):
        rules = Rules.parse(name)
        for turns in (0, 1, 2, 3):
            secret, position = random_code(rng, rules), Position(rules)
            for guess in [random_code(rng, rules) for _ in range(turns)]:
                position = position.after(guess, feedback(guess, secret))
            guess = random_code(rng, rules) if turns < 3 else position.first_candidate
            history = [[format_code(turn.guess), *turn.feedback] for turn in position.history]
            rows.append(
                {
                    "rules": name,
                    "history": history,
                    "guess": format_code(guess),
                    "parts": parts_of(position, guess),
                    "evil": list(Evil().reply(position, guess)),
                }
            )
    return {"partitions": rows}


def parts_of(position, guess):
    return [[given.black, given.white, count] for given, count in position.parts(guess).items()]


def evil_games():
    """Return whole games against evil, in which none, some or all of the guesses are candidates.

    Others are against evil with a seed, and there are secrets that follow from seeds.
    """
    rng, seeded = Random("evil games"), Random("seeded evil games")
    return {
        "seeded": [
            evil_game(seeded, name, limit, share, seed)
            for name, limit in (("4x6", 10), ("3x3-distinct", 4), ("4x10-distinct", 9), ("5x8", 14))
            for share, seed in ((0.0, "a"), (0.5, "Class-7b"), (1.0, "9f" * 8), (1.0, "z" * 40))
        ],
        "secrets": [
            [seed, name, format_code(seeded_secret(seed, Rules.parse(name)))]
            for seed in ("a", "9f" * 8, "z" * 40)
            for name in ENUMERATED
        ],
        "games": [
            evil_game(rng, name, limit, share)
            for name, limit in (
                ("4x6", 10),
                ("3x3-distinct", 4),
                ("3x5-distinct", 8),
                ("4x10-distinct", 9),
                ("5x8", 14),
                ("1x3", 5),
                ("2x2", 1),
            )
            for share in (0.0, 0.5, 1.0)
        ],
    }


def evil_game(rng, name, limit, share, seed=None):
    """Play a game against evil in which each guess is a random candidate with the probability ``share``.

    Other guesses are random codes.
    """
    rules = Rules.parse(name)
    codemaker = Evil() if seed is None else seeded_evil(seed)
    position, turns = Position(rules), []
    while len(turns) < limit and not (turns and is_over(position)):
        guess = position.sample(rng)[0] if rng.random() < share else random_code(rng, rules)
        before, parts = position.count, parts_of(position, guess)
        position = after_reply(position, guess, codemaker)
        turns.append(
            {"code": format_code(guess), **reply(position), "before": before, "left": position.count, "parts": parts}
        )
    colors = {color for code in position.candidates.T.tolist() for color in code}
    return {
        "rules": name,
        **({} if seed is None else {"seed": seed}),
        "limit": limit,
        "turns": turns,
        "over": "solved" if is_over(position) else "unsolved",
        "secret": format_code(position.first_candidate),
        "candidates": [format_code(column_code(position.candidates, index)) for index in range(min(5, position.count))],
        "excluded": sorted(set(range(rules.colors)) - colors),
    }


def reply(position):
    black, white = position.history[-1].feedback
    return {"black": black, "white": white}


def is_over(position):
    return position.history[-1].feedback.black == position.rules.pegs


REDRAWN = ("2026-11-02", "2026-01-15")
"""Dates whose first number gives a code of a single color, so that this number is skipped."""
DAYS = (
    *(str(WEEKDAYS_BEGIN + timedelta(days=days)) for days in range(-1, 14)),
    *REDRAWN,
    "2026-11-22",
    "2026-11-23",
    "2024-02-29",
    "2000-02-29",
    "1999-12-31",
    "2100-03-01",
    "0001-01-01",
    "9999-12-31",
)
NO_DAYS = (
    "",
    "2026-11-31",
    "2026-02-29",
    "1900-02-29",
    "0000-01-01",
    "2026-13-01",
    "2026-00-10",
    "2026-1-1",
    "20261122",
    "2026-W47-7",
    "today",
    "2026-11-22 ",
    "２０２６-11-22",
)


def daily():
    """Return the games of several dates, each played to its end in two ways, and texts that are not dates."""
    return {
        "weekdays_begin": [str(WEEKDAYS_BEGIN)],
        "games": [daily_game(date.fromisoformat(day)) for day in DAYS],
        "no_dates": [text for text in NO_DAYS if no_date(text)],
    }


def no_date(text):
    try:
        parse_date(text)
    except DateError:
        return True
    raise AssertionError(text)


def daily_game(day):
    start = position = daily_position(day)
    terms = daily_terms(day)
    codemaker = daily_codemaker(terms)
    guesses = []
    while not is_solved(position.history):
        guesses.append(position.first_candidate)
        position = after_reply(position, guesses[-1], codemaker)
    lost, turn = start, start.history[0].guess if start.history else column_code(all_codes(terms.rules), 0)
    while len(lost.history) < terms.limit:
        lost = after_reply(lost, turn, codemaker)
    return {
        "date": str(day),
        "rules": str(terms.rules),
        "codemaker": terms.codemaker,
        "first": format_code(turn),
        "reply": list(start.history[0].feedback) if start.history else None,
        "left": start.count,
        "guesses": [format_code(guess) for guess in guesses],
        "share": share_text(day, position.history),
        "share_letters": share_text(day, position.history, letters=True),
        "share_lost": share_text(day, lost.history),
    }


OWN_CODES = (
    ("4x6", 10, "1234"),
    ("4x10-distinct", 12, "9012"),
    ("5x8", 99, "88888"),
    ("1x34", 1, "Z"),
    ("16x2", 20, "1212121212121212"),
)
BROKEN = (
    ("4x6?", "4x7?"),
    ("4x6?", "4x6-distinct?"),
    ("4x6?", "04x06-?"),
    ("limit=10", "limit=11"),
    ("limit=10", "limit=0"),
    ("limit=10", "limit=010"),
    ("limit=10", "limit=１０"),
    ("limit=10", "max=10"),
    ("set=", "set=0"),
    ("set=", "set=00"),
    ("set=", "sets="),
    ("commitment=", "commitment=0"),
    ("&commitment", "&limit=11&commitmen"),
    ("v=1", "v=2"),
    ("v=1", "v="),
)
"""What is replaced in a link by what, after which it is refused."""
NO_CODES = (("4x6", "1237"), ("4x6", "123?"), ("4x6-distinct", "1123"))


def challenges():
    """Return links with a code that somebody chose, texts of results, and links that are refused."""
    rng = Random("challenges")
    links = [own_link(name, limit, code, nonce[:16]) for nonce in NONCES[:2] for name, limit, code in OWN_CODES]
    broken = [links[0].replace(*change) for change in BROKEN]
    broken += [own_link(name, 10, code, NONCES[0][:16]) for name, code in NO_CODES]
    return {
        "links": [[link, *own_parts(link)] for link in links],
        "results": [own_result(link, rng, is_solved) for link in links for is_solved in (True, False)],
        "broken": [link for link in broken if refused_link(link)],
    }


def own_link(name, limit, code, nonce):
    rules = Rules.parse(name)
    hidden = masked(bytes(SYMBOLS.find(symbol) & 255 for symbol in code), nonce).hex()
    return (
        f"#/secret/{name}?limit={limit}&set={nonce}{hidden}&commitment={own_commitment(rules, limit, code, nonce)}&v=1"
    )


def own_parts(link):
    rules, _, limit, _, secret = (challenge := parse_challenge(link)).terms
    return [str(rules), limit, format_code(secret), challenge.commitment]


def own_result(link, rng, solves):
    """Return the guesses of a game that is solved or given up, and its text with symbols and with letters."""
    challenge = parse_challenge(link)
    terms = challenge.terms
    guesses = [random_code(rng, terms.rules) for _ in range(min(terms.limit - 1, 3))]
    guesses = [guess for guess in guesses if guess != terms.secret] + [terms.secret] * solves
    history = tuple(Turn(guess, feedback(guess, terms.secret)) for guess in guesses)
    texts = [challenge.result(history, letters) for letters in (False, True)]
    return [link, [format_code(guess) for guess in guesses], *texts]


def refused_link(link):
    try:
        parse_challenge(link)
    except (ChallengeError, GameError):
        return True
    raise AssertionError(link)


RFC_4231 = (
    ("0b" * 20, b"Hi There"),
    (b"Jefe".hex(), b"what do ya want for nothing?"),
    ("aa" * 20, b"\xdd" * 50),
    (bytes(range(1, 26)).hex(), b"\xcd" * 50),
    ("0c" * 20, b"Test With Truncation"),
    ("aa" * 131, b"Test Using Larger Than Block-Size Key - Hash Key First"),
    (
        "aa" * 131,
        b"This is a test using a larger than block-size key and a larger than block-size data. "
        b"The key needs to be hashed before being used by the HMAC algorithm.",
    ),
)
TEXTS = (
    "",
    "abc",
    "a" * 55,
    "a" * 56,
    "a" * 63,
    "a" * 64,
    "a" * 65,
    "b" * 119,
    "b" * 120,
    "c" * 1000,
    "Grüße, 世界 🦆",
    "\x00\x7f\u2028",
)
LONG_KEYS = [("ab" * size, text.encode()) for size in (0, 63, 64, 65, 200) for text in TEXTS[-2:]]
VALUES = (
    None, True, False, 0, -1, 2**53 - 1, -(2**53) + 1, "",
    'quote " backslash \\ slash /', "\b\t\n\f\r\x00\x1f\x7f", "é\u2028\u2029😀\uffff",
    [], {}, [[], {}],
    {"b": 1, "a": [1, {"d": None, "c": "x"}]},
    {"\U00010000": 1, "\uffff": 2, "z": 3, "": 4, "a\x00": 5, "a": 6},
    {"__proto__": 1, "constructor": 2, "10": 3, "9": 4}, ["evilpegs-v1", MATCH, 1, "4x6", NONCES[0]],
)  # fmt: skip
NO_VALUES = ("0.5", "1e400", "9007199254740992", '"\\ud800"', '{"\\udfff":1}', "[[1.25]]")
"""JSON texts that have no canonical form on the page; Python knows larger numbers, but no record has them."""


def hashes():
    """Return vectors for digests, canonical JSON, and the values that are derived from nonces."""
    return {
        "sha256": [[text, hashlib.sha256(text.encode()).hexdigest()] for text in TEXTS],
        "hmac": [
            [key, message.hex(), hmac.new(bytes.fromhex(key), message, "sha256").hexdigest()]
            for key, message in (*RFC_4231, *LONG_KEYS)
        ],
        "canonical": [[json.dumps(value), canonical(value)] for value in VALUES],
        "no_canonical": list(NO_VALUES),
        "chain": [["{}", '{"a":1}', '"é"'], chain(["{}", '{"a":1}', '"é"'])],
        "commitments": [
            [match, game, rules, nonce, commitment(match, game, rules, nonce)]
            for nonce in NONCES
            for match, game, rules in ((MATCH, 1, "4x6"), ("f" * 16, 30, "4x10-distinct"))
        ],
        "secrets": [
            [rules, nonce, client, game, drawn_secret(Rules.parse(rules), nonce, client, game)]
            for rules in RULES
            for nonce, client, game in ((NONCES[0], None, 1), (NONCES[1], "my-own-luck", 2), (NONCES[2], "_-" * 32, 10))
        ],
        "ties": [
            [nonce, game, turn, tied, share, tie_index(nonce, MATCH, game, turn, tied, share)]
            for nonce in ("0" * 64, *NONCES)
            for share in (None, "", "my-own-luck")
            for game, turn, tied in ((1, 1, 10**9), (1, 2, 2), (3, 7, 3))
        ],
    }  # fmt: skip


def forgeries():
    """Return forgeries of the records in `records.json`."""
    return {"forged": forge_all(json.loads(RECORDS.read_text())["honest"])}


def doctored():
    """Return records as somebody could write them, with the verdict that both programs give."""
    honest = {row["name"]: row["events"] for row in json.loads(RECORDS.read_text())["honest"]}
    return {"doctored": doctored_records({"evil": honest["evil"]})}


def drawn_secret(rules, nonce, client_nonce, game):
    return format_code(code_at(secret_index(nonce, client_nonce, MATCH, game, rules.size), rules))


FILES = {
    "codes": codes,
    "feedback": feedbacks,
    "partitions": partitions,
    "evil_games": evil_games,
    "daily": daily,
    "challenges": challenges,
    "hashes": hashes,
    "forgeries": forgeries,
    "doctored": doctored,
}
"""The function that makes the content of each file."""


if __name__ == "__main__":
    for name, make in FILES.items():
        (VECTORS / f"{name}.json").write_text(render(make()))
