"""`evilpegs duel`."""

import pytest

from support.printed import numbers_in

KNUTH = ["1122", "3345", "3636", "4544", "5455"]


def test_duel_json_has_documented_keys(run):
    document = run("duel", "minimax", "--codemaker", "evil", "--rules", "4x6", "--json").document
    assert list(document) == ["rules", "strategy", "codemaker", "guesses", "turns"]
    assert (document["rules"], document["strategy"], document["codemaker"]) == ("4x6", "minimax", "evil")
    assert [turn["code"] for turn in document["turns"]] == KNUTH
    assert document["guesses"] == 5
    assert document["turns"][0] == {"code": "1122", "black": 0, "white": 0, "candidates": 256}
    assert document["turns"][-1] == {"code": "5455", "black": 4, "white": 0, "candidates": 1}


def test_duel_defaults_to_evil_on_classic(run):
    assert (
        run("duel", "minimax", "--json").document
        == run("duel", "minimax", "--codemaker", "evil", "--rules", "classic", "--json").document
    )


def test_duel_plays_given_secret(run):
    document = run("duel", "minimax", "--codemaker", "fixed", "--secret", "6543", "--json").document
    assert document["codemaker"] == "fixed"
    assert document["turns"][-1]["code"] == "6543"


def test_duel_draws_secret_from_seed(run):
    def secret(seed):
        document = run("duel", "minimax", "--codemaker", "fixed", "--seed", seed, "--json").document
        return document["turns"][-1]["code"]

    assert secret(1) == secret(1)
    assert len({secret(seed) for seed in range(5)}) > 1


def test_duel_plays_given_first_guess(run):
    turns = run("duel", "minimax", "--first", "1234", "--json").document["turns"]
    assert turns[0]["code"] == "1234"


@pytest.mark.parametrize("seed", [1, 2])
def test_duel_repeats_with_same_seed(run, seed):
    arguments = ("duel", "random-consistent", "--seed", seed, "--json")
    assert run(*arguments).document == run(*arguments).document


def test_duel_table_ends_with_solving_guess(run):
    lines = run("duel", "minimax").out.splitlines()
    assert numbers_in(lines[-1]) == {"5"}
    assert {"minimax", "evil", "4x6"} <= set(lines[0].split())
    assert lines[-2].split() == ["5", "5", "4", "5", "5", "●●●●", "4,0", "1"]


def test_duel_uses_singular_for_one_guess(run):
    arguments = ("duel", "minimax", "--rules", "2x2", "--codemaker", "fixed", "--secret", "11", "--first", "11")
    assert run(*arguments).out.endswith(" 1 guess\n")


def test_duel_json_excludes_strategy_prints(run, talker):
    result = run("duel", talker, "--json")
    assert result.document["strategy"] == "talker.py"
    assert result.err.startswith("loaded\nthinking\n")
    assert "thinking" in run("duel", talker).out


DEVIL = ("duel", "minimax", "--codemaker", "devil")


def test_duel_devil_forces_more_than_evil(run):
    """Evil and the devil reply differently to the first guess 123 on 3x5."""
    evil = run("duel", "minimax", "--rules", "3x5", "--first", "123", "--json").document
    devil = run(*DEVIL, "--rules", "3x5", "--first", "123", "--json").document
    assert (devil["codemaker"], list(devil)) == ("devil", list(evil))
    assert list(devil["turns"][0]) == ["code", "black", "white", "candidates", "method"]
    assert {turn["method"] for turn in devil["turns"]} == {"exact"}
    assert [(turn["black"], turn["white"]) for turn in (evil["turns"][0], devil["turns"][0])] == [(0, 1), (1, 0)]
    assert devil["guesses"] >= 5
    assert "method" not in evil["turns"][0]


def test_duel_devil_reports_greedy_turns(run):
    turns = run(*DEVIL, "--rules", "3x5", "--exact-up-to", "30", "--json").document["turns"]
    before = [125, *(turn["candidates"] for turn in turns[:-1])]
    assert [turn["method"] for turn in turns] == ["exact" if count <= 30 else "greedy" for count in before]
    lines = run(*DEVIL, "--rules", "3x5", "--exact-up-to", "30").out.splitlines()
    exact = sum(turn["method"] == "exact" for turn in turns)
    assert numbers_in(lines[-1]) == {str(exact), str(len(turns))}
    assert lines[-1].endswith("--exact-up-to")
    assert "--exact-up-to" not in run(*DEVIL, "--rules", "3x5").out


def test_duel_solved_file_changes_no_reply(run, tmp_path):
    path = tmp_path / "solved"
    arguments = (*DEVIL, "--rules", "3x6", "--json")
    fresh, kept = run(*arguments).document, run(*arguments, "--solved", path).document
    saved = path.read_bytes()
    assert saved.startswith(b"evilpegs solved positions 1\n")
    assert fresh == kept == run(*arguments, "--solved", path).document
    assert path.read_bytes() == saved
    path.write_bytes(saved[:-1])
    result = run(*arguments, "--solved", path)
    assert result.document == fresh
    assert result.complaint.startswith(f"{path}: ")
    assert path.read_bytes() == saved


def test_duel_prints_each_turn_before_the_next_choice(run, talker):
    lines = run("duel", talker, "--secret", "3333").out.splitlines()
    kinds = [word for line in lines if (word := line.split()[0]) in {"thinking", "1", "2", "3"}]
    assert kinds == ["thinking", "1", "thinking", "2", "thinking", "3"]


def test_duel_with_secret_is_fixed(run):
    document = run("duel", "minimax", "--secret", "6543", "--json").document
    assert (document["codemaker"], document["turns"][-1]["code"]) == ("fixed", "6543")


def test_duel_plays_on_after_turns(run):
    whole = run("duel", "sampled", "--seed", "3", "--secret", "5264", "--json").document
    after = [f"{turn['code']}:{turn['black']},{turn['white']}" for turn in whole["turns"][:2]]
    rest = run("duel", "sampled", "--seed", "3", "--secret", "5264", "--after", *after, "--json").document
    assert rest["turns"] == whole["turns"][2:]
    assert rest["guesses"] == whole["guesses"]
    assert [turn["code"] for turn in rest["after"]] == [turn["code"] for turn in whole["turns"][:2]]
    assert run("duel", "sampled", "--after", *after).out.splitlines()[3].split()[0] == "3"


def test_duel_keeps_turns_before_later_error(run, tmp_path):
    (tmp_path / "mine.py").write_text(
        "def choose(position, rng):\n    return ((0, 0, 1, 1), None)[position.turn - 1]\n"
    )
    result = run("duel", "mine.py")
    assert result.status == 2
    assert result.out.splitlines()[-1].split()[:5] == ["1", *"1122"]


def test_duel_budget_reaches_strategy(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    raise ValueError(position.budget)\n")
    assert "ValueError: 77 " in run("duel", "mine.py", "--budget", "77", "--json").complaint
    assert "ValueError: None " in run("duel", "mine.py", "--json").complaint


class TestRecord:
    """`--record` writes a record that verifies, though nobody signed it, and that the page replays."""

    @pytest.fixture
    def record(self, run, tmp_path):
        """Play a duel, and return the result of verifying its record."""

        def record(*words):
            file = tmp_path / "duel.jsonl"
            assert run("duel", *words, "--record", file).status == 0
            return run("verify", file, "--json")

        return record

    @pytest.mark.parametrize(
        "words",
        [
            ("minimax", "--rules", "4x6"),
            ("minimax", "--rules", "4x6", "--secret", "1234"),
            ("first-consistent", "--rules", "3x3", "--codemaker", "fixed", "--seed", "3"),
            ("minimax", "--rules", "3x4", "--codemaker", "devil"),
            ("minimax", "--rules", "3x4", "--codemaker", "devil", "--exact-up-to", "5"),
            ("first-consistent", "--rules", "2x12"),  # more guesses than ladders allow
        ],
    )
    def test_record_holds(self, record, run, words):
        verified = record(*words)
        assert verified.status == 0
        assert verified.document["finished"]
        (game,) = verified.document["games"]
        assert game["guesses"] == run("duel", *words, "--json").document["guesses"]

    def test_changed_record_does_not_hold(self, record, run, tmp_path):
        """The control: the replies are checked."""
        assert record("minimax", "--rules", "4x6").status == 0
        file = tmp_path / "duel.jsonl"
        file.write_text(file.read_text().replace('"black":1,"code":"3345"', '"black":0,"code":"3345"'))
        assert run("verify", file).status == 1

    def test_other_files_are_left_alone(self, run, tmp_path):
        file = tmp_path / "notes.txt"
        file.write_text("mine\n")
        assert "not a record" in run("duel", "nosuch.py", "--record", file).complaint
        assert file.read_text() == "mine\n"
