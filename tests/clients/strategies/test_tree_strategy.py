"""A strategy tree as a strategy: from a file, compressed or not, and from a `Tree`."""

import gzip
import re
from hashlib import sha256

import pytest

import evilpegs
from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.strategies.loading import file_stem, load_strategy, read_source
from evilpegs_clients.strategies.strategy import StrategyError, seeded_choice, turn_rng
from evilpegs_clients.strategies.tree_strategy import TreeStrategy, tree_text
from evilpegs_game.errors import EvilpegsError
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_game.trees import tree as trees
from evilpegs_game.trees.tree import format_tree
from support.walks import evaluate

TREE = evilpegs.tree("minimax", "3x3")
TEXT = format_tree(TREE)
RULES = Rules(3, 3)


@pytest.fixture
def write(tmp_path):
    def write(text, name="mine.tree"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return str(path)

    return write


def refusal(call):
    with pytest.raises(StrategyError) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", ["mine.tree", "mine.tree.gz"])
def test_tree_file_plays_its_tree(write, name):
    strategy = load_strategy(write(TEXT, name))
    assert (strategy.name, strategy.uses_rng) == (name, False)
    assert strategy.version == sha256(TEXT.encode()).hexdigest()[:8]
    assert evaluate(seeded_choice(strategy), RULES).distribution == evilpegs.certify(TREE).distribution


def test_tree_object_is_a_strategy():
    result = evilpegs.evaluate([TREE, "minimax"], rules="3x3")
    assert [each.total for each in result] == [evilpegs.certify(TREE).total] * 2
    assert evilpegs.compare("minimax", TREE, rules="3x3", max_pairs=30).pairs == 30
    assert evilpegs.duel(TREE, codemaker="evil", rules="3x3").turns[0].guess == TREE.root.guess
    assert evilpegs.tree(TREE, "3x3") == TREE


def test_path_of_tree_is_a_strategy(write, tmp_path):
    write(TEXT, "mine.tree.gz")
    path = tmp_path / "mine.tree.gz"
    assert evilpegs.certify(path).total == evilpegs.evaluate(path, rules="3x3").total == 74


def test_tree_ignores_rng():
    strategy = TreeStrategy(TREE)
    assert len({strategy.choose(Position(RULES), turn_rng(seed, 1)) for seed in range(20)}) == 1


def test_game_of_other_rules_names_both(write):
    text = refusal(lambda: evilpegs.evaluate(write(TEXT), rules="4x6"))
    assert {"mine.tree", "3x3", "4x6"} <= set(re.findall(r"[\w.]+", text))


def test_other_guess_than_the_tree(write):
    text = refusal(lambda: evilpegs.evaluate(write(TEXT), rules="3x3", first="333"))
    assert {"333", "112", "mine.tree"} <= set(re.findall(r"[\w.]+", text))


def test_missing_reply_is_named(write):
    lines = TEXT.splitlines()
    gap = next(number for number, line in enumerate(lines) if line.startswith("    "))
    path = write("\n".join([*lines[:gap], *lines[gap + 1 :]]))
    text = refusal(lambda: evilpegs.evaluate(path, rules="3x3"))
    first, reply, second = lines[2], *lines[gap - 1].split()
    assert f"{first}:{reply} {second}:{lines[gap].split()[0]};" in text
    assert "evilpegs certify" in text
    with pytest.raises(EvilpegsError, match=f"after {first} {reply}: nothing follows"):
        evilpegs.certify(path)


@pytest.mark.parametrize("name", ["mine.tree", "mine.tree.gz"])
@pytest.mark.parametrize(("text", "line"), [("", 1), ("import os", 1), (TEXT.replace("112", "119", 1), 3)])
def test_malformed_tree_names_file_and_line(write, name, text, line):
    path = write(text, name)
    assert refusal(lambda: load_strategy(path)).startswith(f"{path}: line {line}: ")


def test_damaged_files_are_refused(write, tmp_path):
    path = tmp_path / "bad.tree.gz"
    packed = gzip.compress(TEXT.encode())
    for data in (packed[:-9], packed[:20] + b"x" + packed[21:], b"\x1f\x8b", b"\xff", TEXT.encode("utf-16-be")):
        path.write_bytes(data)
        assert refusal(lambda: load_strategy(path)).startswith(f"{path} cannot be read: ")


def test_small_file_that_unpacks_to_much_is_refused(write, monkeypatch):
    monkeypatch.setattr("evilpegs_clients.strategies.tree_strategy.MAX_TREE_CHARACTERS", 1000)
    monkeypatch.setattr(trees, "MAX_TREE_CHARACTERS", 1000)
    data = gzip.compress(b" " * 10**6)
    assert len(data) < 2000
    assert len(tree_text(data)) == 1001
    assert "1,000" in refusal(lambda: load_strategy(write(" " * 10**6, "bomb.tree.gz")))


def test_missing_tree_and_candidates_only(write, tmp_path):
    assert "evilpegs tree" in refusal(lambda: load_strategy(tmp_path / "no.tree"))
    assert "directory" in refusal(lambda: load_strategy((tmp_path / "x.tree").mkdir() or tmp_path / "x.tree"))
    assert "mine.tree" in refusal(lambda: load_strategy(write(TEXT), candidates_only=True))
    with pytest.raises(StrategyError):
        evilpegs.evaluate(TREE, rules="3x3", candidates_only=True)


@pytest.mark.parametrize("name", ["mine.tree", "mine.tree.gz"])
def test_spec_of_tree_plays_where_the_file_is_missing(write, name):
    here = write(TEXT, name)
    spec = StrategySpec(f"/elsewhere/{name}", read_source(here), RULES)
    assert spec.load().tree == TREE
    assert spec.load().name == name
    assert spec.digest == StrategySpec(here, TEXT, RULES).digest != StrategySpec(here, TEXT + "\n", RULES).digest


def test_file_stem():
    assert [file_stem(f"a.b{ending}") for ending in (".py", ".tree", ".tree.gz", ".gz", "")] == [
        *["a.b"] * 3,
        "a.b.gz",
        "a.b",
    ]
