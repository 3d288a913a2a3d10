"""No game makes one count take more than the stated work. The full search is `make worst`."""

import numba
import pytest
from hypothesis import given, settings, target
from hypothesis import strategies as st

from evilpegs_game.rules import Rules
from support.examples import share
from support.worst_counting import KNOWN, WORST_WORK, known_games, nasty_games, works

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")


@compiled
@pytest.mark.full
@pytest.mark.parametrize("name", KNOWN)
def test_worst_counting_known_games_stay_within_work(name):
    for guesses in known_games(name):
        assert max(works(Rules.parse(name), guesses)) < WORST_WORK[name]


@compiled
@pytest.mark.parametrize("name", KNOWN)
@settings(max_examples=share(10))
@given(data=st.data())
def test_worst_counting_short_search_stays_within_work(name, data):
    rules = Rules.parse(name)
    work = max(works(rules, data.draw(nasty_games(rules, most_turns=5))))
    target(float(work))
    assert work < WORST_WORK[name]
