"""`evilpegs duel`."""

import pytest

KNUTH = ["1122", "3345", "3636", "4544", "5455"]


def test_the_document(run):
    document = run("duel", "minimax", "--codemaker", "evil", "--rules", "4x6", "--json").document
    assert list(document) == ["rules", "strategy", "codemaker", "guesses", "turns"]
    assert (document["rules"], document["strategy"], document["codemaker"]) == ("4x6", "minimax", "evil")
    assert [turn["code"] for turn in document["turns"]] == KNUTH
    assert document["guesses"] == 5
    assert document["turns"][0] == {"code": "1122", "black": 0, "white": 0, "candidates": 256}
    assert document["turns"][-1] == {"code": "5455", "black": 4, "white": 0, "candidates": 1}


def test_evil_on_classic_is_the_default(run):
    assert (
        run("duel", "minimax", "--json").document
        == run("duel", "minimax", "--codemaker", "evil", "--rules", "classic", "--json").document
    )


def test_a_secret_of_ones_own(run):
    document = run("duel", "minimax", "--codemaker", "fixed", "--secret", "6543", "--json").document
    assert document["codemaker"] == "fixed"
    assert document["turns"][-1]["code"] == "6543"


def test_a_secret_drawn_from_a_seed(run):
    def secret(seed):
        document = run("duel", "minimax", "--codemaker", "fixed", "--seed", seed, "--json").document
        return document["turns"][-1]["code"]

    assert secret(1) == secret(1)
    assert len({secret(seed) for seed in range(5)}) > 1


def test_another_first_guess(run):
    turns = run("duel", "minimax", "--first", "1234", "--json").document["turns"]
    assert turns[0]["code"] == "1234"


@pytest.mark.parametrize("seed", [1, 2])
def test_chance_depends_on_the_seed_alone(run, seed):
    arguments = ("duel", "random-consistent", "--seed", seed, "--json")
    assert run(*arguments).document == run(*arguments).document


def test_the_table(run):
    lines = run("duel", "minimax").out.splitlines()
    assert lines[0] == "minimax against evil on 4x6: 5 guesses"
    assert lines[-1].split() == ["5", "5", "4", "5", "5", "●●●●", "4,0", "1"]


def test_one_guess_is_one_guess(run):
    arguments = ("duel", "minimax", "--rules", "2x2", "--codemaker", "fixed", "--secret", "11", "--first", "11")
    assert run(*arguments).out.splitlines()[0] == "minimax against fixed on 2x2: 1 guess"


def test_what_a_strategy_prints_is_no_part_of_the_document(run, talker):
    result = run("duel", talker, "--json")
    assert result.document["strategy"] == "talker.py"
    assert result.err.startswith("loaded\nthinking\n")
    assert "thinking" in run("duel", talker).out
