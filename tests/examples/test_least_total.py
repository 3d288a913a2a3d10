"""The program in C that proves least totals by a search of its own, beside `evilpegs solve`."""

import subprocess
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, column_code, format_code, parse_code
from evilpegs_game.feedback import all_black, feedbacks
from evilpegs_game.optimal.least_total import LeastTotal
from evilpegs_game.partition import split
from evilpegs_game.rules import Rules
from evilpegs_game.trees.certificate import certify
from evilpegs_game.trees.tree import parse_tree
from support.compilers import compile_program
from support.printed import numbers_in

KNOWN = {"2x3": 21, "2x9": 388, "3x3": 73, "3x8": 2359, "5x3": 816, "6x2": 224, "4x6": 5625}
LONGER = {"4x7": 11228, "5x5": 13496}
"""Least totals; those of 4x6 (K. Koyama and T. W. Lai) and 4x7 (G. Ville) are in the literature."""
FIRST_GUESSES = {"2x3": 2, "2x9": 2, "3x3": 3, "3x8": 3, "5x3": 5, "6x2": 4, "4x6": 5, "4x7": 5, "5x5": 7}
"""How many first guesses are equal to no other one."""


def program(folder, *options):
    """Compile the program; return a function that runs it: its status, standard output, and lines of standard error."""
    path = compile_program("examples/least_total.c", folder, *options)

    def run(*arguments):
        ended = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout, ended.stderr.splitlines()

    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The program with its memory and arithmetic checked."""
    return program(tmp_path_factory.mktemp("c"), "-fsanitize=undefined,address")


@pytest.fixture(scope="module")
def run_fast(tmp_path_factory):
    """The program as its users compile it."""
    return program(tmp_path_factory.mktemp("c"), "-march=native")


def check_least_total(run, rules, total):
    status, tree, said = run(rules, total)
    assert (status, tree, len(said)) == (0, "", FIRST_GUESSES[rules])
    assert all(numbers_in(line.partition(":")[2]) == {str(total)} for line in said)
    status, tree, said = run(rules, total + 1)
    assert status == 1
    assert numbers_in(said[-1].partition(":")[2]) == {str(total), str(total + 1)}
    assert certify(parse_tree(tree)).total == total
    assert tree.splitlines()[2] == said[-1].partition(":")[0]


@pytest.mark.parametrize(("rules", "total"), KNOWN.items())
def test_program_proves_least_total_and_refuses_more(run, rules, total):
    check_least_total(run, rules, total)


@pytest.mark.parametrize(("rules", "total"), (KNOWN | LONGER).items())
def test_fast_program_proves_least_total_and_refuses_more(run_fast, rules, total):
    check_least_total(run_fast, rules, total)


@given(st.sampled_from(["2x4", "3x3", "3x4", "4x2", "4x3", "4x4", "5x2"]), st.data())
@settings(max_examples=40)
def test_program_agrees_on_total_after_each_first_guess(run, rules, data):
    rules = Rules.parse(rules)
    codes = all_codes(rules)
    text = "".join(
        data.draw(st.lists(st.sampled_from("1234567890"[: rules.colors]), min_size=rules.pegs, max_size=rules.pegs))
    )
    total = LeastTotal(rules).total_after(codes, parse_code(text, rules))
    assert run(rules, total, text) == (0, "", [f"{text}: no fewer than {total} guesses"])
    status, tree, _ = run(rules, total + data.draw(st.integers(1, 1000)), text)
    assert status == 1
    assert certify(parse_tree(tree)).total == total


def test_program_proves_part_of_least_total_of_5x6(run_fast):
    assert run_fast("5x6", 36_721, "11111", "11112")[0] == 0


SMALL_TABLES = ("-DSLOTS=32", "-DTRIED=1", "-DLARGE=3")
"""Sets replace each other, and are small enough for what is done to large ones."""


@pytest.mark.parametrize("tables", [(), SMALL_TABLES], ids=["tables", "small tables"])
@pytest.mark.parametrize("rules", ["3x6", "4x4", "4x6", "5x3", "6x2"])
def test_search_agrees_on_random_sets(tmp_path, rules, tables):
    rules, random, asked, totals = Rules.parse(rules), Random(str(rules)), [], []
    program = compile_program("tests/support/least_totals_of_sets.c", tmp_path, "-fsanitize=undefined,address", *tables)
    codes, solver, numbers = all_codes(rules), LeastTotal(rules), feedbacks(rules.pegs)
    for _ in range(60):
        first = column_code(codes, random.randrange(rules.size))
        feedback, part = random.choice([one for one in split(codes, first) if one[0] != all_black(rules.pegs)])
        size = random.randint(1, min(part.shape[1], 90))
        chosen = sorted(random.sample(range(part.shape[1]), size))
        asked.append(f"{format_code(first)} {numbers.index(feedback)} {' '.join(map(str, chosen))}\n")
        totals.append(solver.total(np.ascontiguousarray(part[:, chosen])))
    answers = subprocess.run(
        [program, str(rules.pegs), str(rules.colors)], input="".join(asked), capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert len(answers) == len(asked)
    for total, answer in zip(totals, answers, strict=True):
        lower, bounded, least = map(int, answer.split())
        assert lower <= total == least
        assert bounded == min(total, lower + 1)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("4x6",),
        ("4x", "9"),
        ("4x6x", "9"),
        ("4x6", "9x"),
        ("4x6", "0"),
        ("4x6", "-1"),
        ("1x6", "9"),
        ("7x2", "9"),
        ("2x-2147483648", "9"),
        ("2147483647x1", "9"),
        ("2x11", "9"),
        ("6x5", "9"),
        ("4x6", "9", "112"),
        ("4x6", "9", "11223"),
        ("4x6", "9", "1117"),
        ("4x6", "9", "1122", "x"),
    ],
)
def test_program_says_in_a_line_what_it_cannot_do(run, arguments):
    status, tree, said = run(*arguments)
    assert (status, tree, len(said)) == (2, "", 1)
