"""`evilpegs evaluate`: the guesses that strategies need, counted over every secret or in simulated games.

Begin with `command.py`. `table.py` prints results, `files.py` writes them as a CSV file or a chart, and `dry_run.py`
shows the cost of a run. The work itself is done by `evilpegs_clients.evaluation`.
"""
