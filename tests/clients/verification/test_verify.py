import copy
import json
import re

import pytest

from evilpegs_clients.verification.game import VerificationCache
from evilpegs_clients.verification.verify import verify_game, verify_match
from evilpegs_clients.verification.violation import NotChecked, Subject
from evilpegs_game.live.live_sets import LiveSets
from support.devil_matches import devil

CLOCK = {"base_ms": 60_000, "increment_ms": 1000}
NONCES = {1: "first", 2: "second", 3: "third"}

KINDS = {
    "fixed": {"codemaker": "fixed"},
    "fixed on the clock": {"codemaker": "fixed", "clock": CLOCK},
    "fixed distinct": {"codemaker": "fixed", "rules": "3x5-distinct"},
    "evil": {"codemaker": "evil", "tie": "largest"},
    "evil seeded": {"codemaker": "evil", "tie": "largest/seeded", "clock": CLOCK},
    "evil of both nonces": {"codemaker": "evil", "tie": "largest/seeded", "tie_nonces": 2},
    "practice": {"codemaker": "fixed", "practice": True},
    "devil": {"codemaker": "devil", "tie": "largest", "rules": "3x3", "exact_up_to": 27},
    "devil, sometimes": {"codemaker": "devil", "tie": "largest/seeded", "clock": CLOCK, "exact_up_to": 8},
    "evil practice": {"codemaker": "evil", "tie": "largest", "practice": True},
}


def played(honest_match, **kind):
    """Play four games: solved, unsolved, resigned after a guess, and one that was never opened."""
    maker = devil(honest_match) if kind.get("codemaker") == "devil" else honest_match
    match = maker(games=4, guess_limit=6, **kind)
    match.ready(NONCES[1])
    while match.game == 1:
        match.guess("".join("12345"[color] for color in match.live[-1]))
    match.ready(NONCES[2])
    while match.game == 2:
        match.guess("123")
    match.ready(NONCES[3])
    match.guess("132")
    match.give_up()
    return match


@pytest.fixture(params=KINDS)
def record(request, honest_match):
    return played(honest_match, **KINDS[request.param]).events


@pytest.fixture
def evil(honest_match):
    return played(honest_match, **KINDS["evil seeded"]).events


@pytest.fixture
def fixed(honest_match):
    return played(honest_match, **KINDS["fixed"]).events


def test_true_record_has_no_findings(record):
    assert verify_match(record, NONCES) == []
    assert verify_match(record) == []
    for game in (1, 2, 3):
        assert verify_game(record, game, NONCES[game]) == []
    outcomes = [event["outcome"] for event in record if event["type"] == "game_over"]
    assert outcomes == ["solved", "unsolved", "resigned", "resigned"]


def test_verify_game_of_open_match(record):
    end = next(place for place, event in enumerate(record, 1) if event["type"] == "game_over")
    assert verify_game(record[:end], 1, NONCES[1]) == []
    assert facts(verify_game(record[:end], 2)) == [(2, 0, Subject.RECORD)]


def test_record_survives_json_lines(record):
    lines = [json.dumps(event) for event in record]
    assert verify_match([json.loads(line) for line in lines]) == []


def test_unknown_fields_count_in_hashes(honest_match):
    match = honest_match()
    match.events[0]["news"] = {"x": [1]}
    match.ready()
    while match.state != "over":
        match.guess("".join("1234"[color] for color in match.live[0]))
    assert verify_match(match.events) == []
    del match.events[0]["news"]
    assert facts(verify_match(match.events)) == [(0, 0, Subject.HEAD)]


@pytest.mark.parametrize("value", [1.0, [0.5], {"x": 2**53}, -(2**53), {"\ud800": 1}, ["\udfff"]])
def test_values_that_programs_write_differently_are_found(honest_match, value):
    """Such as 1.0, which a browser writes as 1, so that it would compute other hashes."""
    match = honest_match()
    match.events[0]["news"] = {"x": [2**53 - 1, "é"]}
    match.ready()
    while match.state != "over":
        match.guess("".join("1234"[color] for color in match.live[0]))
    assert verify_match(match.events) == []
    match.events[0]["news"] = value
    assert facts(verify_match(match.events)) == [(0, 0, Subject.RECORD)]


OTHERS = {
    "match": "f" * 16,
    "rules": "3x6",
    "codemaker": "evil",
    "tie": "largest/seeded",
    "outcome": "flagged",
    "secret": "321",
    "code": "213",
    "clock": {"base_ms": 1000, "increment_ms": 1000},
    "client": {"name": "other", "version": "1"},
    "outcomes": ["solved"] * 4,
    "guesses": 5,
    "parts": [[0, 0, 64]],
}


def other_value(event, field):
    value = event[field]
    if field in OTHERS and OTHERS[field] != value:
        return [1, 2, 3, 4] if isinstance(value, list) and field == "guesses" else OTHERS[field]
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return "0" * len(value) if value.strip("0") else "1" * len(value)
    return {"tie": "largest", "left_ms": 5, "clock": CLOCK, "secret": "111", "nonce": "0" * 64}.get(field, "112")


def test_changed_field_is_found(record):
    for place, event in enumerate(record):
        for field in event:
            if (event["type"], field) == ("match_over", "at"):
                continue  # nothing that comes later could vouch for it
            tampered = copy.deepcopy(record)
            tampered[place][field] = other_value(event, field)
            assert tampered[place][field] != event[field]
            assert verify_match(tampered, NONCES), (event["type"], field)


def test_missing_field_or_event_is_found(record):
    for place, event in enumerate(record):
        assert verify_match(record[:place] + record[place + 1 :], NONCES), event["type"]
        for field in event:
            tampered = copy.deepcopy(record)
            del tampered[place][field]
            assert verify_match(tampered, NONCES), (event["type"], field)


WITHOUT_RECORD = {
    *("seq", "at", "type", "game", "match", "player", "client", "ladder", "games", "rated", "guess_limit"),
    *("ready_by_ms", "exact_up_to"),
}
"""The fields that a game alone cannot prove: its place in the record, its player, and the length of its match."""


def test_changed_field_is_found_in_game_alone(record):
    end = next(place for place, event in enumerate(record, 1) if event["type"] == "game_over")
    for place, event in enumerate(record[:end]):
        for field in event.keys() - WITHOUT_RECORD:
            if field == "code" and record[0]["codemaker"] == "fixed":
                continue  # another guess may have got the same feedback; who guessed knows better
            tampered = copy.deepcopy(record[:end])
            tampered[place][field] = other_value(event, field)
            assert verify_game(tampered, 1, NONCES[1]), (event["type"], field)


@pytest.mark.parametrize(
    ("kind", "game", "fields", "place", "named"),
    [
        ("feedback", 1, {"code": "19"}, (1, 0, Subject.TURN), ["'19'"]),
        ("feedback", 1, {"black": 3, "white": 1}, (1, 0, Subject.TURN), ["3,1"]),
        ("feedback", 1, {"turn": 7}, (1, 1, Subject.TURN), ["7"]),
        ("match_started", 1, {"rules": "3 by 4"}, (0, 0, Subject.RULES), ["'3 by 4'"]),
        ("game_over", 2, {"guesses": 5}, (2, 0, Subject.GUESSES), ["5", "6"]),
        ("game_over", 2, {"outcome": "solved"}, (2, 0, Subject.OUTCOME), ["solved"]),
        ("game_over", 1, {"outcome": "unsolved"}, (1, 0, Subject.OUTCOME), ["unsolved"]),
        ("game_over", 2, {"outcome": "resigned"}, (2, 0, Subject.OUTCOME), ["resigned", "6"]),
        ("game_over", 1, {"outcome": "resigned"}, (1, 0, Subject.OUTCOME), ["resigned"]),
        ("game_over", 2, {"nonce": None}, (2, 0, Subject.NONCE), ["evil"]),
        ("game_over", 2, {"secret": "19"}, (2, 0, Subject.WITNESS), ["'19'"]),
    ],
)
def test_finding_names_wrong_value(evil, kind, game, fields, place, named):
    violations = verify_game(change(evil, kind, game, **fields), game)
    assert any(facts([found]) == [place] and all(text in found.what for text in named) for found in violations)


def facts(violations):
    return [(violation.game, violation.turn, violation.subject) for violation in violations]


def change(record, kind, game, **fields):
    changed = copy.deepcopy(record)
    for event in changed:
        if event["type"] == kind and event.get("game", game) == game and event.get("turn", 1) == 1:
            event.update(fields)
            break
    return changed


def test_findings_name_turn_and_values(fixed):
    given = next(event for event in fixed if event["type"] == "feedback")
    right = f"{given['black']},{given['white']}"
    lied = change(fixed, "feedback", 1, black=0, white=0)
    [violation] = verify_game(lied, 1)
    assert facts([violation]) == [(1, 1, Subject.REPLY)]
    assert all(text in violation.what for text in (given["code"], "0,0", right))
    assert facts(verify_game(change(fixed, "game_over", 1, nonce="0" * 64), 1))[0] == (1, 0, Subject.COMMITMENT)
    assert facts(verify_game(change(fixed, "game_over", 1, nonce=None), 1)) == [(1, 0, Subject.NONCE)]


def test_unused_client_nonce_is_found(fixed):
    assert facts(verify_game(fixed, 1, "another")) == [(1, 0, Subject.CLIENT_NONCE)]
    left_out = copy.deepcopy(fixed)
    for event in left_out:
        event.pop("client_nonce", None)
    assert (1, 0, Subject.CLIENT_NONCE) in facts(verify_game(left_out, 1, NONCES[1]))


def test_merciful_evil_is_found(honest_match):
    class MercifulMatch(honest_match):
        def _evil(self, counts):
            return min(counts)

    match = MercifulMatch(codemaker="evil", tie="largest")
    match.ready()
    match.guess("112")
    match.guess("134")
    match.end("resigned")
    [violation] = verify_match(match.events)
    assert facts([violation]) == [(1, 1, Subject.REPLY)]
    assert all(text in violation.what for text in ("112", "0,0", "1,0"))


def test_wrong_devil_method_is_found(honest_match):
    events = played(honest_match, **KINDS["devil, sometimes"]).events
    methods = [event["method"] for event in events if event["type"] == "feedback" and event["game"] == 1]
    assert set(methods) == {"exact", "greedy"}
    for turn, method in enumerate(methods, 1):
        other = "exact" if method == "greedy" else "greedy"
        for wrong in (other, None):
            lied = copy.deepcopy(events)
            next(e for e in lied if (e.get("game"), e.get("turn")) == (1, turn))["method"] = wrong
            [violation] = verify_game(lied, 1)
            assert facts([violation]) == [(1, turn, Subject.METHOD)]
            assert method in violation.what
            assert (other in violation.what) == (wrong is not None)


def test_greedy_devil_is_found(honest_match):
    """On 3x5 the largest part is not always the one that needs the most guesses."""
    verdicts = set()
    for code in ("111", "112", "123"):
        match = honest_match(codemaker="evil", tie="largest", rules="3x5")
        match.ready()
        match.guess(code)
        match.end("resigned")
        match.events[0] |= {"codemaker": "devil", "exact_up_to": 125}
        match.events[2]["method"] = "exact"
        verdicts |= {violation.subject for violation in verify_game(match.events, 1)} or {"holds"}
    assert verdicts == {"holds", Subject.REPLY}


def test_wrong_exact_bound_is_found(honest_match):
    events = played(honest_match, **KINDS["devil"]).events
    events[0]["exact_up_to"] = 10**9
    assert verify_game(events, 1) == []  # all codes are few
    large = honest_match(codemaker="devil", tie="largest", rules="2x5")
    large.ready()
    large.end("resigned")
    large.events[0] |= {"exact_up_to": None}
    [violation] = verify_game(large.events, 1)
    assert violation.subject is Subject.CODEMAKER
    assert "devil" in violation.what
    evil = honest_match(codemaker="evil", tie="largest")
    evil.events[0]["exact_up_to"] = 5
    evil.end("forfeit")
    [violation] = verify_game(evil.events, 1)
    assert violation.subject is Subject.CODEMAKER
    assert "evil" in violation.what
    assert "5" in violation.what


@pytest.fixture
def devil_practice(honest_match):
    """A game on a practice ladder; with a budget of 1, only the reply of its first turn is too much work."""
    return played(honest_match, **KINDS["devil"], practice=True).events


def not_checked(violations):
    return facts(violation for violation in violations if isinstance(violation, NotChecked))


def test_only_devil_reply_over_budget_is_not_checked(devil_practice):
    assert verify_game(devil_practice, 1) == []
    [violation] = verify_game(devil_practice, 1, devil_budget=1)
    assert not_checked([violation]) == [(1, 1, Subject.REPLY)]
    assert " 1 " in violation.what


def test_replies_and_numbers_after_one_over_budget_are_checked(devil_practice):
    lied = copy.deepcopy(devil_practice)
    last = [event for event in lied if event["type"] == "feedback" and event["game"] == 1][-1]
    last |= {"black": 0, "white": 0, "candidates": 99}
    violations = verify_game(lied, 1, devil_budget=1)
    assert not_checked(violations) == [(1, 1, Subject.REPLY)]
    assert {(1, last["turn"], Subject.REPLY), (1, last["turn"], Subject.HELP)} <= set(facts(violations))


def test_impossible_reply_over_budget_is_found(devil_practice):
    """The reply takes too much work to recompute, but no candidate would get it."""
    lied = change(change(devil_practice, "feedback", 1, black=2, white=1), "game_over", 1, secret=None, outcome="void")
    violations = verify_game(lied, 1, devil_budget=1)
    assert not_checked(violations) == [(1, 2, Subject.HELP)]
    assert (1, 1, Subject.REPLY) in facts(violations)


def test_wrong_tie_rule_is_found(honest_match):
    records = [
        played(honest_match, codemaker="evil", tie="largest", match=f"{number:016x}").events for number in range(4)
    ]
    for record in records:
        record[0]["tie"] = "largest/seeded"
    assert any(verify_game(record, 1) or verify_game(record, 2) for record in records)


def tied_match(honest_match, nonce, tie_nonces, game=1):
    """Play one guess whose two largest parts have four codes each, against a seeded evil."""
    match = honest_match(codemaker="evil", tie="largest/seeded", rules="2x3", tie_nonces=tie_nonces, games=2)
    match.ready(nonce)
    match.guess("11")
    match.end("resigned")
    return match.events


@pytest.mark.parametrize("nonce", [None, "mine"])
@pytest.mark.parametrize("tie_nonces", [None, 2])
def test_client_nonce_decides_ties_of_new_matches_only(honest_match, nonce, tie_nonces):
    """In a match without `tie_nonces`, which is the control, another client nonce changes no reply."""
    events = tied_match(honest_match, nonce, tie_nonces)
    assert verify_game(events, 1) == []
    others = [change(events, "game_over", 1, client_nonce=f"other-{number}") for number in range(20)]
    wrong = [facts(violations) for other in others if (violations := verify_game(other, 1))]
    assert bool(wrong) == (tie_nonces is not None)
    assert all(found == [(1, 1, Subject.REPLY)] for found in wrong)
    assert len(wrong) < len(others)


@pytest.mark.parametrize(("tie", "tie_nonces"), [("largest", 2), (None, 2), ("largest/seeded", 3)])
def test_unknown_tie_nonces_are_found(honest_match, tie, tie_nonces):
    match = played(honest_match, codemaker="evil" if tie else "fixed", tie=tie, tie_nonces=tie_nonces)
    assert (0, 0, Subject.CODEMAKER) in facts(verify_match(match.events))


def test_wrong_witness_is_found(evil):
    wrong = next(code for code in ("111", "222", "333", "444") if code != evil[-3]["secret"])
    violations = verify_game(change(evil, "game_over", 2, secret=wrong), 2)
    assert {violation.subject for violation in violations} == {Subject.WITNESS}
    assert all(wrong in violation.what and violation.turn for violation in violations)
    for none in (None, "19"):
        [violation] = verify_game(change(evil, "game_over", 2, secret=none), 2)
        assert facts([violation]) == [(2, 0, Subject.WITNESS)]
        assert not isinstance(violation, NotChecked)


def test_moved_secret_is_found(honest_match):
    """A codemaker answers truthfully, but about another secret than the committed one."""
    match = honest_match()
    match.ready("n")
    match.secret = next(code for code in match.codes if code != match.secret)
    while match.state != "over":
        match.guess("".join("1234"[color] for color in match.live[0]))
    assert (1, 0, Subject.DRAW) in facts(verify_match(match.events))


def test_void_game_needs_no_witness(honest_match):
    match = honest_match(codemaker="evil", tie="largest")
    match.ready()
    match.guess("112")
    match.end("void")
    match.events[-2]["secret"] = None
    assert verify_game(match.events, 1) == []


def test_forfeited_game_needs_no_nonce(honest_match):
    match = honest_match(games=2)
    match.end("forfeit")
    match.ready("n")
    match.end("resigned")
    assert verify_match(match.events, {1: "never taken", 2: "n"}) == []


def test_answer_after_flag_is_found(honest_match):
    match = honest_match(clock={"base_ms": 100, "increment_ms": 0})
    match.ready()
    match.guess("112", took_ms=101)
    match.end("flagged")
    assert facts(verify_game(match.events, 1)) == [(1, 1, Subject.FLAG)]


@pytest.fixture
def flagged(honest_match):
    """One game that was lost on time: a guess in 40 ms, then 61 seconds without another."""
    match = honest_match(clock=CLOCK)
    match.ready()
    match.guess("112")
    match.end("flagged")
    return match.events


@pytest.mark.parametrize(
    ("elapsed_ms", "last_ms"),
    [(61_001, None), (90_000, None), (61_000, 60960), (40, 0)],
)
def test_early_flag_is_found(flagged, elapsed_ms, last_ms):
    assert verify_match(flagged) == []
    violations = verify_game(change(flagged, "game_over", 1, elapsed_ms=elapsed_ms), 1)
    assert facts(violations) == ([] if last_ms is None else [(1, 0, Subject.FLAG)])
    assert all(re.findall(r"\d+", violation.what) == [str(last_ms), "60960"] for violation in violations)


@pytest.mark.parametrize("elapsed_ms", [40, 10**7])
def test_flag_without_clock_is_found(honest_match, elapsed_ms):
    match = honest_match()
    match.ready()
    match.guess("112")
    match.end("resigned")
    lied = change(match.events, "game_over", 1, outcome="flagged", elapsed_ms=elapsed_ms)
    assert facts(verify_game(lied, 1)) == [(1, 0, Subject.FLAG)]


def test_turn_after_end_is_found(fixed):
    last = next(event for event in fixed if event["type"] == "feedback" and event["black"] == 3)
    solved = change(fixed, "feedback", 2, code=last["code"], black=3, white=0)
    assert (2, 1, Subject.GUESSES) in facts(verify_game(solved, 2))


def test_reply_over_memory_is_not_checked(honest_match):
    match = honest_match(codemaker="evil", tie="largest", practice=True)
    match.ready()
    match.guess("112")
    match.guess("134")
    match.end("resigned")
    violations = verify_match(match.events, cache=VerificationCache(LiveSets(1 << 10)))
    assert not_checked(violations) == facts(violations) == [(1, 1, Subject.REPLY), (1, 1, Subject.HELP)]
    assert all("3x4" in violation.what for violation in violations)


@pytest.mark.parametrize(
    "events", [[], [{}], [{"type": "pong", "c": 1}], [{"type": "match_started", "at": float("nan")}], [{"a": {1}}]]
)
def test_malformed_record_is_found(events):
    assert verify_match(events)
    assert verify_game(events, 1)
