"""The tool that changes the product at random places."""

import ast

import pytest

from tools import mutants

SOURCE = '''"""A module."""
LIMIT: "Literal[3]" = -3


def first(word, /):
    """Say it."""
    note("ä", word)
    if not word is None and 1 < LIMIT:
        raise ValueError(word)
    return f"{word == 1}", word[0]
'''


@pytest.fixture
def tree(tmp_path):
    """A checkout with one module."""
    file = tmp_path / "game" / "evilpegs_game" / "words.py"
    file.parent.mkdir(parents=True)
    file.write_text(SOURCE)
    return tmp_path


def lines_changed(tree, kind):
    """Apply each mutant of a kind alone; return the lines that it changed, as they are then."""
    found = []
    for mutant in mutants.mutants_of(tree)[kind]:
        mutant.apply(tree)
        text = (tree / mutant.path).read_text()
        ast.parse(text)
        found += [new.strip() for new, old in zip(text.splitlines(), SOURCE.splitlines(), strict=True) if new != old]
        (tree / mutant.path).write_text(SOURCE)
    return found


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("flip", ["if not (word is not None) and 1 < LIMIT:", "if not word is None and (1 >= LIMIT):"]),
        ("drop", ["pass", "pass"]),
        ("constant", ['LIMIT: "Literal[3]" = -4', "if not word is None and 2 < LIMIT:"]),
        ("swap", ["note(word, 'ä')"]),
    ],
)
def test_each_change_is_at_its_place(tree, kind, changed):
    assert lines_changed(tree, kind) == changed


def test_seed_draws_the_same_again(tree):
    assert mutants.draw(tree, 1, 20) == mutants.draw(tree, 1, 20) != mutants.draw(tree, 2, 20)


def test_tests_are_those_of_the_file_its_folder_and_the_command_line():
    tests = mutants.ROOT / "tests"
    found = mutants.tests_of(mutants.Path("game/evilpegs_game/codes.py"), tests)
    assert found == [tests / "game" / "test_codes.py", tests / "game", tests / "cli"]
    found = mutants.tests_of(mutants.Path("server/evilpegs_server/site/app.py"), tests)
    assert found == [tests / "server" / "site" / "test_app.py", tests / "server" / "site", tests / "cli"]
