"""The functions of the public API agree with the commands of the same name and refuse what makes no sense."""

import json
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import evilpegs
from evilpegs_game.analysis.regret import Regret
from evilpegs_game.errors import MalformedError
from support.waiting import wait_until


def first_possible(position, rng):
    return position.first_candidate


class Silent:
    """A codemaker that replies nothing."""

    def reply(self, position, guess):
        return None


class Careless:
    """A codemaker that replies with a plain tuple instead of a `Feedback`."""

    def reply(self, position, guess):
        return tuple(evilpegs.Evil().reply(position, guess))


def test_duel_accepts_feedback_as_tuple():
    careless, evil = (evilpegs.duel("minimax", maker, "3x3") for maker in (Careless(), "evil"))
    assert careless.turns == evil.turns
    assert careless[-1].feedback == evilpegs.Feedback(3, 0)


def test_evaluate_result_names_seed_of_random_strategy():
    documents = [evilpegs.evaluate("random-consistent", rules="3x3", seed=seed).to_json() for seed in (1, 2)]
    assert [document["seed"] for document in documents] == [1, 2]
    assert "seed" not in evilpegs.evaluate("minimax", rules="3x3", seed=1).to_json()


def test_results_dump_with_numpy_arguments():
    result = evilpegs.evaluate(first_possible, rules="3x3", games=np.int64(10), seed=np.int64(3))
    assert json.loads(json.dumps(result.to_json()))["games"] == 10


def test_evaluate_matches_command(run):
    document = run("evaluate", "entropy", "--rules", "3x4", "--json").document
    del document["seconds"]
    assert evilpegs.evaluate("entropy", rules="3x4").to_json() == document


def test_evaluate_games_match_command(run):
    document = run("evaluate", "random-consistent", "--rules", "3x4", "--games", 50, "--seed", 3, "--json").document
    result = evilpegs.evaluate("random-consistent", rules="3x4", games=50, seed=3)
    assert result.distribution == tuple(document["distribution"])
    assert list(result.interval) == document["interval"]


@pytest.mark.parametrize("first", ["112", (0, 0, 1)])
def test_evaluate_takes_first_guess_as_text_or_code(first):
    assert evilpegs.evaluate("minimax", rules="3x3", first=first).distribution == (1, 7, 17, 2)


def test_evaluate_takes_function_path_and_object(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def choose(position, rng):\n    return position.first_candidate\n")
    for strategy in (first_possible, path, str(path), evilpegs.load_strategy("first-consistent")):
        assert evilpegs.evaluate(strategy, rules="3x3").distribution == (1, 3, 12, 9, 2)


def test_evaluate_names_function_in_result():
    assert evilpegs.evaluate(first_possible, rules="2x2").strategy == "first_possible"


@pytest.mark.parametrize("codemaker", ["evil", "devil"])
def test_duel_matches_command(run, codemaker):
    document = run("duel", "minimax", "--codemaker", codemaker, "--rules", "3x5", "--json").document
    assert evilpegs.duel("minimax", codemaker=codemaker, rules="3x5").to_json() == document


def test_duel_draws_fixed_secret_from_seed():
    first, again, other = (evilpegs.duel("minimax", "fixed", "4x6", seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.turns[-1].guess != other.turns[-1].guess


def test_duel_takes_any_codemaker():
    duel = evilpegs.duel("minimax", evilpegs.Fixed((0, 1, 2)), "3x3")
    assert (duel.turns[-1].guess, duel.codemaker) == ((0, 1, 2), "fixed")


def test_solve_and_certify_agree():
    solution = evilpegs.solve("3x4")
    text = evilpegs.format_tree(solution.tree)
    certificate = evilpegs.certify(text)
    assert (certificate.total, certificate.max) == (solution.total, solution.max)
    assert certificate == evilpegs.certify(solution.tree)
    assert json.loads(json.dumps(solution.to_json()))["total"] == certificate.to_json()["total"]


def test_solve_worst_objective_bounds_worst_case():
    assert evilpegs.solve("3x3", objective="worst").max == 4


def test_analyze_takes_texts_and_objects():
    rules = evilpegs.Rules(2, 3)
    turn = evilpegs.Turn(evilpegs.parse_code("12", rules), evilpegs.Feedback(0, 1))
    by_text, by_object = evilpegs.analyze("2x3", [("12", "0,1")]), evilpegs.analyze(rules, [turn])
    assert by_text == by_object
    assert by_text.to_json()["turns"][0]["after"] == len({"23", "31"})


def test_position_works_without_cache():
    position = evilpegs.Position(evilpegs.Rules(4, 6))
    after = position.after((0, 0, 1, 1), evilpegs.Feedback(0, 0))
    assert (position.count, after.count) == (1296, 256)


@pytest.mark.parametrize(
    ("call", "quoted"),
    [
        (lambda: evilpegs.evaluate("minimax", rules="4x99"), "99"),
        (lambda: evilpegs.evaluate("minimaks", rules="4x6"), "'minimaks'"),
        (lambda: evilpegs.evaluate("minimax", rules="4x6", first="1177"), "'1177'"),
        (lambda: evilpegs.evaluate("minimax", rules="4x6", first=(0, 0, 9, 0)), "'110"),
        (lambda: evilpegs.evaluate("minimax", rules="4x6", games=0), "0"),
        (lambda: evilpegs.evaluate(lambda position, rng: "1122", rules="4x6"), "'1122'"),
        (lambda: evilpegs.duel("minimax", codemaker="angel", rules="4x6"), "'angel'"),
        (lambda: evilpegs.duel("minimax", codemaker="evil", rules="4x6", secret="1234"), "secret"),
        (lambda: evilpegs.evaluate("minimax", rules=(4, 6)), "(4, 6)"),
        (lambda: evilpegs.evaluate("minimax", rules="3x3", first=112), "112"),
        (lambda: evilpegs.evaluate("minimax", rules="3x3", games=1.5), "1.5"),
        (lambda: evilpegs.evaluate("minimax", rules="3x3", threads=0), "0"),
        (lambda: evilpegs.evaluate("minimax", rules="3x3", seed="a"), "'a'"),
        (lambda: evilpegs.evaluate(first_possible, rules="3x4", jobs=2), "jobs"),
        (lambda: evilpegs.evaluate(None, rules="3x3"), "None"),
        (lambda: evilpegs.evaluate(evilpegs.strategies["minimax"], rules="3x3"), "Minimax"),
        (lambda: evilpegs.evaluate(first_possible, rules="3x3", candidates_only=True), "candidates_only"),
        (lambda: evilpegs.duel("minimax", codemaker=evilpegs.Evil, rules="3x3"), "Evil"),
        (lambda: evilpegs.duel("minimax", codemaker=None, rules="3x3"), "None"),
        (lambda: evilpegs.duel("minimax", codemaker=Silent(), rules="3x3"), "None"),
        (lambda: evilpegs.solve("3x3", objective="best"), "'best'"),
        (lambda: evilpegs.certify(evilpegs.solve("2x2")), "Solution"),
        (lambda: evilpegs.analyze("4x6", ["1122 0,1"]), "'1122 0,1'"),
        (lambda: evilpegs.analyze("4x6", [("1122", 1)]), "1"),
        (lambda: evilpegs.solve("9x9"), "9x9"),
        (lambda: evilpegs.certify("rules 4x6\n"), ""),
        (lambda: evilpegs.analyze("4x6", [("1122", "5,0")]), "5,0"),
        (lambda: evilpegs.analyze("4x6", [("11222", "1,0")]), "'11222'"),
    ],
)
def test_wrong_argument_is_one_evilpegs_error(call, quoted):
    with pytest.raises(evilpegs.EvilpegsError) as caught:
        call()
    assert quoted in str(caught.value)
    assert "\n" not in str(caught.value)


def test_evaluate_several_matches_command(run):
    words = ("minimax", "random-consistent")
    document = run("evaluate", *words, "--rules", "3x4", "--games", 50, "--seed", 3, "--json").document
    results = evilpegs.evaluate(words, rules="3x4", games=50, seed=3)
    assert [result.strategy for result in results] == list(words)
    assert [list(result.distribution) for result in results] == [one["distribution"] for one in document["results"]]


@pytest.mark.full
def test_evaluate_in_processes_gives_equal_results(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def choose(position, rng):\n    return position.first_candidate\n")
    one, two = (evilpegs.evaluate(["minimax", path], "3x4", games=300, seed=1, jobs=jobs) for jobs in (1, 2))
    assert one == two


def test_evaluate_heeds_candidates_only_of_object():
    by_name = evilpegs.evaluate("minimax", "4x4", candidates_only=True)
    assert evilpegs.evaluate(evilpegs.load_strategy("minimax", True), "4x4") == by_name
    assert by_name.max > evilpegs.evaluate("minimax", "4x4").max


def test_compare_matches_command(run):
    document = run("compare", "minimax", "entropy", "--seed", 4, "--json").document
    result = evilpegs.compare("minimax", "entropy", seed=4)
    assert result.to_json() == {key: document[key] for key in document if key not in {"ladder", "server"}}
    assert len(repr(result)) < 120


def test_compare_takes_functions():
    result = evilpegs.compare(first_possible, "minimax", rules="3x4", alternative=-0.5)
    assert (result.a, result.b, result.verdict) == ("first_possible", "minimax", "alternative")


@pytest.mark.parametrize("against", ["evil", "devil"])
def test_solve_against_matches_command(run, against):
    document = run("solve", "--rules", "3x4", "--against", against, "--json").document
    assert evilpegs.solve("3x4", against=against).to_json() == document


def test_tree_matches_command(run):
    text = run("tree", "entropy", "--rules", "3x4", "--first", "112").out
    assert evilpegs.format_tree(evilpegs.tree("entropy", rules="3x4", first="112")) == text


def test_duel_after_turns_matches_command(run):
    after = ("112:1,0", "133:0,1")
    document = run("duel", "minimax", "--rules", "3x5", "--after", *after, "--budget", 10**6, "--json").document
    duel = evilpegs.duel("minimax", rules="3x5", after=after, budget=10**6)
    assert duel.to_json() == document
    assert (duel.guesses, len(duel)) == (len(after) + len(duel.turns), len(duel.turns))


def test_duel_over_budget_raises_exported_error():
    with pytest.raises(evilpegs.OverBudgetError):
        evilpegs.duel("minimax", rules="4x6", budget=10)


@pytest.mark.parametrize("turns", [["1122:1,0", "1344:0,2"], ["1111:1,0", "1111:2,0"]])
def test_advise_matches_command(run, turns):
    result = run("assist", "--rules", "4x6", "--after", *turns, "--json")
    assert evilpegs.advise("4x6", turns).to_json() == result.document


def test_certify_takes_path(tmp_path):
    path = tmp_path / "a.tree"
    path.write_text(evilpegs.format_tree(evilpegs.tree("minimax", "3x3")))
    assert evilpegs.certify(path) == evilpegs.certify(str(path)) == evilpegs.certify(path.read_text())
    with pytest.raises(evilpegs.EvilpegsError, match=r"no\.tree"):
        evilpegs.certify("no.tree")


def test_plot_draws_results(tmp_path):
    one, several = evilpegs.evaluate("minimax", "3x3"), evilpegs.evaluate(["minimax", "entropy"], "3x3")
    evilpegs.plot(one, tmp_path / "one.svg")
    evilpegs.plot(several, str(tmp_path / "several.svg"))
    evilpegs.plot([several[0], evilpegs.certify(evilpegs.tree("entropy", "3x3"))], tmp_path / "tree.svg")
    texts = [(tmp_path / f"{name}.svg").read_text() for name in ("one", "several", "tree")]
    assert ["entropy" in text for text in texts] == [False, True, False]
    with pytest.raises(evilpegs.MalformedError):
        evilpegs.plot([one, evilpegs.evaluate("minimax", "3x4")], tmp_path / "none.svg")


@pytest.mark.parametrize("strategy", ["minimax", first_possible])
async def test_play_works_while_a_loop_runs(server, strategy):
    summary = evilpegs.play(server=server.url, ladder="classic-evil-practice", strategy=strategy)
    assert summary.verified
    assert len(summary.games) == 1


def test_texts_and_tuples_are_alike():
    position, code, other = evilpegs.Position("4x6", ["1122:1,0"]), (0, 1, 2, 3), (0, 0, 1, 1)
    assert evilpegs.feedback("1122", "1234") == evilpegs.feedback(other, code) == evilpegs.feedback([0, 0, 1, 1], code)
    assert position.parts("1234") == position.parts(code) == position.parts(np.array(code))
    assert position.is_candidate("1333") is True
    assert position.is_candidate("1234") is position.is_candidate(code) is False
    assert position.after("1234", "1,0") == position.after(code, (1, 0)) == position.after(list(code), [1, 0])
    assert evilpegs.Fixed("1234").reply(position, "1122") == evilpegs.Feedback(1, 1)
    assert evilpegs.format_code("1122") == evilpegs.format_code(other) == "1122"
    assert evilpegs.parse_code("1122", "4x6") == other


@pytest.mark.parametrize("seed", ["t1", 7, None])
def test_advice_against_evil_is_followed_in_the_fewest_guesses(seed):
    """And no guess that it names costs anything; without a seed, the game takes the first of equal parts."""
    game = evilpegs.Game("4x6", "evil", seed=seed)
    game.guess("1122")
    for needed in (4, 3, 2, 1):
        advice = evilpegs.advise("4x6", game.position.history, "evil", seed=seed)
        assert (advice.par.exact, advice.more_guesses) == (needed, None)
        game.guess(advice.keeping[0])
    assert (game.solved, game.score, game.regret) == (True, 5, Regret(Fraction(0), Fraction(0)))


def test_guess_against_evil_costs_whole_guesses():
    game = evilpegs.Game("4x6", "evil", seed="t1")
    for code in ("1122", "1111", "1122"):
        game.guess(code)
    turns = evilpegs.analyze("4x6", game.position.history, "evil", seed="t1")
    needed = [5, *(turn.needed.exact for turn in turns)]
    costs = [after + 1 - before for before, after in pairwise(needed)]
    assert [turn.regret.at_least for turn in turns] == [turn.regret.at_most for turn in turns] == costs
    assert costs[0] == 0
    assert game.regret.at_least == sum(costs) >= 2
    assert {turn.luck for turn in turns} == {turn.chance for turn in turns} == {None}


def test_evil_of_the_caller_is_judged_as_evil():
    """By its written rule, or by the worst ties if the caller decides them."""
    regrets = []
    for evil in ("evil", evilpegs.Evil(), evilpegs.Evil(lambda turn, number: number - 1)):
        game = evilpegs.Game("4x6", evil)
        for code in ("1122", "1111"):
            game.guess(code)
        regrets.append(game.regret)
    assert regrets[0] == regrets[1] == Regret(Fraction(1), Fraction(1))
    assert regrets[2].at_least == regrets[2].at_most >= 1


def test_nothing_is_needed_after_a_solved_game():
    advice = evilpegs.advise("4x6", ["1122:4,0"], "evil")
    assert (tuple(advice.par), advice.keeping) == ((0, 0), ())
    assert evilpegs.advise("16x1", [], "evil").keeping == ((0,) * 16,)


@pytest.mark.parametrize("function", [evilpegs.analyze, evilpegs.advise])
@pytest.mark.parametrize(
    "wrong", [{"codemaker": "devil"}, {"codemaker": []}, {"seed": 1}, {"codemaker": "evil", "seed": "a b"}]
)
def test_wrong_codemaker_of_an_analysis_is_refused(function, wrong):
    with pytest.raises(MalformedError):
        function("4x6", ["1122:1,0"], **wrong)


def test_leaderboard_matches_command(run, server, played):
    def document():
        return evilpegs.leaderboard(server.url, "classic-evil").model_dump(mode="json")

    command = ("leaderboard", "classic-evil", "--server", server.url, "--json")
    wait_until(lambda: document()["rows"] and [document()] == run(*command).document["ladders"])


@pytest.mark.parametrize("ladder", ["classic-evil-practice", "clasic"])
def test_leaderboard_refuses_other_ladders(server, ladder):
    with pytest.raises(MalformedError, match=ladder):
        evilpegs.leaderboard(server.url, ladder)


async def test_leaderboard_is_read_in_a_running_loop(server):
    assert evilpegs.leaderboard(server.url, "classic").ladder == "classic"


def test_partition_matches_command(run):
    document = run("partition", "1122", "1234", "--rules", "4x6", "--after", "1122:1,0", "--json").document
    position = evilpegs.Position("4x6", ["1122:1,0"])
    results = [evilpegs.partition(guess, position) for guess in ("1122", (0, 1, 2, 3))]
    assert [result.to_json() for result in results] == document["guesses"]
    assert sum(results[1].parts.values()) == position.count == document["candidates"]
