"""Rows are computed one by one and kept as lines of JSON, so the computation goes on after an interruption."""

import json
import os
import time

import evilpegs
from bench.rules_table.row import make_row
from bench.rules_table.rules import rules_up_to
from evilpegs_game.optimal.proof_log import ProofLog


def read_rows(path):
    """Return the stored rows by rules; a last line that was cut off is removed."""
    data = path.read_bytes() if path.exists() else b""
    if not data.endswith(b"\n") and data:
        os.truncate(path, data.rfind(b"\n") + 1)
    stored = [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]
    return {row["rules"]: row for row in stored}


def is_finished(row, budget):
    exact = all(lower == upper for figures in row["figures"].values() for lower, upper, _ in figures.values())
    return exact or row["budget"] >= budget


def read_proofs(folder, rules):
    """Return what `evilpegs solve --journal` proved about the rules, if it is there."""
    path = folder / f"{rules}.journal" if folder else None
    return ProofLog.from_bytes(path.read_bytes()) if path and path.exists() else None


def compute(path, most_codes, budget, proofs):
    rows = read_rows(path)
    for rules in rules_up_to(most_codes):
        if str(rules) in rows and is_finished(rows[str(rules)], budget):
            continue
        start = time.process_time()
        figures = make_row(rules, budget, read_proofs(proofs, rules))
        row = {"rules": str(rules), "version": evilpegs.__version__, "budget": budget, "figures": figures}
        with path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{rules}: {figures['optimal']} in {time.process_time() - start:.1f} s", flush=True)
