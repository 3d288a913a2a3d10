"""The independent check finds every fault in a record and reports the claims that it did not check."""

import copy
import hashlib
import re
from itertools import product

import pytest

from evilpegs_clients.verification.independent.check import check_record
from evilpegs_clients.verification.violation import NotChecked, Subject, Violation
from evilpegs_game.codes import format_code
from evilpegs_protocol.commitment import commitment, tie_index
from support.devil_matches import devil

KINDS = {
    "fixed": {"codemaker": "fixed"},
    "evil": {"codemaker": "evil", "tie": "largest"},
    "evil seeded": {"codemaker": "evil", "tie": "largest/seeded"},
    "evil distinct": {"codemaker": "evil", "tie": "largest/seeded", "rules": "3x5-distinct"},
    "evil of two pegs": {"codemaker": "evil", "tie": "largest/seeded", "rules": "2x5"},
    "evil of both nonces": {"codemaker": "evil", "tie": "largest/seeded", "tie_nonces": 2},
    "devil": {"codemaker": "devil", "tie": "largest", "rules": "3x3"},
    "devil seeded": {"codemaker": "devil", "tie": "largest/seeded", "rules": "3x3"},
    "devil, sometimes": {"codemaker": "devil", "tie": "largest/seeded", "exact_up_to": 8},
}


def played(honest_match, **kind):
    """Play four games: solved, unsolved, resigned after a guess, and one that was never opened."""
    maker = devil(honest_match) if kind["codemaker"] == "devil" else honest_match
    match = maker(games=4, guess_limit=6, **kind)
    first = format_code(range(match.rules.pegs))
    match.ready()
    while match.game == 1:
        match.guess(format_code(match.live[-1]) if match.turn > 1 else first)
    match.ready()
    while match.game == 2:
        match.guess(first)
    match.ready()
    match.guess(first)
    match.give_up()
    return match.events


@pytest.fixture(params=KINDS)
def record(request, honest_match):
    return played(honest_match, **KINDS[request.param])


@pytest.fixture
def seeded(honest_match):
    return played(honest_match, **KINDS["evil seeded"])


def change(events, kind, game, turn=None, /, **fields):
    changed = copy.deepcopy(events)
    [event] = [e for e in changed if e["type"] == kind and e.get("game") == game and e.get("turn") == turn]
    event |= fields
    return changed


def violations_of(report):
    return tuple(remark for remark in report.remarks if not isinstance(remark, NotChecked))


def not_checked_of(report):
    return tuple(remark for remark in report.remarks if isinstance(remark, NotChecked))


def found(events):
    return violations_of(check_record(events))


def facts(violations):
    return [(violation.game, violation.turn, violation.subject) for violation in violations]


def values(violation):
    """Return the codes, feedbacks and numbers that a finding names, in order."""
    return re.findall(r"\d[\d,x]*\b", violation.what)


def test_check_record_accepts_true_record(record):
    report = check_record(record)
    assert (violations_of(report), not_checked_of(report), report.unreadable) == ((), (), None)
    assert [game.game for game in report.games] == [1, 2, 3, 4]
    assert [game.outcome for game in report.games] == ["solved", "unsolved", "resigned", "resigned"]
    assert report.games[3].witness is None


def turns(events, game):
    return [event for event in events if event["type"] == "feedback" and event["game"] == game]


def test_check_record_finds_other_feedback(record):
    pegs = record[0]["pegs"]
    for event in turns(record, 1):
        for black in range(pegs + 1):
            for white in range(pegs + 1 - black):
                if (black, white) != (event["black"], event["white"]):
                    lie = change(record, "feedback", 1, event["turn"], black=black, white=white)
                    assert found(lie), (event["turn"], black, white)


def test_check_record_finds_other_witness(record):
    """The witness of evil is also wrong when it fits but is not the first that does."""
    rules, shown = record[0]["rules"], turns(record, 2)
    over = next(event for event in record if event["type"] == "game_over" and event["game"] == 2)
    symbols, pegs = record[0]["symbols"], record[0]["pegs"]
    texts = {"".join(text) for text in product(symbols, repeat=pegs)}
    for text in texts - {over["secret"]}:
        fits = all(
            sum(map(str.__eq__, text, event["code"])) == event["black"]
            and sum(min(text.count(s), event["code"].count(s)) for s in symbols) == event["black"] + event["white"]
            for event in shown
        )
        is_code = "distinct" not in rules or len(set(text)) == pegs
        may_pass = fits and is_code and record[0]["codemaker"] != "evil"
        assert bool(found(change(record, "game_over", 2, secret=text))) != may_pass, text


def test_check_record_finds_changed_nonce(record):
    lie = change(record, "game_over", 1, nonce="0" * 64)
    assert (1, 0, Subject.COMMITMENT) in facts(found(lie))


def with_nonce(events, game, nonce):
    """Return the record with another nonce and its commitment, as a server that knew the first guess could make it."""
    sealed = commitment(events[0]["match"], game, events[0]["rules"], nonce)
    return change(change(events, "game_over", game, nonce=nonce), "game_started", game, commitment=sealed)


def test_check_record_finds_tie_of_other_nonce(honest_match):
    """Nonces that choose the same tied part pass, all others are found, and both kinds occur."""
    match = honest_match(codemaker="evil", tie="largest/seeded", rules="2x3", guess_limit=6)
    match.ready()
    match.guess("11")  # 0,0 and 1,0 have four codes each
    match.end("resigned")
    chosen = tie_index(match.nonce(), match.match, 1, 1, 2)
    seen = set()
    for number in range(20):
        nonce = hashlib.sha256(str(number).encode()).hexdigest()
        same = tie_index(nonce, match.match, 1, 1, 2) == chosen
        assert bool(found(with_nonce(match.events, 1, nonce))) != same
        seen.add(same)
    assert seen == {True, False}


@pytest.mark.parametrize("client_nonce", [None, "mine"])
@pytest.mark.parametrize("tie_nonces", [None, 2])
def test_check_record_finds_tie_of_other_client_nonce(honest_match, client_nonce, tie_nonces):
    """Without `tie_nonces`, which is the control, the client's nonce has no share in the tie."""
    match = honest_match(codemaker="evil", tie="largest/seeded", rules="2x3", guess_limit=6, tie_nonces=tie_nonces)
    match.ready(client_nonce)
    match.guess("11")  # 0,0 and 1,0 have four codes each
    match.end("resigned")
    assert found(match.events) == ()
    others = [change(match.events, "game_over", 1, client_nonce=f"other-{number}") for number in range(20)]
    wrong = [facts(violations) for other in others if (violations := found(other))]
    assert bool(wrong) == (tie_nonces is not None)
    assert all(each == [(1, 1, Subject.TIE)] for each in wrong)


@pytest.mark.parametrize(("kind", "tie_nonces"), [("evil", 2), ("fixed", 2), ("evil seeded", 3), ("evil seeded", "2")])
def test_check_record_refuses_unknown_tie_nonces(honest_match, kind, tie_nonces):
    events = played(honest_match, **KINDS[kind])
    events[0]["tie_nonces"] = tie_nonces
    assert check_record(events).unreadable is not None


@pytest.fixture
def one_turn(honest_match):
    """A game of one guess against evil, whose reply must be 1,0 with 17 codes; the next part has 14."""
    match = honest_match(codemaker="evil", tie="largest")
    match.ready()
    match.guess("112")
    match.end("resigned")
    return match.events


def one_reply(events, code, black, white, witness):
    return change(change(events, "feedback", 1, 1, code=code, black=black, white=white), "game_over", 1, secret=witness)


def test_check_record_finds_smaller_part(one_turn):
    assert found(one_turn) == ()
    [violation] = found(one_reply(one_turn, "112", 0, 1, "223"))
    assert facts([violation]) == [(1, 1, Subject.REPLY)]
    assert values(violation) == ["112", "0,1", "14", "1,0", "17"]


def test_check_record_finds_early_all_black(one_turn):
    [violation] = found(one_reply(one_turn, "112", 3, 0, "112"))
    assert facts([violation]) == [(1, 1, Subject.REPLY)]
    assert values(violation) == ["112", "3,0", "1", "1,0", "17"]


def test_check_record_finds_later_tied_part(one_turn):
    """The rule `largest` takes the first tied part in feedback order: 0,0 and not 1,0."""
    assert found(one_reply(one_turn, "123", 0, 2, "211")) == ()
    tied = change(one_turn, "match_started", None, rules="2x3", pegs=2, colors=3, symbols="123")
    tied = change(tied, "game_started", 1, commitment=commitment(tied[0]["match"], 1, "2x3", tied[3]["nonce"]))
    assert found(one_reply(tied, "11", 0, 0, "22")) == ()
    [violation] = found(one_reply(tied, "11", 1, 0, "12"))
    assert facts([violation]) == [(1, 1, Subject.TIE)]
    assert values(violation) == ["11", "1,0", "2", "0,0"]


def test_check_record_finds_empty_part(one_turn):
    [_, violation] = found(one_reply(one_turn, "112", 2, 1, "112"))
    assert facts([violation]) == [(1, 1, Subject.REPLY)]
    assert values(violation) == ["112", "2,1"]


def test_check_record_finds_later_witness(one_turn):
    [misfit, _] = found(change(one_turn, "game_over", 1, secret="223"))
    assert facts([misfit]) == [(1, 1, Subject.WITNESS)]
    assert values(misfit) == ["112", "1,0", "223", "0,1"]
    [later] = found(change(one_turn, "game_over", 1, secret="144"))
    assert facts([later]) == [(1, 0, Subject.WITNESS)]
    assert values(later) == ["144", "133"]
    [malformed, _] = found(change(one_turn, "game_over", 1, secret="14"))
    assert facts([malformed]) == [(1, 0, Subject.WITNESS)]
    assert "'14'" in malformed.what


def test_block_counting_finds_the_same(record):
    lies = [record, change(record, "feedback", 1, 1, black=0, white=0), change(record, "game_over", 2, secret="11")]
    plain = [check_record(lie) for lie in lies]
    assert [check_record(lie, plain_limit=0) for lie in lies] == plain


def test_check_record_finds_wrong_method(honest_match):
    events = played(honest_match, **KINDS["devil, sometimes"])
    methods = [event["method"] for event in turns(events, 1)]
    assert set(methods) == {"exact", "greedy"}
    for turn, method in enumerate(methods, 1):
        violations = found(change(events, "feedback", 1, turn, method="exact" if method == "greedy" else "greedy"))
        assert facts(violations) == [(1, turn, Subject.METHOD)]
    assert found(change(events, "feedback", 1, 1, method=None)) == ()


def test_check_record_finds_greedy_devil(honest_match):
    """On 3x5 the largest part is not always the one that needs the most guesses."""
    verdicts = set()
    for code in ("111", "112", "123"):
        match = honest_match(codemaker="evil", tie="largest", rules="3x5")
        match.ready()
        match.guess(code)
        match.end("resigned")
        assert found(match.events) == ()
        verdicts.add(bool(found(change(match.events, "match_started", None, codemaker="devil", exact_up_to=125))))
    assert verdicts == {True, False}


# Claims that cannot be checked are neither right nor wrong.


def test_large_rules_are_not_checked(one_turn):
    report = check_record(one_turn, max_codes=63)
    assert violations_of(report) == ()
    assert facts(not_checked_of(report)) == [(1, 0, Subject.REPLY)]
    assert values(not_checked_of(report)[0]) == ["3x4", "64"]
    assert not_checked_of(check_record(one_turn, max_codes=64)) == ()


def test_witness_of_large_rules_must_fit(one_turn):
    symbols = "1234567890ABCDEFGHJKLMNPQRSTUVWXYZ"
    large = change(one_turn, "match_started", None, rules="16x34", pegs=16, colors=34, symbols=symbols)
    large = change(large, "game_started", 1, commitment=commitment(large[0]["match"], 1, "16x34", large[3]["nonce"]))
    large = one_reply(large, "1" * 16, 1, 0, "1" + "2" * 15)
    assert found(large) == ()
    [omitted] = not_checked_of(check_record(large))
    assert facts([omitted]) == [(1, 0, Subject.REPLY)]
    assert values(omitted) == ["16x34", f"{34**16:,}"]
    assert found(change(large, "game_over", 1, secret="2" * 16))


def test_devil_reply_over_work_is_not_checked(honest_match):
    events = played(honest_match, **KINDS["devil"])
    report = check_record(events, work=10)
    assert violations_of(report) == ()
    assert facts(not_checked_of(report))[0] == (1, 1, Subject.REPLY)
    assert values(not_checked_of(report)[0]) == ["10"]
    last = len(turns(events, 1))
    assert (1, last, Subject.REPLY) not in facts(not_checked_of(report))


def test_devil_table_over_cells_is_not_checked(honest_match):
    report = check_record(played(honest_match, **KINDS["devil"]), cells=100)
    assert violations_of(report) == ()
    assert facts(not_checked_of(report))[0] == (1, 1, Subject.REPLY)
    assert values(not_checked_of(report)[0]) == ["27", "27", "100"]


def test_sealed_game_is_not_checked(seeded):
    sealed = change(seeded, "game_over", 1, secret=None, nonce=None)
    assert found(sealed) == ()
    omitted = not_checked_of(check_record(sealed))
    assert facts(omitted)[:2] == [(1, 0, Subject.NONCE), (1, 0, Subject.WITNESS)]


def test_open_game_is_not_checked(one_turn):
    report = check_record(one_turn[:3])
    assert violations_of(report) == ()
    assert facts(not_checked_of(report)) == [(1, 0, Subject.OUTCOME)]


UNREADABLE = {
    "nothing": (lambda events: [], "match_started"),
    "no beginning": (lambda events: events[1:], "match_started"),
    "a type that is a list": (lambda events: [{"type": []}], "match_started"),
    "rules that are none": (
        lambda events: change(events, "match_started", None, colors=35, rules="3x35"),
        "rules",
    ),
    "huge rules": (lambda events: change(events, "match_started", None, pegs=10**9, rules="9x9"), "rules"),
    "two rules": (lambda events: change(events, "match_started", None, rules="3x5"), "rules"),
    "other symbols": (lambda events: change(events, "match_started", None, symbols="4321"), "symbols"),
    "no pegs": (lambda events: change(events, "match_started", None, pegs=None), "pegs"),
    "a codemaker that is none": (lambda events: change(events, "match_started", None, codemaker="god"), "'god'"),
    "a tie rule that is none": (lambda events: change(events, "match_started", None, tie="x\x1b"), "'x\\x1b'"),
    "an id that is none": (lambda events: change(events, "match_started", None, match="\ud800"), "16"),
    "a devil without a bound": (lambda events: change(events, "match_started", None, codemaker="devil"), "exact_up_to"),
    "a code that is none": (lambda events: change(events, "feedback", 1, 1, code="115"), "'115'"),
    "a feedback that is none": (lambda events: change(events, "feedback", 1, 1, white=3), "3"),
    "a feedback that is no number": (lambda events: change(events, "feedback", 1, 1, white=True), "white"),
    "a game that is no number": (lambda events: change(events, "feedback", 1, 1, game="1"), "game"),
    "a nonce that is none": (lambda events: change(events, "game_over", 1, nonce="x"), "64"),
    "an outcome that is none": (lambda events: change(events, "game_over", 1, outcome="lost"), "outcome"),
    "no outcome": (lambda events: change(events, "game_over", 1, outcome=None), "outcome"),
}


@pytest.mark.parametrize(("spoil", "named"), UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable_record_is_a_finding(one_turn, spoil, named):
    report = check_record(spoil(one_turn))
    assert report.games == ()
    assert re.search(rf"(?<!\w){re.escape(named)}(?!\w)", report.unreadable)
    assert "\n" not in report.unreadable
    assert violations_of(report) == (Violation(report.unreadable),)
