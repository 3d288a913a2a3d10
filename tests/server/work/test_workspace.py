"""The size of a workspace, as metrics show it."""

from evilpegs_game.feedback import Feedback, Turn
from evilpegs_game.live.cache import CacheState
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules
from evilpegs_server.work.tasks import Apart, CountParts, FindDevilReplies, run_task
from evilpegs_server.work.workspace import Workspace, WorkspaceState
from support.workspaces import new_workspace

CLASSIC = Rules.parse("4x6")
DEVIL = FindDevilReplies(CLASSIC, 300, (Turn((0, 0, 1, 1), Feedback(0, 0)),), (2, 2, 3, 3))
COUNT = CountParts(Rules.parse("8x8"), (Turn((0, 1, 2, 3, 4, 5, 6, 7), Feedback(2, 3)),), (7, 1, 3, 5, 0, 0, 2, 2))


def test_cache_has_bytes_of_live_sets_and_part_sizes():
    state = WorkspaceState(CacheState(7, 1, 2, 3), 100, 0)
    assert state.cache == CacheState(107, 1, 2, 3)


def test_live_set_fills_cache():
    workspace = Workspace(LiveSets(1 << 20))
    assert workspace.state.cache.bytes_used == 0
    workspace.live_sets.all_codes(Rules.parse("4x6"))
    assert workspace.state.cache.bytes_used >= 4 * 1296


def test_task_of_sealed_round_leaves_nothing_behind():
    """The control is the task itself: what it leaves makes the next one like it faster."""
    workspace = new_workspace()
    workspace.worst_case(CLASSIC)
    before = workspace.state
    results = [run_task(Apart(task), workspace) for task in (COUNT, DEVIL)]
    assert workspace.state == before
    assert [run_task(task, workspace) for task in (COUNT, DEVIL)] == results
    assert workspace.state.part_sizes.bytes_used > 0
    assert workspace.state.solved > 0
    again = [run_task(task, workspace) for task in (COUNT, DEVIL)]
    assert all(cost < first for (_, cost), (_, first) in zip(again, results, strict=True))


def test_task_of_sealed_round_knows_what_is_solved():
    workspace = new_workspace()
    _, cost = run_task(DEVIL, workspace)
    assert cost > run_task(Apart(DEVIL), workspace)[1]
