import pytest

from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import StrategyError, seeded_choice
from evilpegs_game.errors import OverBudgetError
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_protocol.text_files import NotTextError
from support.walks import evaluate

ROOT = Position(Rules(3, 3), (), LiveSets())


@pytest.fixture
def write(tmp_path):
    def write(text, name="mine.py"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def refusal(call):
    with pytest.raises(StrategyError) as caught:
        call()
    assert "\n" not in str(caught.value)
    return caught.value


def names_all(error, *texts):
    return [text for text in texts if text not in str(error)] == []


@pytest.mark.parametrize("name", STRATEGIES)
def test_load_strategy_by_name(name):
    assert load_strategy(name).name == name


@pytest.mark.parametrize("name", ["", "minmax", "MINIMAX", "mine", "x" * 10_000])
def test_unknown_strategy_name_lists_known(name):
    error = refusal(lambda: load_strategy(name))
    assert names_all(error, name[:40], *STRATEGIES)
    assert len(str(error)) < 300


@pytest.mark.parametrize("name", ["minmax", "MINIMAX", "minimaks"])
def test_misspelt_strategy_suggests_nearest(name):
    assert "did you mean minimax?" in str(refusal(lambda: load_strategy(name)))


def test_strategy_file_plays(write):
    strategy = load_strategy(write("def choose(position, rng):\n    return position.first_candidate\n"))
    assert strategy.name == "mine.py"
    assert evaluate(seeded_choice(strategy), Rules(3, 3)).total == 89


def test_strategy_file_gets_rng(write):
    strategy = load_strategy(write("def choose(position, rng):\n    return (rng.randrange(3),) * 3\n"))
    assert len({seeded_choice(strategy, seed)(ROOT) for seed in range(30)}) == 3


def test_strategy_file_may_use_dataclasses(write):
    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Idea:\n    code: tuple[int, ...]\n"
        "def choose(position, rng):\n    return Idea((0, 0, 1)).code\n"
    )
    assert seeded_choice(load_strategy(write(text)))(ROOT) == (0, 0, 1)


@pytest.mark.parametrize("path", ["nowhere.py", "/", "/tmp", "a\0b.py", "/nowhere/at/all.py"])
def test_missing_strategy_file(path):
    error = refusal(lambda: load_strategy(path))
    assert path in str(error) or repr(path) in str(error)
    assert error.__cause__ is None


def test_directory_is_not_strategy_file(tmp_path):
    path = tmp_path / "folder.py"
    path.mkdir()
    error = refusal(lambda: load_strategy(str(path)))
    assert names_all(error, str(path), "directory")
    assert error.__cause__ is None


@pytest.mark.parametrize("text", ["", "choose = 3\n", "def chose(position, rng): ...\n"])
def test_strategy_file_without_choose(write, text):
    path = write(text)
    error = refusal(lambda: load_strategy(path))
    assert names_all(error, path, "choose(position, rng)")
    assert error.__cause__ is None


@pytest.mark.parametrize(
    ("text", "cause", "named"),
    [
        ("def choose(\n", SyntaxError, ["SyntaxError"]),
        ("x = 1\n1 / 0\n", ZeroDivisionError, ["ZeroDivisionError: division by zero", "line 2"]),
        ("import no_such_module\n", ModuleNotFoundError, ["'no_such_module'", "line 1"]),
        ("raise ValueError('two\\nlines')\n", ValueError, ["ValueError: two lines", "line 1"]),
        ("import sys\nsys.exit(3)\n", SystemExit, ["SystemExit: 3", "line 2"]),
        ("\0", NotTextError, ["NUL"]),
    ],
)
def test_strategy_file_that_does_not_load(write, text, cause, named):
    path = write(text)
    error = refusal(lambda: load_strategy(path))
    assert isinstance(error.__cause__, cause)
    assert names_all(error, path, *named)


def test_strategy_file_failing_at_turn(write):
    strategy = load_strategy(write("def choose(position, rng):\n    return {}[position.turn]\n"))
    error = refusal(lambda: seeded_choice(strategy)(ROOT))
    assert isinstance(error.__cause__, KeyError)
    assert names_all(error, "mine.py", "turn 1", "KeyError: 1", "line 2")


@pytest.mark.parametrize(("exit_", "named"), [("sys.exit(0)", "SystemExit: 0"), ("exit()", "SystemExit: None")])
def test_strategy_file_exiting_at_turn(write, exit_, named):
    strategy = load_strategy(write(f"import sys\ndef choose(position, rng):\n    {exit_}\n"))
    error = refusal(lambda: seeded_choice(strategy)(ROOT))
    assert isinstance(error.__cause__, SystemExit)
    assert names_all(error, "mine.py", "turn 1", named, "line 3")


def test_interruption_passes_strategy_file(write):
    strategy = load_strategy(write("def choose(position, rng):\n    raise KeyboardInterrupt\n"))
    with pytest.raises(KeyboardInterrupt):
        seeded_choice(strategy)(ROOT)


@pytest.mark.filterwarnings("error")
def test_async_choose_is_refused(write):
    path = write("async def choose(position, rng):\n    return (0, 0, 0)\n")
    assert names_all(refusal(lambda: load_strategy(path)), path, "async", "def choose(position, rng)")


def test_strategy_file_with_illegal_choice(write):
    strategy = load_strategy(write("def choose(position, rng):\n    return 7\n"))
    assert names_all(refusal(lambda: seeded_choice(strategy)(ROOT)), "mine.py", "7", "3x3")


def test_game_error_passes_strategy_file(write):
    text = (
        "from evilpegs_game.guessing.criteria import MINIMAX\nfrom evilpegs_game.guessing.selection import best_guess\n"
        "def choose(position, rng):\n    return best_guess(position, MINIMAX)\n"
    )
    with pytest.raises(OverBudgetError):
        seeded_choice(load_strategy(write(text)))(Position(Rules(3, 3), (), LiveSets(), budget=1))


def test_candidates_only_refuses_strategy_file(write):
    path = write("def choose(position, rng):\n    return (0, 0, 0)\n")
    error = refusal(lambda: load_strategy(path, candidates_only=True))
    assert path in str(error)
    assert load_strategy(path).name == "mine.py"
