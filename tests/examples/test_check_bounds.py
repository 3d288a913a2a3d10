"""The program that checks trees with numpy alone, beside `evilpegs certify`."""

import ast
import ctypes
import gzip
import io
import runpy
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_clients.strategies.tree_strategy import tree_text
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.errors import GameError
from evilpegs_game.rules import Rules
from evilpegs_game.trees.adversary import AdversaryTree, format_adversary, parse_tree_or_adversary
from evilpegs_game.trees.certificate import TreeError, certify
from evilpegs_game.trees.few_guesses import FewGuesses
from evilpegs_game.trees.lower_bound import LowerBound, certify_adversary
from evilpegs_game.trees.tree import format_tree, parse_tree
from evilpegs_game.trees.worst_case_trees import find_adversary, find_strategy
from support.compilers import compile_program
from support.printed import numbers_in

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "check_bounds.py"
BOUNDS = ROOT / "docs" / "bounds"
PROGRAM_NAMES = runpy.run_path(str(PROGRAM))
main = PROGRAM_NAMES["main"]

# the worst cases in the literature: Jäger and Peczarski, Ville, Chen and Lin for two pegs
VALUES = {"3x3": 4, "3x5": 5, "4x4": 4, "4x6": 5, "4x6-distinct": 5, "3x8": 6, "2x10": 7}

RECORDS = {
    "5x6": 6,
    "4x9": 7,
    "4x10": 7,
    "4x10-distinct": 7,
    "5x7": 6,
    "5x8": 7,
    "5x5": 5,
    "6x4": 5,
    "4x9-distinct": 6,
    "3x13-distinct": 7,
    "3x15-distinct": 8,
    "3x16-distinct": 8,
    "3x18-distinct": 9,
}
"""The bounds that docs/bounds.md proves."""
NATIVE = ("-march=native",)
LONG = {"5x8"}
"""Rules whose adversary takes too long to be certified here."""
TOTALS = {"4x10": (55_911, 8), "5x8": (178_877, 8)}
"""Totals and worst cases of the trees with few guesses in all."""


@pytest.fixture
def check(tmp_path, capsys):
    """Run the program on a text; return its status, and what it printed besides the name of the file."""

    def check(text, *option):
        (tmp_path / "a").write_bytes(text if isinstance(text, bytes) else text.encode())
        status = main([str(tmp_path / "a"), *option])
        out, err = capsys.readouterr()
        assert bool(err) == bool(status)
        return status, (out + err).removeprefix(f"{tmp_path / 'a'}: ").partition(";")[0]

    return check


@pytest.fixture(scope="session", params=[(), NATIVE], ids=["any", "native"])
def library(request, tmp_path_factory):
    """The compiled part of the program, for any processor or with the wide vectors of this one."""
    folder = tmp_path_factory.mktemp("c")
    return str(compile_program("examples/three_guesses.c", folder, "-shared", "-fPIC", *request.param))


@pytest.mark.parametrize(("rules", "value"), VALUES.items())
def test_program_agrees_on_worst_case(check, rules, value):
    worst = WorstCase(Rules.parse(rules))
    strategy = find_strategy(worst, value)
    status, printed = check(format_tree(strategy))
    assert status == 0
    assert numbers_in(printed) == {str(value), str(certify(strategy).total), str(worst.rules.size)}
    status, printed = check(format_adversary(find_adversary(worst, value - 1)))
    assert (status, numbers_in(printed)) == (0, {str(value - 1)})


# 3x8 needs six guesses; line 13 is 123 0,1
TREE = format_adversary(find_adversary(WorstCase(Rules(3, 8)), 5))
REPLIES_OF_3X5 = format_adversary(find_adversary(WorstCase(Rules(3, 5)), 4))
SHALLOW = format_adversary(find_adversary(WorstCase(Rules(2, 5)), 3))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("guesses 5", "guesses 6", "4"),
        ("111 0,0\n", "", "3"),
        ("  456 0,1\n", "", "13"),
        ("  341 0,1\n", "  341 2,0\n", "9"),
        ("123 0,1\n", "123 0,2\n", "13"),
        ("123 0,1\n", "123 3,0\n", "13"),
        ("112 0,0\n  134", "112 2,1\n  134", "5"),
        ("  456 0,1\n", "  459 0,1\n", "25"),
        ("  456 0,1\n", "      456 0,1\n", "25"),
        ("rules 3x8", "rules 3x9x", "2"),
    ],
)
def test_both_programs_refuse_what_proves_nothing(check, old, new, line):
    text = TREE.replace(old, new, 1)
    assert text != TREE
    status, printed = check(text)
    assert (status, printed.partition(":")[0]) == (1, f"line {line}")
    with pytest.raises(GameError):
        certify_adversary(parse_tree_or_adversary(text))


@pytest.mark.parametrize(("old", "new", "line"), [("  0,0 2\n", "", "3"), ("0,0 2", "0,0 1", "4"), ("1x2", "1x3", "4")])
def test_program_refuses_tree_that_solves_less(check, old, new, line):
    status, printed = check("evilpegs tree 1\nrules 1x2\n1\n  0,0 2\n".replace(old, new))
    assert (status, printed.partition(":")[0]) == (1, f"line {line}")


def test_program_reads_compressed_trees(check):
    packed = gzip.compress(TREE.encode())
    assert check(packed)[0] == 0
    assert check(packed[:-9])[0] == check(packed[:-2] + b"zz")[0] == 1


STRATEGY = format_tree(find_strategy(WorstCase(Rules(2, 3)), 4))
ADVERSARY = "evilpegs adversary 1\nrules 1x3\nguesses 2\n"
REPLIES = "evilpegs adversary 1\nrules 2x10\nguesses 6\n11 0,0\n  12 0,0\n  22 0,0\n  23 0,0\n"
# the forms that docs/trees.md does not have; of each the first wrong line
MALFORMED = {
    "two first guesses": (STRATEGY + "12\n", STRATEGY.count("\n") + 1),
    "guess that was answered": (TREE + "123 0,1\n", TREE.count("\n") + 1),
    "feedback that was answered": (STRATEGY + "  0,0 11\n", STRATEGY.count("\n") + 1),
    "feedback by another name": ("evilpegs tree 1\nrules 3x2\n112\n  0,4 111\n", 4),
    "black of another script": (REPLIES.replace("11 0,0", "11 0,\u0660"), 4),
    "peg of another script": (REPLIES.replace("11 0,0", "1\uff11 0,0"), 4),
    "letter that becomes a color": ("evilpegs tree 1\nrules 1x34\n\u017f\n", 3),
    "rules of another script": (ADVERSARY.replace("1x3", "1x\u0663"), 2),
    "number of another script": (ADVERSARY.replace("guesses 2", "guesses \u00b2"), 3),
    "no guesses": (ADVERSARY.replace("guesses 2", "guesses 0"), 3),
    "too many guesses": (ADVERSARY.replace("guesses 2", "guesses 129"), 3),
    "too many guesses after zeros": (ADVERSARY.replace("guesses 2", "guesses 0001000"), 3),
    "more turns than guesses": (ADVERSARY + "1 0,0\n  2 0,0\n    3 0,0\n", 6),
    "nothing": ("", 1),
    "no rules": ("evilpegs tree 1\n", 1),
    "no first guess": ("evilpegs tree 1\nrules 2x3\n", 2),
    "no number of guesses": ("evilpegs adversary 1\nrules 1x3\n", 2),
    "later form": (STRATEGY.replace("tree 1", "tree 2"), 1),
    "code that is too short": (STRATEGY.replace("rules 2x3", "rules 3x3"), 3),
    "turn of one word": (REPLIES.replace("11 0,0", "11"), 4),
    "turn of three words": (REPLIES.replace("11 0,0", "11 0,0 0,0"), 4),
    "two spaces": (REPLIES.replace("11 0,0", "11  0,0"), 4),
    "tab": (REPLIES.replace("  12", "\t12"), 5),
    "three spaces": (REPLIES.replace("  12", "   12"), 5),
    "too deep": (REPLIES.replace("  12", "    12"), 5),
    "rules without codes": (ADVERSARY.replace("1x3", "3x2-distinct"), 2),
    "too many colors": (ADVERSARY.replace("1x3", "1x35"), 2),
    "too many codes": (ADVERSARY.replace("1x3", "12x14"), 2),
    "not UTF-8": (b"evilpegs tree 1\nrules 2x3\n\xff\n", 3),
    "UTF-16": (STRATEGY.encode("utf-16"), 1),
    "129 guesses": (
        "evilpegs tree 1\nrules 1x2\n" + "".join(f"{'  ' * n}{'0,0 ' if n else ''}1\n" for n in range(129)),
        131,
    ),
}


@pytest.mark.parametrize(("text", "line"), MALFORMED.values(), ids=MALFORMED)
def test_both_programs_refuse_the_same_line(check, text, line):
    status, printed = check(text)
    assert (status, printed.partition(":")[0]) == (1, f"line {line}")
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(GameError, match=rf"^line {line}\b|UTF-16|too many codes|12x14|too many|129"):
        certify_either(data)


def certify_either(data):
    tree = parse_tree_or_adversary(tree_text(data))
    return certify_adversary(tree) if isinstance(tree, AdversaryTree) else certify(tree)


@settings(max_examples=150)
@given(data=st.data())
def test_both_programs_judge_changed_trees_alike(data):
    text = data.draw(st.sampled_from([STRATEGY, REPLIES_OF_3X5, SHALLOW]))
    lines = text.splitlines()
    at = data.draw(st.integers(0, len(lines) - 1))
    kind = data.draw(st.sampled_from(["drop", "double", "move", "word", "symbol"]))
    if kind == "drop":
        del lines[at]
    elif kind == "double":
        lines.insert(at, lines[at])
    elif kind == "move":
        lines.insert(data.draw(st.integers(0, len(lines) - 1)), lines.pop(at))
    elif kind == "word":
        lines[at] = " ".join(reversed(lines[at].split(" ")))
    else:
        peg = data.draw(st.integers(0, len(lines[at]) - 1))
        lines[at] = lines[at][:peg] + data.draw(st.sampled_from("0123459, #x\u0661")) + lines[at][peg + 1 :]
    changed = "\n".join(lines) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a").write_text(changed)
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            status = main([f"{folder}/a"])
    try:
        certify_either(changed.encode())
    except GameError:
        assert status == 1
    else:
        assert status == 0


def test_program_says_what_it_cannot_read(tmp_path, capsys):
    tree = str(tmp_path / "tree")
    Path(tree).write_text(TREE)
    asked = [
        [],
        [tree, ""],
        [str(tmp_path)],
        [str(tmp_path / "none")],
        [tree, "none.so"],
        [tree, tree],
        [tree, "1", "2"],
    ]
    assert [main(arguments) for arguments in asked] == [2] * len(asked)
    assert len(capsys.readouterr().err.splitlines()) == len(asked)


def test_program_gives_up_on_too_many_symmetries(check, monkeypatch):
    """Turns that can stand in any order, one color each; a list of their orders would not fit in memory."""
    monkeypatch.setitem(main.__globals__, "MOST_SYMMETRIES", 1 << 12)

    def replies(depth):
        one, other = "1234567890ABCDEFG"[depth : depth + 2]
        guesses = [one + one, one + other, "1" + one] if depth else [one + one, one + other]
        lines = [f"{'  ' * depth}{guess} 0,0\n" for guess in guesses]
        return lines[:1] + (replies(depth + 1) if depth < 14 else []) + lines[1:]

    status, printed = check("evilpegs adversary 1\nrules 2x34\nguesses 20\n" + "".join(replies(0)))
    assert (status, "symmetries" in printed) == (1, True)


@pytest.fixture
def given_parts(monkeypatch):
    """The numbers of parts that the program gives to its library."""
    given, adversary = [], PROGRAM_NAMES["Adversary"]
    ask = adversary.are_three_enough

    def note(self, rows, parts):
        given.append(len(parts))
        return ask(self, rows, parts)

    monkeypatch.setattr(adversary, "are_three_enough", note)
    return given


@pytest.mark.parametrize("rules", ["3x3", "4x4", "3x5"])
def test_program_decides_four_guesses_with_part_in_c(check, library, rules, given_parts):
    """Without a line, the tree ends before the first guess."""
    text = f"evilpegs adversary 1\nrules {rules}\nguesses 4\n"
    assert check(text) == (judged := check(text, library))
    assert judged[0] == int(VALUES[rules] <= 4)
    assert sum(given_parts) > 0


@pytest.mark.parametrize("text", ["rules 1x1\nguesses 4\n", "rules 1x2\nguesses 5\n1 0,0\n"])
def test_program_knows_with_part_in_c_that_one_secret_is_found(check, library, text):
    text = f"evilpegs adversary 1\n{text}"
    assert check(text) == (judged := check(text, library))
    assert judged[0] == 1


def test_program_decides_ends_below_first_guesses_with_part_in_c(check, library):
    ends = "".join(line for line in TREE.splitlines(True) if not line.startswith(" "))
    assert check(ends)[0] == check(ends, library)[0] == 0
    status, printed = check(ends.replace("123 0,1\n", "123 1,1\n"), library)
    assert (status, printed.partition(":")[0]) == (1, "line 6")


@pytest.mark.full
@pytest.mark.parametrize(("library", "rules"), [(NATIVE, "4x9"), ((), "4x10")], indirect=["library"])
def test_shipped_adversary_that_ends_early_is_proved_with_part_in_c(check, library, rules, monkeypatch):
    monkeypatch.setitem(main.__globals__, "SILENT_SECONDS", 10**6)
    status, printed = check((BOUNDS / f"{rules}.adversary").read_bytes(), library)
    assert (status, numbers_in(printed)) == (0, {str(RECORDS[rules] - 1)})


@pytest.mark.parametrize("rules", ["4x6", "5x4", "3x8", "4x6-distinct", "6x3", "2x10"])
def test_part_in_c_decides_three_guesses(library, rules):
    game = PROGRAM_NAMES["read_rules"](1, f"rules {rules}", is_adversary=True)
    by_program = PROGRAM_NAMES["Adversary"](game, 4, None, library=ctypes.CDLL(library))
    rng, numbers = Random(1), np.arange(len(game.codes))
    sizes = [rng.randint(1, min(len(numbers), 120)) for _ in range(60)]
    parts = [np.array(sorted(rng.sample(numbers.tolist(), size))) for size in sizes]
    worst = WorstCase(Rules.parse(rules))
    expected = [worst.is_solvable(game.at_peg[:, part], 3) for part in parts]
    assert by_program.are_three_enough(numbers, parts) == expected
    assert set(expected) == {False, True}


@pytest.mark.parametrize(("rules", "least"), [("5x6", 161), ("4x8", 80), ("4x9-distinct", 80)])
def test_part_in_c_finds_few_good_guesses(library, rules, least):
    """Parts made so that three guesses are enough, of which the first is the last of all codes or one at random."""
    game = PROGRAM_NAMES["read_rules"](1, f"rules {rules}", is_adversary=True)
    by_program = PROGRAM_NAMES["Adversary"](game, 4, None, library=ctypes.CDLL(library))
    rng, numbers, parts = Random(2), np.arange(len(game.codes)), []
    for first in [numbers[-1], *rng.sample(numbers.tolist(), 3)]:
        given, part = by_program.table[first], []
        for feedback in set(given.tolist()) - {game.all_black}:
            left = np.flatnonzero(given == feedback)
            second = by_program.table[rng.randrange(len(numbers))]
            part += [left[second[left] == one][0] for one in set(second[left].tolist())]
        parts.append(np.array(sorted(part)))
    assert max(map(len, parts)) >= least
    assert by_program.are_three_enough(numbers, parts) == [True] * len(parts)


def test_part_in_c_refuses_what_it_cannot_count(check, library):
    status, printed = check("evilpegs adversary 1\nrules 8x2\nguesses 4\n", library)
    assert (status, "library" in printed) == (1, True)


def test_program_refuses_other_library(tmp_path, capsys):
    (tmp_path / "tree").write_text(TREE)
    assert (
        main([str(tmp_path / "tree"), str(compile_program("examples/program_bot.c", tmp_path, "-shared", "-fPIC"))])
        == 2
    )
    assert "three_guesses.c" in capsys.readouterr().err


def test_program_shares_no_code():
    imports = [
        node for node in ast.walk(ast.parse(PROGRAM.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    modules = {node.module if isinstance(node, ast.ImportFrom) else node.names[0].name for node in imports}
    assert "numpy" in modules
    assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names | {"numpy"}


def shipped_adversary(rules):
    return parse_tree_or_adversary((BOUNDS / f"{rules}.adversary").read_text())


def test_every_shipped_adversary_is_known():
    assert {path.name.partition(".")[0] for path in BOUNDS.glob("*.adversary")} <= set(RECORDS)


@pytest.mark.parametrize("rules", sorted({path.name.partition(".")[0] for path in BOUNDS.glob("*.adversary")} - LONG))
def test_shipped_adversary_is_certified(rules):
    assert certify_adversary(shipped_adversary(rules)) == LowerBound(Rules.parse(rules), RECORDS[rules])


@pytest.mark.full
@pytest.mark.parametrize("rules", sorted(LONG))
def test_long_adversary_replies_to_every_guess_and_is_right_where_sampled(rules, monkeypatch):
    """Each position at which the tree ends takes up to ten seconds, so six of them are decided."""
    adversary, ends = shipped_adversary(rules), []

    def note(_, columns, left, guessed):
        ends.append((columns, left, guessed))
        return False

    with monkeypatch.context() as patch:
        patch.setattr(FewGuesses, "are_enough", note)
        assert certify_adversary(adversary) == LowerBound(Rules.parse(rules), RECORDS[rules])
        first, answer = next((guess, answer) for guess, answer in adversary.answers.items() if answer.answers)
        fewer = dict(list(answer.answers.items())[1:])
        doctored = adversary._replace(answers={**adversary.answers, first: answer._replace(answers=fewer)})
        with pytest.raises(TreeError):
            certify_adversary(doctored)
    few = FewGuesses(Rules.parse(rules))
    assert not any(few.are_enough(*end) for end in Random(1).sample(ends, 6))


@pytest.mark.parametrize("rules", sorted(path.name.partition(".")[0] for path in BOUNDS.glob("*.tree.gz")))
def test_shipped_tree_is_certified(check, rules):
    data = (BOUNDS / f"{rules}.tree.gz").read_bytes()
    certified = certify(parse_tree(gzip.decompress(data).decode()))
    codes = Rules.parse(rules).size
    total, worst = TOTALS.get(rules, (certified.total, RECORDS[rules]))
    assert (certified.count, certified.total, certified.max) == (codes, total, worst)
    status, printed = check(data)
    assert (status, numbers_in(printed)) == (0, {str(certified.max), str(certified.total), str(codes)})
