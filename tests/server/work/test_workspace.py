"""The size of a workspace, as metrics show it."""

from evilpegs_game.live.cache import CacheState
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules
from evilpegs_server.work.workspace import Workspace, WorkspaceState


def test_cache_has_bytes_of_live_sets_and_part_sizes():
    state = WorkspaceState(CacheState(7, 1, 2, 3), 100, 0)
    assert state.cache == CacheState(107, 1, 2, 3)


def test_live_set_fills_cache():
    workspace = Workspace(LiveSets(1 << 20))
    assert workspace.state.cache.bytes_used == 0
    workspace.live_sets.all_codes(Rules.parse("4x6"))
    assert workspace.state.cache.bytes_used >= 4 * 1296
