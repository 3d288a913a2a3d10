"""Evaluation of strategies: how many guesses they need, for every secret of the rules or in simulated games.

Begin with `run.py`: `run_evaluation` takes cost estimates and an `ExecutionPlan` and returns the counts of guesses.
`request.py` turns the names and options that people type into `StrategySpec` values, and counts into results.
Work that takes long is cut into tasks (`tasks.py`). Workers play the tasks (`executors.py`), a checkpoint file keeps
the outcomes of finished tasks (`checkpoint.py`), and `tally.py` adds the outcomes up.
"""
