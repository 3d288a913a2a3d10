"""The caches of verifications belong to their owner, and hold the solver of one set of rules."""

import gc
import weakref

from evilpegs_clients.verification.game import VerificationCache
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules


def test_solver_is_kept_until_rules_change():
    cache = VerificationCache()
    first = cache.worst_case(Rules(2, 3))
    assert cache.worst_case(Rules(2, 3)) is first
    cache.worst_case(Rules(3, 3))
    assert cache.worst_case(Rules(2, 3)) is not first


def test_solver_is_freed_with_the_cache():
    cache = VerificationCache()
    solver = weakref.ref(cache.worst_case(Rules(2, 3)))
    assert solver() is not None
    del cache
    gc.collect()
    assert solver() is None


def test_live_sets_are_those_of_the_owner():
    live_sets = LiveSets()
    assert VerificationCache(live_sets).live_sets is live_sets
    assert VerificationCache().live_sets is not VerificationCache().live_sets
