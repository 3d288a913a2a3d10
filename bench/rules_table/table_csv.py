"""docs/table.csv: a line for each player on each rules, and what can be asked of these lines."""

import csv
from dataclasses import dataclass

from bench.rules_table.row import FIGURES, OPTIMAL, Bounds
from bench.rules_table.rules import TableRules, rules_up_to

HEAD = ["rules", "pegs", "colors", "repeats", "codes", "player"]
BOUNDS = [f"{figure}_{part}" for figure in FIGURES for part in ("min", "max", "proof")]
COLUMNS = [*HEAD, *BOUNDS, "budget", "version"]


@dataclass(frozen=True)
class Row:
    """The figures of rules by player, that is `OPTIMAL` or the name of a heuristic, and then by figure."""

    rules: TableRules
    figures: dict[str, dict[str, Bounds]]
    budget: int
    version: str

    @property
    def optimal(self):
        return self.figures[OPTIMAL]

    @property
    def heuristics(self):
        return {name: figures for name, figures in self.figures.items() if name != OPTIMAL}


def rows_in_order(stored):
    """Return a `Row` of each line of JSON that was stored, smallest rules first; formulas need no computation."""
    return [
        Row(
            rules,
            {
                player: {figure: Bounds(*bounds) for figure, bounds in figures.items()}
                for player, figures in stored[str(rules)]["figures"].items()
            },
            stored[str(rules)]["budget"],
            stored[str(rules)]["version"],
        )
        for rules in rules_up_to()
        if str(rules) in stored
    ]


def write_csv(rows, path):
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            rules = row.rules
            for player, figures in row.figures.items():
                head = [rules, rules.pegs, rules.colors, str(rules.repeats).lower(), rules.codes, player]
                bounds = [part for figure in FIGURES for part in figures.get(figure, ("", "", ""))]
                writer.writerow([*head, *bounds, row.budget, row.version])


def read_csv(path):
    """Return the `Row` of each rules."""
    rows = {}
    with path.open(newline="") as file:
        for line in csv.DictReader(file):
            rules = TableRules(int(line["pegs"]), int(line["colors"]), line["repeats"] == "true")
            row = rows.setdefault(line["rules"], Row(rules, {}, int(line["budget"]), line["version"]))
            row.figures[line["player"]] = {
                figure: Bounds(int(line[f"{figure}_min"]), int(line[f"{figure}_max"]), line[f"{figure}_proof"])
                for figure in FIGURES
                if line[f"{figure}_min"]
            }
    return list(rows.values())
