"""The plan of a run: which work is cut into tasks, where it is played, and where its checkpoint is."""

from evilpegs_clients.evaluation.cost import estimate_cost
from evilpegs_clients.evaluation.plan import ExecutionPlan
from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_game.rules import Rules


def test_plan_uses_tasks_and_checkpoint_when_needed(tmp_path):
    small, large = (estimate_cost(StrategySpec("minimax", None, Rules.parse(rules))) for rules in ("4x6", "6x8"))
    assert [ExecutionPlan(jobs=2).uses_tasks(cost) for cost in (small, large)] == [False, True]
    assert [ExecutionPlan(jobs=2).processes(cost) for cost in (small, large)] == [1, 2]
    assert ExecutionPlan(cluster="tcp://x:1").processes(small) is None
    assert ExecutionPlan(cluster="tcp://x:1").uses_tasks(small)
    assert ExecutionPlan(checkpoint=tmp_path / "a").uses_tasks(small)
    assert ExecutionPlan().checkpoint_path([small]) is None
    assert ExecutionPlan().checkpoint_path([small, large]).suffix == ".journal"
    assert ExecutionPlan(checkpoint=tmp_path / "a").checkpoint_path([small]) == tmp_path / "a"
