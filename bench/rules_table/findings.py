"""What the table shows, in sentences made from its rows."""

from itertools import takewhile

from bench.rules_table import rules as formulas
from bench.rules_table.heuristics import HEURISTICS
from bench.rules_table.row import FIGURES


def theory(rows):
    """Say up to which rules formulas and computed figures agree; raise AssertionError if any differs."""
    checked = {"total": [], "worst": []}
    for row in rows:
        for figure, formula in (("total", formulas.least_total), ("worst", formulas.worst_case)):
            value, bounds = formula(row.rules), row.optimal[figure]
            if value is not None and "formula" not in bounds.proof:
                assert bounds.lower <= value <= bounds.upper, row
                if bounds.is_exact:
                    checked[figure].append(row.rules)

    def last(figure, pegs, repeats):
        found = [rules.colors for rules in checked[figure] if (rules.pegs, rules.repeats) == (pegs, repeats)]
        return max(found, default=0)

    text = "The figures computed here agree with the formulas"
    parts = [
        f"totals of two pegs up to {last('total', 2, True)} colors, distinct up to {last('total', 2, False)}",
        f"V of two pegs up to {last('worst', 2, True)} colors, distinct up to {last('worst', 2, False)}",
        f"V of three pegs up to {last('worst', 3, True)} colors",
    ]
    return f"{text}: {'; '.join(parts)}." + three_distinct(rows)


def three_distinct(rows):
    """Describe V of three distinct pegs, for which no text of a formula was at hand."""
    three = [row for row in rows if row.rules.pegs == 3 and not row.rules.repeats]
    known = list(takewhile(lambda row: row.optimal["worst"].is_exact, three))
    values = ", ".join(str(row.optimal["worst"].upper) for row in known)
    if not known:
        return ""
    return (
        f" For three distinct pegs L.-T. Huang and S.-S. Lin, and Jäger and Peczarski (arXiv:1306.1713), prove V for "
        f"all n; the values computed here, from {known[0].rules.colors} to {known[-1].rules.colors} colors, are "
        f"{values}.{pattern(known)}"
    )


def pattern(rows):
    """Describe V of three distinct pegs by a formula that fits the computed values."""
    odd = [row for row in rows if row.optimal["worst"].upper != (row.rules.colors + 1) // 3 + 3]
    others = ", ".join(f"{row.optimal['worst'].upper} with {row.rules.colors} colors" for row in odd)
    return f" With n colors that is ⌊(n + 1)/3⌋ + 3, but {others}." if len(odd) == 1 else ""


def findings(rows):
    """Yield the findings, each as one paragraph."""
    played = [row for row in rows if row.rules.playable]
    for figure, what in (("evil", "with its written ties"), ("worst_ties", "with the worst ties")):
        for repeats, kind in ((True, "with repeats"), (False, "distinct")):
            yield not_worst(played, figure, what, repeats, kind)
    yield best_heuristics(played)
    yield worst_of_heuristics(played)
    yield open_figures(played)


def not_worst(rows, figure, what, repeats, kind):
    """Name the rules on which evil forces fewer guesses than the devil."""
    rows = [row for row in rows if row.rules.repeats == repeats]
    less = [row for row in rows if row.optimal[figure].upper < row.optimal["worst"].lower]
    equal = [row for row in rows if row.optimal[figure].lower == row.optimal["worst"].upper]
    unknown = [row for row in rows if row not in less and row not in equal]
    text = f"**Evil {what}, rules {kind}**: it is the worst codemaker on {len(equal)} of {len(rows)} rules"
    if less:
        gap = f"{less[0].optimal[figure].upper} guesses, and V is {less[0].optimal['worst'].lower}"
        text += f". The smallest on which it is not is `{less[0].rules}` ({gap}). All of these: {listed(less)}"
    return f"{text}. Open: {listed(unknown)}."


def listed(rows):
    return ", ".join(f"`{row.rules}`" for row in rows) or "none"


def best_heuristics(rows):
    """Count on how many rules each heuristic has the least total, and the least of all five."""
    exact = [row for row in rows if row.optimal["total"].is_exact]
    counts = {
        name: (
            sum(total(row, name) == row.optimal["total"].upper for row in exact),
            sum(total(row, name) == min(total(row, each) for each in HEURISTICS) for row in rows),
        )
        for name in HEURISTICS
    }
    text = ", ".join(f"{name} {optimal} and {best}" for name, (optimal, best) in counts.items())
    return (
        f"**The heuristics by total**: on how many of {len(exact)} rules each reaches the least total, and on how many "
        f"of {len(rows)} none of the five needs fewer guesses: {text}."
    )


def total(row, name):
    return row.figures[name]["total"].upper


def worst_of_heuristics(rows):
    """Count where a heuristic's worst case is V, and where evil forces it to its worst case."""
    known = [row for row in rows if row.optimal["worst"].is_exact]
    counts = {
        name: (
            sum(row.figures[name]["worst"].upper == row.optimal["worst"].upper for row in known),
            sum(row.figures[name]["evil"].upper < row.figures[name]["worst"].upper for row in rows),
        )
        for name in HEURISTICS
    }
    text = ", ".join(f"{name} {optimal} and {spared}" for name, (optimal, spared) in counts.items())
    return (
        f"**The heuristics by worst case**: on how many of {len(known)} rules each reaches V, and on how many of "
        f"{len(rows)} it beats evil in fewer guesses than its worst secret takes: {text}."
    )


def open_figures(rows):
    """Name the figures that are intervals, and the rules that are not computed."""
    found = {figure: [row for row in rows if not row.optimal[figure].is_exact] for figure in FIGURES}
    names = dict(zip(FIGURES, ("least total", "V", "G", "G worst ties"), strict=True))
    text = "**Open**: " + "; ".join(f"{names[figure]} of {listed(each)}" for figure, each in found.items())
    known = {row.rules for row in rows}
    missing = [f"`{rules}`" for rules in formulas.rules_up_to() if rules.playable and rules not in known]
    return f"{text}. Not computed yet: {', '.join(missing) or 'none'}."
