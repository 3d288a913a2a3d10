"""The exact means in docs/evaluation.md: those of their totals, and in the intervals that docs/results.md simulates."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
EXACT = re.compile(r"^\| `([\w-]+)` \| \d{6} \| ([\d,]+) \| (\d\.\d{6}) \| \d+ \|", re.MULTILINE)
SIMULATED = re.compile(r"^\| `([\w-]+)` \| [\d.]+ \| ([\d.]+) to ([\d.]+) \|", re.MULTILINE)


def test_exact_means_are_in_simulated_intervals():
    exact = EXACT.findall((DOCS / "evaluation.md").read_text())
    grand = (DOCS / "results.md").read_text().partition("### grand: 6x10")[2].partition("###")[0]
    intervals = {name: (float(low), float(high)) for name, low, high in SIMULATED.findall(grand)}
    assert len(exact) == 5
    for name, total, mean in exact:
        assert f"{int(total.replace(',', '')) / 10**6:.6f}" == mean
        assert intervals[name][0] < float(mean) < intervals[name][1]
