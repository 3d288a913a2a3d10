"""Rows are computed one by one and kept as lines of JSON, so the computation goes on after an interruption."""

import json
import os
import time

import evilpegs
from bench.command import ROOT
from bench.rules_table.row import make_row
from bench.rules_table.rules import rules_up_to
from evilpegs_clients.strategies.optimal import TREES
from evilpegs_game.optimal.proof_log import ProofLog

BOUNDS = ROOT / "docs" / "bounds"
KINDS = ("tree", "tree.gz", "adversary")


def read_rows(path):
    """Return the stored rows by rules; a last line that was cut off is removed."""
    data = path.read_bytes() if path.exists() else b""
    if not data.endswith(b"\n") and data:
        os.truncate(path, data.rfind(b"\n") + 1)
    stored = [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]
    return {row["rules"]: row for row in stored}


def is_exact(row):
    return all(lower == upper for figures in row["figures"].values() for lower, upper, _ in figures.values())


def read_proofs(folder, rules):
    """Return what `evilpegs solve --journal` proved about the rules, if it is there."""
    path = folder / f"{rules}.journal" if folder else None
    return ProofLog.from_bytes(path.read_bytes()) if path and path.exists() else None


def read_certificates(folder, rules):
    """Return what `certify` proves of the trees of both kinds that are shipped, or in the folder."""
    folders = (TREES, BOUNDS, *([folder] if folder else []))
    files = [each / f"{rules}.{kind}" for each in folders for kind in KINDS]
    return [evilpegs.certify(file) for file in files if file.exists()]


def compute(path, most_codes, budget, proofs):
    rows = read_rows(path)
    for rules in rules_up_to(most_codes):
        row = rows.get(str(rules))
        if row and is_exact(row):
            continue
        start, proof_log = time.process_time(), read_proofs(proofs, rules)
        certificates = read_certificates(proofs, rules)
        searched = row["budget"] if row else 0
        known = row and row["figures"]
        # after a search as long as this one, only what needs no search
        figures = make_row(rules, budget if searched < budget else 0, proof_log, certificates, known)
        spent = max(budget, searched)
        new = json.dumps({"rules": str(rules), "version": evilpegs.__version__, "budget": spent, "figures": figures})
        if known == json.loads(new)["figures"] and searched == spent:
            continue
        with path.open("a") as file:
            file.write(new + "\n")
        print(f"{rules}: {figures['optimal']} in {time.process_time() - start:.1f} s", flush=True)
