import pytest

from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import StrategyError, player
from evilpegs_game.candidates import LiveSets, Position
from evilpegs_game.errors import OverBudgetError
from evilpegs_game.evaluation import evaluate
from evilpegs_game.rules import Rules

ROOT = Position(Rules(3, 3), (), LiveSets())


@pytest.fixture
def write(tmp_path):
    def write(text, name="mine.py"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def complaint(call):
    with pytest.raises(StrategyError) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", STRATEGIES)
def test_names_are_strategies(name):
    assert load_strategy(name).name == name


@pytest.mark.parametrize("name", ["", "minmax", "MINIMAX", "mine", "x" * 10_000])
def test_an_unknown_name_lists_the_known(name):
    told = complaint(lambda: load_strategy(name))
    assert all(known in told for known in STRATEGIES)
    assert len(told) < 300


def test_a_file_plays(write):
    strategy = load_strategy(write("def choose(position, rng):\n    return position.first_candidate\n"))
    assert strategy.name == "mine.py"
    assert evaluate(player(strategy), Rules(3, 3)).total == 89


def test_a_file_has_its_rng(write):
    strategy = load_strategy(write("def choose(position, rng):\n    return (rng.randrange(3),) * 3\n"))
    assert len({player(strategy, seed)(ROOT) for seed in range(30)}) == 3


def test_a_file_may_use_dataclasses(write):
    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Idea:\n    code: tuple[int, ...]\n"
        "def choose(position, rng):\n    return Idea((0, 0, 1)).code\n"
    )
    assert player(load_strategy(write(text)))(ROOT) == (0, 0, 1)


@pytest.mark.parametrize("path", ["nowhere.py", "/", "/tmp", "a\0b.py", "/nowhere/at/all.py"])
def test_a_missing_file(path):
    assert "no strateg" in complaint(lambda: load_strategy(path))


def test_a_directory_is_no_file(tmp_path):
    (tmp_path / "folder.py").mkdir()
    assert "no strategy file" in complaint(lambda: load_strategy(str(tmp_path / "folder.py")))


@pytest.mark.parametrize("text", ["", "choose = 3\n", "def chose(position, rng): ...\n"])
def test_a_file_without_choose(write, text):
    assert "has no function choose(position, rng)" in complaint(lambda: load_strategy(write(text)))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def choose(\n", "SyntaxError"),
        ("x = 1\n1 / 0\n", "ZeroDivisionError: division by zero (line 2)"),
        ("import no_such_module\n", "No module named 'no_such_module' (line 1)"),
        ("raise ValueError('two\\nlines')\n", "ValueError: two lines (line 1)"),
        ("import sys\nsys.exit(3)\n", "SystemExit: 3"),
        ("\0", "cannot be loaded"),
    ],
)
def test_a_file_that_does_not_load(write, text, told):
    path = write(text)
    message = complaint(lambda: load_strategy(path))
    assert message.startswith(f"{path} cannot be loaded: ")
    assert told in message


def test_a_file_that_fails_while_it_plays(write):
    strategy = load_strategy(write("def choose(position, rng):\n    return {}[position.turn]\n"))
    told = complaint(lambda: player(strategy)(ROOT))
    assert told == "strategy mine.py failed at turn 1: KeyError: 1 (line 2)"


@pytest.mark.parametrize(("exit_", "told"), [("sys.exit(0)", "SystemExit: 0"), ("exit()", "SystemExit: None")])
def test_a_file_that_wants_to_exit_fails_like_any_other(write, exit_, told):
    strategy = load_strategy(write(f"import sys\ndef choose(position, rng):\n    {exit_}\n"))
    assert complaint(lambda: player(strategy)(ROOT)) == f"strategy mine.py failed at turn 1: {told} (line 3)"


def test_an_interruption_by_the_user_is_not_the_fault_of_the_file(write):
    strategy = load_strategy(write("def choose(position, rng):\n    raise KeyboardInterrupt\n"))
    with pytest.raises(KeyboardInterrupt):
        player(strategy)(ROOT)


@pytest.mark.filterwarnings("error")
def test_an_async_choose_is_refused_at_once(write):
    path = write("async def choose(position, rng):\n    return (0, 0, 0)\n")
    assert "is async; write it as a plain function" in complaint(lambda: load_strategy(path))


def test_a_file_with_an_illegal_choice(write):
    strategy = load_strategy(write("def choose(position, rng):\n    return 7\n"))
    assert "strategy mine.py chose 7, not a code of 3x3" in complaint(lambda: player(strategy)(ROOT))


def test_errors_of_the_game_pass_through(write):
    text = (
        "from evilpegs_game.criteria import MINIMAX\nfrom evilpegs_game.selection import best_guess\n"
        "def choose(position, rng):\n    return best_guess(position, MINIMAX)\n"
    )
    with pytest.raises(OverBudgetError):
        player(load_strategy(write(text)))(Position(Rules(3, 3), (), LiveSets(), budget=1))


def test_candidates_only_is_not_asked_of_a_file(write):
    path = write("def choose(position, rng):\n    return (0, 0, 0)\n")
    assert "decides by itself" in complaint(lambda: load_strategy(path, candidates_only=True))
