import copy
import json

import pytest

from evilpegs_clients.finding import Finding
from evilpegs_clients.game_checks import worst_case
from evilpegs_clients.verify import verify_game, verify_match
from support.devil_matches import devil

CLOCK = {"base_ms": 60_000, "increment_ms": 1000}
NONCES = {1: "first", 2: "second", 3: "third"}

KINDS = {
    "fixed": {"codemaker": "fixed"},
    "fixed on the clock": {"codemaker": "fixed", "clock": CLOCK},
    "fixed distinct": {"codemaker": "fixed", "rules": "3x5-distinct"},
    "evil": {"codemaker": "evil", "tie": "largest"},
    "evil seeded": {"codemaker": "evil", "tie": "largest/seeded", "clock": CLOCK},
    "practice": {"codemaker": "fixed", "practice": True},
    "devil": {"codemaker": "devil", "tie": "largest", "rules": "3x3", "exact_up_to": 27},
    "devil, sometimes": {"codemaker": "devil", "tie": "largest/seeded", "clock": CLOCK, "exact_up_to": 8},
    "evil practice": {"codemaker": "evil", "tie": "largest", "practice": True},
}


def played(honest_match, **kind):
    """Four games: solved, unsolved, given up after a guess together with one that was never opened."""
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


def test_a_true_record_has_no_findings(record):
    assert verify_match(record, NONCES) == []
    assert verify_match(record) == []
    for game in (1, 2, 3):
        assert verify_game(record, game, NONCES[game]) == []
    outcomes = [event["outcome"] for event in record if event["type"] == "game_over"]
    assert outcomes == ["solved", "unsolved", "resigned", "resigned"]


def test_a_game_is_checked_while_its_match_goes_on(record):
    end = next(place for place, event in enumerate(record, 1) if event["type"] == "game_over")
    assert verify_game(record[:end], 1, NONCES[1]) == []
    assert verify_game(record[:end], 2) == [Finding("the game is not in the record, or not over", 2)]


def test_a_record_read_from_lines_is_the_same(record):
    lines = [json.dumps(event) for event in record]
    assert verify_match([json.loads(line) for line in lines]) == []


def test_fields_that_are_not_known_yet_count_in_the_hashes(honest_match):
    match = honest_match()
    match.events[0]["news"] = {"x": [1]}
    match.ready()
    while match.state != "over":
        match.guess("".join("1234"[color] for color in match.live[0]))
    assert verify_match(match.events) == []
    del match.events[0]["news"]
    assert "the record was changed" in str(verify_match(match.events)[0])


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


def test_every_changed_field_is_found(record):
    for place, event in enumerate(record):
        for field in event:
            if (event["type"], field) == ("match_over", "at"):
                continue  # nothing that comes later could vouch for it
            tampered = copy.deepcopy(record)
            tampered[place][field] = other_value(event, field)
            assert tampered[place][field] != event[field]
            assert verify_match(tampered, NONCES), (event["type"], field)


def test_every_left_out_field_and_event_is_found(record):
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
"""What a game alone does not show to be true: its place in the record, and who plays what for how long."""


def test_one_game_alone_shows_what_was_changed_in_it(record):
    end = next(place for place, event in enumerate(record, 1) if event["type"] == "game_over")
    for place, event in enumerate(record[:end]):
        for field in event.keys() - WITHOUT_RECORD:
            if field == "code" and record[0]["codemaker"] == "fixed":
                continue  # another guess may have got the same feedback; who guessed knows better
            tampered = copy.deepcopy(record[:end])
            tampered[place][field] = other_value(event, field)
            assert verify_game(tampered, 1, NONCES[1]), (event["type"], field)


@pytest.mark.parametrize(
    ("kind", "game", "fields", "said"),
    [
        ("feedback", 1, {"code": "19"}, "19' has 2 pegs"),
        ("feedback", 1, {"black": 3, "white": 1}, "feedback 3,1 is impossible"),
        ("feedback", 1, {"turn": 7}, "game 1, turn 1: it is called turn 7"),
        ("match_started", 1, {"rules": "3 by 4"}, "not rules"),
        ("game_over", 2, {"guesses": 5}, "5 guesses are counted, 6 were answered"),
        ("game_over", 2, {"outcome": "solved"}, "the outcome is solved, but the secret was not found"),
        ("game_over", 1, {"outcome": "unsolved"}, "the outcome is unsolved, but the secret was found"),
        ("game_over", 2, {"nonce": None}, "without the nonce evil's replies cannot be checked"),
        ("game_over", 2, {"secret": "19"}, "cannot be recomputed"),
    ],
)
def test_what_is_wrong_in_a_game_is_named(evil, kind, game, fields, said):
    assert said in " ".join(told(verify_game(change(evil, kind, game, **fields), game)))


def told(findings):
    return [str(finding) for finding in findings]


def change(record, kind, game, **fields):
    changed = copy.deepcopy(record)
    for event in changed:
        if event["type"] == kind and event.get("game", game) == game and event.get("turn", 1) == 1:
            event.update(fields)
            break
    return changed


def test_findings_say_what_and_where(fixed):
    given = next(event for event in fixed if event["type"] == "feedback")
    right = f"{given['black']},{given['white']}"
    lied = change(fixed, "feedback", 1, black=0, white=0)
    assert told(verify_game(lied, 1)) == [f"game 1, turn 1: {given['code']} got 0,0, it should have got {right}"]
    assert told(verify_game(change(fixed, "game_over", 1, nonce="0" * 64), 1))[0] == (
        "game 1: the commitment does not fit the nonce"
    )
    assert "the nonce is not opened" in told(verify_game(change(fixed, "game_over", 1, nonce=None), 1))[0]


def test_a_client_nonce_that_was_not_used_is_found(fixed):
    assert told(verify_game(fixed, 1, "another")) == ["game 1: the client nonce is not the one that was sent"]
    left_out = copy.deepcopy(fixed)
    for event in left_out:
        event.pop("client_nonce", None)
    assert "game 1: the client nonce is not the one that was sent" in told(verify_game(left_out, 1, NONCES[1]))


def test_a_merciful_evil_is_found(honest_match):
    match = honest_match(codemaker="evil", tie="largest")
    match._evil = min
    match.ready()
    match.guess("112")
    match.guess("134")
    match.end("resigned")
    [finding] = verify_match(match.events)
    assert (finding.game, finding.turn) == (1, 1)
    assert "112 got 0,0, it should have got 1,0" in str(finding)


def test_how_a_devil_found_a_reply_must_be_said_and_true(honest_match):
    events = played(honest_match, **KINDS["devil, sometimes"]).events
    methods = [event["method"] for event in events if event["type"] == "feedback" and event["game"] == 1]
    assert set(methods) == {"exact", "greedy"}
    for turn, method in enumerate(methods, 1):
        other = "exact" if method == "greedy" else "greedy"
        for told_method, called in ((other, other), (None, "nothing")):
            lied = copy.deepcopy(events)
            next(e for e in lied if (e.get("game"), e.get("turn")) == (1, turn))["method"] = told_method
            said = [f"game 1, turn {turn}: the reply is called {called}, it should be {method}"]
            assert told(verify_game(lied, 1)) == said


def test_a_greedy_devil_is_found(honest_match):
    """On 3x5 the largest part is not always the one that needs most guesses."""
    verdicts = set()
    for code in ("111", "112", "123"):
        match = honest_match(codemaker="evil", tie="largest", rules="3x5")
        match.ready()
        match.guess(code)
        match.end("resigned")
        match.events[0] |= {"codemaker": "devil", "exact_up_to": 125}
        match.events[2]["method"] = "exact"
        verdicts |= {line.partition(": ")[2][:7] for line in told(verify_game(match.events, 1))} or {"holds"}
    assert "holds" in verdicts
    assert {verdict[4:] for verdict in verdicts - {"holds"}} == {"got"}


def test_a_devil_that_cannot_be_recomputed_is_not_called_good(honest_match):
    events = played(honest_match, **KINDS["devil"]).events
    events[0]["exact_up_to"] = 10**9
    assert told(verify_game(events, 1)) == []  # all codes are few
    large = honest_match(codemaker="devil", tie="largest", rules="2x5")
    large.ready()
    large.end("resigned")
    large.events[0] |= {"exact_up_to": None}
    assert "the codemaker devil is exact up to None codes" in told(verify_game(large.events, 1))[0]
    evil = honest_match(codemaker="evil", tie="largest")
    evil.events[0]["exact_up_to"] = 5
    evil.end("forfeit")
    assert "the codemaker evil is exact up to 5 codes" in told(verify_game(evil.events, 1))[0]


def test_work_over_the_budget_is_not_called_good(honest_match, monkeypatch):
    monkeypatch.setattr("evilpegs_clients.game_checks.DEVIL_BUDGET", 1)
    worst_case.cache_clear()
    [finding] = verify_game(played(honest_match, **KINDS["devil"]).events, 1)
    assert "cannot be recomputed: an exact reply takes more than the budget of 1 " in str(finding)


def test_a_fixed_tie_rule_is_not_a_seeded_one(honest_match):
    records = [
        played(honest_match, codemaker="evil", tie="largest", match=f"{number:016x}").events for number in range(4)
    ]
    for record in records:
        record[0]["tie"] = "largest/seeded"
    assert any(verify_game(record, 1) or verify_game(record, 2) for record in records)


def test_a_witness_must_fit(evil):
    wrong = next(code for code in ("111", "222", "333", "444") if code != evil[-3]["secret"])
    findings = verify_game(change(evil, "game_over", 2, secret=wrong), 2)
    assert all(f"the witness {wrong} would have got" in str(finding) for finding in findings)
    assert findings
    assert "there is no witness" in told(verify_game(change(evil, "game_over", 2, secret=None), 2))[0]


def test_a_secret_that_moved_is_found(honest_match):
    """A codemaker who answers truthfully, but about another secret than the committed one."""
    match = honest_match()
    match.ready("n")
    match.secret = next(code for code in match.codes if code != match.secret)
    while match.state != "over":
        match.guess("".join("1234"[color] for color in match.live[0]))
    assert any("the secret is" in line for line in told(verify_match(match.events)))


def test_a_void_game_needs_no_witness(honest_match):
    match = honest_match(codemaker="evil", tie="largest")
    match.ready()
    match.guess("112")
    match.end("void")
    match.events[-2]["secret"] = None
    assert verify_game(match.events, 1) == []


def test_a_game_that_nobody_began(honest_match):
    match = honest_match(games=2)
    match.end("forfeit")
    match.ready("n")
    match.end("resigned")
    assert verify_match(match.events, {1: "never taken", 2: "n"}) == []


def test_an_answer_after_the_flag_is_found(honest_match):
    match = honest_match(clock={"base_ms": 100, "increment_ms": 0})
    match.ready()
    match.guess("112", took_ms=101)
    match.end("flagged")
    assert told(verify_game(match.events, 1)) == ["game 1, turn 1: the guess was answered though the time was up"]


@pytest.fixture
def flagged(honest_match):
    """One game that was lost on the clock: a guess in 40 ms, and 61 seconds without another."""
    match = honest_match(clock=CLOCK)
    match.ready()
    match.guess("112")
    match.end("flagged")
    return match.events


@pytest.mark.parametrize(
    ("elapsed_ms", "said"),
    [
        (61_001, []),
        (90_000, []),
        (61_000, ["game 1: the outcome is flagged, but the last turn took 60960 ms of 60960"]),
        (40, ["game 1: the outcome is flagged, but the last turn took 0 ms of 60960"]),
    ],
)
def test_a_flag_that_has_not_fallen_is_found(flagged, elapsed_ms, said):
    assert verify_match(flagged) == []
    assert told(verify_game(change(flagged, "game_over", 1, elapsed_ms=elapsed_ms), 1)) == said


@pytest.mark.parametrize("elapsed_ms", [40, 10**7])
def test_without_a_clock_no_flag_falls(honest_match, elapsed_ms):
    match = honest_match()
    match.ready()
    match.guess("112")
    match.end("resigned")
    lied = change(match.events, "game_over", 1, outcome="flagged", elapsed_ms=elapsed_ms)
    assert told(verify_game(lied, 1)) == ["game 1: the outcome is flagged, but there is no clock"]


def test_a_game_after_its_end_is_found(fixed):
    last = next(event for event in fixed if event["type"] == "feedback" and event["black"] == 3)
    solved = change(fixed, "feedback", 2, code=last["code"], black=3, white=0)
    assert any("went on after it was solved" in line for line in told(verify_game(solved, 2)))


def test_games_too_large_to_recompute_are_not_called_good(honest_match):
    from evilpegs_game.candidates import LiveSets

    match = honest_match(codemaker="evil", tie="largest")
    match.ready()
    match.guess("112")
    match.end("resigned")
    [finding] = verify_match(match.events, live_sets=LiveSets(1 << 10))
    assert "cannot be recomputed: all codes of 3x4 take" in str(finding)


@pytest.mark.parametrize(
    "events", [[], [{}], [{"type": "pong", "c": 1}], [{"type": "match_started", "at": float("nan")}], [{"a": {1}}]]
)
def test_what_is_no_record_is_a_finding(events):
    assert verify_match(events)
    assert verify_game(events, 1)
