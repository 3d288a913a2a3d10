"""Links of the page in Python; `tests/page` compares what they hold, and the texts of results, with the page."""

import json

import pytest

from evilpegs_clients.challenge import ChallengeError, parse_challenge
from evilpegs_clients.daily import DateError, daily_codemaker, seeded_secret
from evilpegs_game.codemakers.codemaker import Evil
from evilpegs_game.errors import GameError
from evilpegs_game.rules import Rules
from tools.page_records import VECTORS

SHARED = json.loads((VECTORS / "challenges.json").read_text())
LINK, *_ = SHARED["links"][0]
PLACES = range(LINK.index("limit="), LINK.index("&v="))


def test_link_with_seed_is_game_of_page():
    challenge = parse_challenge("http://192.0.2.10:8000/#/play/4x10-distinct-fixed?seed=friend&v=1")
    rules = Rules(4, 10, repeats=False)
    assert challenge.terms[:4] == (rules, "fixed", 12, "friend")
    assert daily_codemaker(challenge.terms).secret == seeded_secret("friend", rules)
    assert challenge.commitment is None
    for name in ("6x6-evil", "6x6"):
        terms = parse_challenge(f"#/play/{name}?seed=a").terms
        assert terms[:4] == (Rules(6, 6), "evil", 20, "a")
        assert isinstance(daily_codemaker(terms), Evil)


def test_address_around_link_makes_no_difference():
    assert (
        len({parse_challenge(start + LINK) for start in ("", "https://a.example/pegs/", "  http://127.0.0.1:8000/")})
        == 1
    )


@pytest.mark.parametrize("place", PLACES)
def test_link_of_which_a_character_was_changed_or_lost_is_refused(place):
    other = "2" if LINK[place] == "1" else "1"
    for changed in (LINK[:place] + other + LINK[place + 1 :], LINK[:place]):
        with pytest.raises(ChallengeError):
            parse_challenge(changed)


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("", "not a challenge: ''"),
        ("https://example.org/", "not a challenge"),
        ("#/match/1a31", "not a challenge"),
        ("#/play/4x6-evil", "not ''"),
        ("#/play/4x6-evil?seed=a%20b", "'a b'"),
        (f"#/play/4x6-evil?seed={'a' * 41}", "40 letters"),
        ("#/play/4x6-evil?seed=a&v=2", "version '2'"),
        ("#/play/9x9-evil?seed=a", "387,420,489"),
        ("#/daily/2026-11-22?v=1", "--daily --date 2026-11-22"),
        ("#/secret/4x6?limit=10", "in quotes"),
    ],
)
def test_other_link_is_refused_in_a_line_that_says_why(link, words):
    with pytest.raises(ChallengeError) as refused:
        parse_challenge(link)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_wrong_rules_and_dates_have_their_own_errors():
    for link in ("#/play/4y6-evil?seed=a", "#/secret/<b>?limit=10"):
        with pytest.raises(GameError):
            parse_challenge(link)
    with pytest.raises(DateError):
        parse_challenge("#/daily/tomorrow")
