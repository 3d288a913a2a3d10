"""The independent check finds what is wrong in a record, says what it did not check, and nothing else."""

import copy
import hashlib
from itertools import product

import pytest

from evilpegs_clients.finding import Finding, NotChecked
from evilpegs_clients.independent.check import check_record
from evilpegs_game.codes import format_code
from evilpegs_protocol.commitment import commitment, tie_index
from support.devil_matches import devil

KINDS = {
    "fixed": {"codemaker": "fixed"},
    "evil": {"codemaker": "evil", "tie": "largest"},
    "evil seeded": {"codemaker": "evil", "tie": "largest/seeded"},
    "evil distinct": {"codemaker": "evil", "tie": "largest/seeded", "rules": "3x5-distinct"},
    "evil of two pegs": {"codemaker": "evil", "tie": "largest/seeded", "rules": "2x5"},
    "devil": {"codemaker": "devil", "tie": "largest", "rules": "3x3"},
    "devil seeded": {"codemaker": "devil", "tie": "largest/seeded", "rules": "3x3"},
    "devil, sometimes": {"codemaker": "devil", "tie": "largest/seeded", "exact_up_to": 8},
}


def played(honest_match, **kind):
    """Four games: solved, unsolved, given up after a guess together with one that was never opened."""
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


def found(events, **bounds):
    return [str(finding) for finding in check_record(events, **bounds).findings]


def not_checked(events, **bounds):
    return [str(finding) for finding in check_record(events, **bounds).not_checked]


def test_a_true_record_holds(record):
    report = check_record(record)
    assert (report.findings, report.not_checked, report.unreadable) == ((), (), None)
    assert [game.game for game in report.games] == [1, 2, 3, 4]
    assert [game.outcome for game in report.games] == ["solved", "unsolved", "resigned", "resigned"]
    assert report.games[3].witness is None


def turns(events, game):
    return [event for event in events if event["type"] == "feedback" and event["game"] == game]


def test_every_other_feedback_is_found(record):
    pegs = record[0]["pegs"]
    for event in turns(record, 1):
        for black in range(pegs + 1):
            for white in range(pegs + 1 - black):
                if (black, white) != (event["black"], event["white"]):
                    lie = change(record, "feedback", 1, event["turn"], black=black, white=white)
                    assert found(lie), (event["turn"], black, white)


def test_every_other_witness_is_found(record):
    """Of evil also one that fits but is not the first."""
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


def test_a_changed_nonce_is_found(record):
    lie = change(record, "game_over", 1, nonce="0" * 64)
    assert "game 1: the nonce is not the one of the commitment" in found(lie)


def with_nonce(events, game, nonce):
    """The record with another nonce and the commitment to it, as a server might do that knows the first guess."""
    sealed = commitment(events[0]["match"], game, events[0]["rules"], nonce)
    return change(change(events, "game_over", game, nonce=nonce), "game_started", game, commitment=sealed)


def test_a_tie_that_another_nonce_decides_is_found(honest_match):
    """Nonces that choose the same of the tied parts pass, all others are found, and both kinds occur."""
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


@pytest.fixture
def one_turn(honest_match):
    """A game of one guess against evil, which was due to say 1,0: it has 17 codes, the next 14."""
    match = honest_match(codemaker="evil", tie="largest")
    match.ready()
    match.guess("112")
    match.end("resigned")
    return match.events


def one_reply(events, code, black, white, witness):
    return change(change(events, "feedback", 1, 1, code=code, black=black, white=white), "game_over", 1, secret=witness)


def test_a_part_that_is_not_the_largest_is_found(one_turn):
    assert found(one_turn) == []
    lie = one_reply(one_turn, "112", 0, 1, "223")
    [said] = found(lie)
    assert said.startswith(
        "game 1, turn 1: 112 got 0,1, which 14 codes would get; the rule demands 1,0, which 17 would"
    )


def test_all_black_where_another_was_possible_is_found(one_turn):
    [said] = found(one_reply(one_turn, "112", 3, 0, "112"))
    assert "112 got 3,0, which 1 code would get; the rule demands 1,0" in said


def test_a_later_one_of_tied_parts_is_found(one_turn):
    """Under `largest` the first in feedback order is due: 1,0 and not 1,1."""
    assert found(one_reply(one_turn, "123", 0, 2, "211")) == []
    tied = change(one_turn, "match_started", None, rules="2x3", pegs=2, colors=3, symbols="123")
    tied = change(tied, "game_started", 1, commitment=commitment(tied[0]["match"], 1, "2x3", tied[3]["nonce"]))
    assert found(one_reply(tied, "11", 0, 0, "22")) == []
    assert found(one_reply(tied, "11", 1, 0, "12")) == [
        "game 1, turn 1: 11 got 1,0, but of 2 equal parts the tie rule takes 0,0"
    ]


def test_an_empty_part_is_found(one_turn):
    assert "112 got 2,1, which no code that was left would get" in " ".join(
        found(one_reply(one_turn, "112", 2, 1, "112"))
    )


def test_the_witness_is_the_first_that_fits(one_turn):
    said = found(change(one_turn, "game_over", 1, secret="223"))
    assert said[0].startswith("game 1, turn 1: 112 got 1,0, but 223, shown at the end, gives 0,1")
    assert found(change(one_turn, "game_over", 1, secret="144")) == [
        "game 1: the code shown at the end is 144; the first that fits is 133"
    ]
    said = found(change(one_turn, "game_over", 1, secret="14"))
    assert said[0] == "game 1: the code shown at the end: '14' is not a code of these rules"


def test_blocks_find_the_same(record, monkeypatch):
    lies = [record, change(record, "feedback", 1, 1, black=0, white=0), change(record, "game_over", 2, secret="11")]
    plain = [check_record(lie) for lie in lies]
    monkeypatch.setattr("evilpegs_clients.independent.replies.ONE_BY_ONE", 0)
    assert [check_record(lie) for lie in lies] == plain


def test_a_method_that_is_not_due_is_found(honest_match):
    events = played(honest_match, **KINDS["devil, sometimes"])
    methods = [event["method"] for event in turns(events, 1)]
    assert set(methods) == {"exact", "greedy"}
    for turn, method in enumerate(methods, 1):
        [said] = found(change(events, "feedback", 1, turn, method="exact" if method == "greedy" else "greedy"))
        assert f"game 1, turn {turn}: the reply is called" in said
    assert found(change(events, "feedback", 1, 1, method=None)) == []


def test_a_greedy_reply_is_not_always_a_devils(honest_match):
    """On 3x5 the largest part is not always the one that needs most guesses."""
    verdicts = set()
    for code in ("111", "112", "123"):
        match = honest_match(codemaker="evil", tie="largest", rules="3x5")
        match.ready()
        match.guess(code)
        match.end("resigned")
        assert found(match.events) == []
        verdicts.add(bool(found(change(match.events, "match_started", None, codemaker="devil", exact_up_to=125))))
    assert verdicts == {True, False}


# What cannot be checked is neither right nor wrong


def test_what_is_too_large_is_not_checked(one_turn):
    report = check_record(one_turn, max_codes=63)
    assert report.findings == ()
    assert report.not_checked == (NotChecked("the replies: 3x4 is too large to enumerate; 64 codes", 1),)
    assert check_record(one_turn, max_codes=64).not_checked == ()


def test_rules_too_large_still_have_a_witness_that_must_fit(one_turn):
    symbols = "1234567890ABCDEFGHJKLMNPQRSTUVWXYZ"
    large = change(one_turn, "match_started", None, rules="16x34", pegs=16, colors=34, symbols=symbols)
    large = change(large, "game_started", 1, commitment=commitment(large[0]["match"], 1, "16x34", large[3]["nonce"]))
    large = one_reply(large, "1" * 16, 1, 0, "1" + "2" * 15)
    assert found(large) == []
    assert not_checked(large) == [f"game 1: the replies: 16x34 is too large to enumerate; {34**16:,} codes"]
    assert found(change(large, "game_over", 1, secret="2" * 16))


def test_what_takes_too_long_to_solve_is_not_checked(honest_match):
    events = played(honest_match, **KINDS["devil"])
    report = check_record(events, work=10)
    assert report.findings == ()
    assert str(report.not_checked[0]) == "game 1, turn 1: the devil's reply: solving it takes over 10 feedbacks"
    last = len(turns(events, 1))
    assert ("game 1", last) not in [(f"game {f.game}", f.turn) for f in report.not_checked]


def test_a_devils_table_may_be_too_large(honest_match, monkeypatch):
    monkeypatch.setattr("evilpegs_clients.independent.solver.CELLS", 100)
    report = check_record(played(honest_match, **KINDS["devil"]))
    assert report.findings == ()
    assert str(report.not_checked[0]).endswith("27 guesses for 27 candidates are over 100 feedbacks")


def test_a_sealed_game_is_not_checked(seeded):
    sealed = change(seeded, "game_over", 1, secret=None, nonce=None)
    assert found(sealed) == []
    said = not_checked(sealed)
    assert said[0] == "game 1: the nonce is not opened, so the commitment says nothing"
    assert said[1] == "game 1: no code is shown that fits the feedback"


def test_a_game_that_goes_on_is_not_checked(one_turn):
    assert not_checked(one_turn[:3]) == ["game 1: the game is not over"]


UNREADABLE = {
    "nothing": (lambda events: [], "does not begin with match_started"),
    "no beginning": (lambda events: events[1:], "does not begin with match_started"),
    "a type that is a list": (lambda events: [{"type": []}], "does not begin with match_started"),
    "rules that are none": (
        lambda events: change(events, "match_started", None, colors=35, rules="3x35"),
        "no such rules",
    ),
    "huge rules": (lambda events: change(events, "match_started", None, pegs=10**9, rules="9x9"), "no such rules"),
    "two rules": (lambda events: change(events, "match_started", None, rules="3x5"), "contradict themselves"),
    "other symbols": (lambda events: change(events, "match_started", None, symbols="4321"), "symbols"),
    "no pegs": (lambda events: change(events, "match_started", None, pegs=None), "pegs is missing"),
    "a codemaker that is none": (lambda events: change(events, "match_started", None, codemaker="god"), "'god'"),
    "a tie rule that is none": (lambda events: change(events, "match_started", None, tie="x\x1b"), "'x\\x1b'"),
    "an id that is none": (lambda events: change(events, "match_started", None, match="\ud800"), "16 hex digits"),
    "a devil without a bound": (lambda events: change(events, "match_started", None, codemaker="devil"), "exact_up_to"),
    "a code that is none": (lambda events: change(events, "feedback", 1, 1, code="115"), "'115' is not a code"),
    "a feedback that is none": (lambda events: change(events, "feedback", 1, 1, white=3), "no guess gets this"),
    "a feedback that is no number": (lambda events: change(events, "feedback", 1, 1, white=True), "white is missing"),
    "a game that is no number": (lambda events: change(events, "feedback", 1, 1, game="1"), "game is missing"),
    "a nonce that is none": (lambda events: change(events, "game_over", 1, nonce="x"), "64 hex digits"),
    "an outcome that is none": (lambda events: change(events, "game_over", 1, outcome="lost"), "no such outcome"),
    "no outcome": (lambda events: change(events, "game_over", 1, outcome=None), "no such outcome"),
}


@pytest.mark.parametrize(("spoil", "says"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_a_finding(one_turn, spoil, says):
    report = check_record(spoil(one_turn))
    assert report.games == ()
    assert says in report.unreadable
    assert report.findings == (Finding(report.unreadable),)
