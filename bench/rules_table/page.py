"""docs/table.md and docs/table.svg, from docs/table.csv."""

from textwrap import fill

from bench.rules_table import findings
from bench.rules_table.chart import draw_chart
from bench.rules_table.heuristics import HEURISTICS
from bench.rules_table.row import FIGURES
from bench.rules_table.table_csv import read_csv, rows_in_order, write_csv

WIDTH = 120

HEAD = """# The table of rules

How good can a codebreaker be, and how good is each heuristic? This page answers for rules of 2 pegs and more with up to
5,040 codes, each with a proof or an interval. `4x6` are 4 pegs of 6 colors, and on `4x10-distinct` no color occurs
twice; any code of the rules may be guessed. On rules with 1 peg a guess only excludes itself, so they are left out.

## What the figures are

* **Total**: the guesses for all secrets together, the winning ones included; divided by the number of codes it is the
  **mean**. The least total is that of the best strategy.
* **V**, the worst case: the fewest guesses that are sure to be enough. The devil forces exactly as many.
* **G**: the fewest guesses that are sure to beat **evil**, which always leaves the most codes. Of equally large parts
  it leaves the one whose reply has the fewest blacks, then the fewest whites (the tie rule `largest`).
* **G worst ties**: the fewest guesses that are sure to beat evil if each tie between its largest parts is decided in
  the worst way: the codebreaker chooses each guess, the opponent chooses among the largest parts, and all-black is
  said only if no other reply is possible. So G ≤ G worst ties ≤ V.
* **A heuristic** plays the guess that is best under its criterion, [ties going](strategies.md) to a code that may be
  the secret, then to the first in code order. Its figures are its total, and in parentheses the most guesses for any
  secret, against evil, and against evil with the worst ties; one number if all three are equal.

Total, V, G and G worst ties are each the best that any strategy can do, not always one strategy at once: on 4x6 the
least total of 5,625 takes 6 guesses for some secrets, and V is 5. An interval such as 5–6 is proved at both ends: the
search for the exact figure ended at its budget.

## How each figure is proved

[table.csv](table.csv) has a line for each player on each rules, and says in the columns `_proof` where each figure
comes from; `a/b` means the lower bound by a and the upper bound by b:

| proof | meaning |
|---|---|
| `solve` | `evilpegs solve` searched all strategies, and `certify` played the tree that it found against every code |
| `search` | every guess was tried or ruled out by a bound: `evilpegs solve --against evil` or `devil` |
| `evaluation` | the strategy was played against every secret, or against every reply that its opponent may give |
| `formula` | a theorem, below |
| `certificate` | `certify` checked a tree of either kind: one that is shipped, or of those in [bounds.md](bounds.md) |
| `counting` | all first and second guesses were tried, and the codes of each part left were counted, below |
| `evil`, `worst_ties`, `worst`, `total` | G ≤ G worst ties ≤ V ≤ the worst case of the tree with the least total |
| the name of a heuristic | the heuristic needs no more |

Counting uses only the sizes of the parts after two guesses: k guesses find at most 1 + B + … + B^(k-1) codes, if no
guess has more than B replies besides all-black. `python -m bench.rules_table.counting 5x6` prints the bounds of some
rules.

`make table` computes everything and writes this page, the chart and the file; it takes hours of one processor, and the
same command goes on after an interruption. The budget of a search counts feedback evaluations, so the figures do not
depend on the machine. `python -m bench.rules_table --page` only writes page and chart again, from table.csv.

The tests compare page and file, and compute small rules with programs of their own, plain and slow: the figures of all
heuristics on rules of up to 130 codes, and the least total, V and both G on rules of up to 60.

table.csv is in the public domain ([CC0 1.0](https://creativecommons.org/publicdomain/zero/1.0/)): use it as you like.

## Formulas

* **Two pegs with repeats**, n colors: V is ⌊n/2⌋ + 2, and the least total (8n³ + 51n² − 74n + 48)/24 if n is even,
  (8n³ + 51n² − 80n + 69)/24 if n is odd: S.-T. Chen and S.-S. Lin, Optimal algorithms for 2 × n Mastermind games – a
  graph-partition approach, The Computer Journal 47 (2004). The abstract says n ≥ 2, but on 2x2 the formula of the
  total gives 7 and the least total is 8; from 3 colors on it agrees with what is computed here.
* **Two pegs, distinct**: V is ⌈n/2⌉ + 1, and the least total (4n³ + 21n² − 76n + 72)/12 if n is even,
  (4n³ + 21n² − 82n + 105)/12 if n is odd: S.-T. Chen and S.-S. Lin, Optimal algorithms for 2 × n AB games – a
  graph-partition approach, Journal of Information Science and Engineering 20 (2004). M. Peczarski, Algorithm to prove
  formulas for the expected number of questions in Mastermind games, arXiv:1808.03849 (2018), closed a gap in the
  proofs of the totals, for both kinds of rules.
* **Three pegs with repeats**, n ≥ 5 colors: V is ⌊(n − 1)/3⌋ + 4: G. Jäger and M. Peczarski, The number of pessimistic
  guesses in Generalized Mastermind, Information Processing Letters 109 (2009).

{theory}
"""


def write_all(stored, folder):
    """Write the CSV of the rows that are stored, then page and chart."""
    write_csv(rows_in_order(stored), folder / "table.csv")
    write_page(folder)


def write_page(folder):
    rows = read_csv(folder / "table.csv")
    (folder / "table.md").write_text(page_text(rows))
    draw_chart(rows, folder / "table.svg")


def page_text(rows):
    blocks = [HEAD.format(theory=wrap(findings.theory(rows))), "## Findings"]
    blocks += ["\n".join(wrap(each, "* ") for each in findings.findings(rows))]
    blocks += [
        "![The mean of each heuristic above the least mean, by the number of codes](table.svg)",
        "The chart shows how many guesses more than the best strategy a heuristic needs on average.",
        "## The table",
        wrap(
            "Rules of two pegs with 35 colors and more are in table.csv only, with least total and V by formula: the "
            "program has names for 34 colors. A total in bold is the least."
        ),
        "\n".join(table_lines([row for row in rows if row.rules.playable])),
    ]
    return "\n\n".join(block.strip() for block in blocks) + "\n"


def wrap(text, bullet=""):
    return fill(text, WIDTH, initial_indent=bullet, subsequent_indent=" " * len(bullet), break_on_hyphens=False)


def table_lines(rows):
    """Yield the lines of the table in Markdown."""
    yield "| rules | codes | least total | mean | V | G | G worst ties | " + " | ".join(HEURISTICS) + " |"
    yield "|---" + "|---:" * 6 + "|---" * len(HEURISTICS) + "|"
    for row in rows:
        total, *others = (row.optimal[figure] for figure in FIGURES)
        mean = f"{total.upper / row.rules.codes:.4f}" if total.is_exact else ""
        cells = [f"`{row.rules}`", f"{row.rules.codes:,}", shown(total), mean, *map(shown, others)]
        cells += [heuristic_cell(row.figures[name], total) for name in HEURISTICS]
        yield "| " + " | ".join(cells) + " |"


def shown(bounds):
    return f"{bounds.lower:,}" if bounds.is_exact else f"{bounds.lower:,}–{bounds.upper:,}"


def heuristic_cell(figures, least):
    total, *guesses = (figures[figure].upper for figure in FIGURES)
    text = f"**{total:,}**" if least.is_exact and total == least.upper else f"{total:,}"
    return f"{text} ({', '.join(map(str, guesses if len(set(guesses)) > 1 else guesses[:1]))})"
