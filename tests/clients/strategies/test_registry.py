"""What runs before the clock of a match does."""

import json
import subprocess
import sys

import pytest

from evilpegs_game.kernels import COMPILES
from support.patience import PATIENCE

LOADED = """
import json
from evilpegs_clients.strategies.registry import STRATEGIES, warm_up
from evilpegs_game.counting import part_counts
from evilpegs_game.guessing import guess_rows, search
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules
kernels = [guess_rows.best_of_few, search.best_of_many, part_counts.join]
loaded = []
for rules in ("4x6", "5x8", "8x10"):
    warm_up(STRATEGIES["minimax"](False), [Rules.parse(rules)], LiveSets())
    loaded.append([bool(kernel.signatures) for kernel in kernels])
print(json.dumps(loaded))
"""


@pytest.mark.skipif(not COMPILES, reason="asks for compiled kernels")
def test_kernels_of_large_rules_are_compiled_before_the_clock_runs():
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert json.loads(done.stdout) == [[True, False, False], [True, True, False], [True, True, True]]
