"""Small work that executes the kernels, so that runs compiled and as plain Python can be compared.

``python -m support.twins`` does the work, or only the kinds that are named, and prints as JSON what came out, with the
names of the kernels that were executed if they are plain Python.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random

from evilpegs_game.rules import Rules

EXECUTED = set()


def record_kernels():
    """Let each kernel that is plain Python note its name when it is called. Call this before modules are imported."""
    from evilpegs_game import kernels

    def recording(function):
        name = f"{function.__module__.removeprefix('evilpegs_game.')}.{function.__name__}"

        def noted(*arguments):
            EXECUTED.add(name)
            return function(*arguments)

        return noted

    kernels.kernel = kernels.short_kernel = recording


def some_history(rules, rng, turns):
    """Return turns against one random secret, and another guess."""
    from evilpegs_game.feedback import Turn, feedback
    from support.evil_games import SORTS, guess_of

    secret, *guesses = [guess_of(rng.choice(SORTS), rules, rng) for _ in range(turns + 2)]
    return tuple(Turn(guess, feedback(guess, secret)) for guess in guesses[:-1]), guesses[-1]


def partitions():
    from evilpegs_game.codes import all_codes, column_code
    from evilpegs_game.partition import feedback_numbers, part_size_table, part_sizes, split

    for name in ("3x4", "3x5-distinct", "2x9", "5x2"):
        codes = all_codes(Rules.parse(name))
        for place in range(0, codes.shape[1], 7):
            guess = column_code(codes, place)
            yield feedback_numbers(codes, guess), part_sizes(codes, guess)
            yield [(given, part) for given, part in split(codes, guess)]
        yield part_size_table(codes, codes), part_size_table(codes, codes[:, :5].copy())


def least_bytes(rules, history, asked):
    """Return the fewest bytes that are not refused."""
    from evilpegs_game.counting.part_counts import count_parts
    from evilpegs_game.errors import TooLargeError

    try:
        count_parts(rules, history, asked, 0)
    except TooLargeError as error:
        return error.needed


def counting():
    from evilpegs_game.counting.first_code import first_code
    from evilpegs_game.counting.first_guess import first_part_sizes
    from evilpegs_game.counting.part_counts import count_parts, has_candidates
    from evilpegs_game.counting.solution_tables import SolutionTables

    rng = Random(1)
    for name in ("4x5", "5x3", "4x7-distinct", "8x2", "3x9", "6x4"):
        rules = Rules.parse(name)
        for turns in (0, 2, 3):
            history, asked = some_history(rules, rng, turns)
            yield count_parts(rules, history, asked)
            yield count_parts(rules, history, asked, least_bytes(rules, history, asked))  # tables may be divided
            yield [has_candidates(rules, history, asked[:pegs]) for pegs in (1, 2)]
            yield first_part_sizes(rules, asked)
            if turns:
                tables = SolutionTables(rules, history, 1 << 24)
                yield tables.columns(), [tables.sample(rng) for _ in range(3)]
                yield first_code(rules, history, 1 << 24), first_code(rules, history, 1 << 24, max_nodes=3)
    larger = Rules(16, 34)  # counted modulo two numbers
    yield first_part_sizes(larger, (0,) * 16), count_parts(larger, (), (0,) * 16)
    many, asked = some_history(Rules(3, 4), rng, 40)  # scores of two words
    yield count_parts(Rules(3, 4), many, asked)


def live_sets():
    from evilpegs_game.live.draws import draw_by_colors
    from evilpegs_game.live.feedback_table import FeedbackTable
    from evilpegs_game.live.live_sets import LiveSets
    from evilpegs_game.live.position import Position

    rng = Random(2)
    for name, enumerated in (("3x4", 100_000), ("4x5", 0), ("4x6-distinct", 0)):
        rules = Rules.parse(name)
        for turns in (1, 2, 3):
            history, asked = some_history(rules, rng, turns)
            sets = LiveSets()
            sets.enumerated_codes = enumerated
            position = Position(rules, history, sets)
            yield position.part_sizes(asked), position.candidates, position.count, position.first_candidate
            yield position.sample(rng, 3), position.is_candidate(asked), draw_by_colors(rules, history, rng, 1 << 22)
    table = FeedbackTable(Rules(3, 4), Position(Rules(3, 4), (), LiveSets()).all_codes)
    history, asked = some_history(Rules(3, 4), rng, 2)
    yield table.part_sizes(history, asked)
    table.complete()
    yield table.part_sizes(history, asked)


def guessing():
    from evilpegs_game.evaluation.heuristic import evaluate_heuristic
    from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, LEXICOGRAPHIC, MINIMAX, MOST_PARTS, TWO_PLY
    from evilpegs_game.guessing.search import best_of_many
    from evilpegs_game.guessing.selection import best_code_in_chunks, best_guess, guessed_color_mask, sampled_guess
    from evilpegs_game.live.live_sets import LiveSets
    from evilpegs_game.live.position import Position

    rng = Random(3)
    for criterion in (MINIMAX, LEXICOGRAPHIC, EXPECTED_SIZE, ENTROPY, MOST_PARTS, TWO_PLY):
        for name in ("3x3", "2x5", "3x4-distinct"):
            rules = Rules.parse(name)
            yield evaluate_heuristic(rules, criterion)
            yield evaluate_heuristic(rules, criterion, candidates_only=True, threads=2, batch_codes=8)
            position = Position(rules, some_history(rules, rng, 1)[0], LiveSets(), budget=10**6)
            yield best_guess(position, criterion), best_guess(position, criterion, candidates_only=True)
            # how large live sets are searched
            live, guessed, measure = position.candidates, guessed_color_mask(position.history), criterion.measure(100)
            yield best_of_many(live.copy(), rules.colors, rules.repeats, guessed, *measure, False).tolist()
            with ThreadPoolExecutor(2) as threads:
                yield best_code_in_chunks(live, rules, guessed, measure, False, threads).tolist()
    yield evaluate_heuristic(Rules(4, 4), ENTROPY)  # where products are multiplied
    yield sampled_guess(Position(Rules(4, 4), some_history(Rules(4, 4), rng, 1)[0], LiveSets(), budget=900), rng)


def expectation():
    from evilpegs_game.evaluation.expectation import expected_guesses

    yield [expected_guesses(Rules.parse(name)) for name in ("3x2", "2x4", "3x3-distinct")]


def optimal():
    from evilpegs_game.codes import all_codes, column_code
    from evilpegs_game.optimal.against_evil import ShortestLineSearch
    from evilpegs_game.optimal.least_total import LeastTotal
    from evilpegs_game.optimal.search_state import Tuning
    from evilpegs_game.optimal.solve import solve
    from evilpegs_game.trees.tree import format_tree

    for name in ("3x3", "2x5", "3x4-distinct", "3x4"):
        rules = Rules.parse(name)
        solution = solve(rules)
        yield solution.total, solution.is_proved, format_tree(solution.tree)
        yield ShortestLineSearch(rules, worst_ties=True).run()
        codes = all_codes(rules)
        some = codes[:, ::2].copy()
        solver = LeastTotal(rules)
        yield solver.total(some), solver.best_guess(some), solver.total_after(some, column_code(codes, 1))
    alike = Tuning(shared_codes=6, patience=0, orbit_codes=3)  # guesses are grouped into orbits at once
    yield solve(Rules(2, 8), tuning=alike).total


def worst_cases():
    from evilpegs_game.codemakers.worst_case import WorstCase
    from evilpegs_game.codes import all_codes, column_code
    from evilpegs_game.trees.adversary import format_adversary
    from evilpegs_game.trees.tree import format_tree
    from evilpegs_game.trees.worst_case_trees import find_adversary, find_strategy

    for name in ("3x3", "2x5", "3x4-distinct", "4x3"):
        worst = WorstCase(Rules.parse(name))
        codes = all_codes(worst.rules)
        value = worst.value(codes)
        yield value, [worst.hardest_replies(codes, column_code(codes, place)) for place in (0, 1, 5)]
        yield format_tree(find_strategy(worst, value)), format_adversary(find_adversary(worst, value - 1))


def symmetry():
    from evilpegs_game.codes import all_codes
    from evilpegs_game.symmetry.code_sets import GuessSymmetries, code_set_key
    from evilpegs_game.symmetry.history_key import history_key

    rng = Random(4)
    for name in ("2x3", "4x6", "6x10", "10x12", "16x34", "12x14-distinct"):
        rules = Rules.parse(name)
        for turns in range(5):
            yield history_key(rules, *some_history(rules, rng, turns))
    for name in ("3x3", "3x4-distinct"):
        rules = Rules.parse(name)
        codes = all_codes(rules)
        for step in (1, 2, 5):
            some = codes[:, ::step].copy()
            yield code_set_key(some, rules), GuessSymmetries(rules, codes).orbits(some)


def luck():
    from evilpegs_game.live.live_sets import LiveSets
    from evilpegs_game.luck.game_luck import adjusted_score, load_value_curve

    rules, rng = Rules(4, 6), Random(5)
    curve = load_value_curve(rules, 10)
    yield [adjusted_score(rules, some_history(rules, rng, 2)[0], curve, LiveSets()) for _ in range(3)]


def side_by_side():
    import numpy as np

    from evilpegs_game.codemakers.many_games import ManyGames

    rng = Random(6)
    for name in ("3x4", "2x3", "3x4-distinct"):
        rules = Rules.parse(name)
        for tie_break in (lambda game, turn, tied: (game + turn) % tied, None):
            games = ManyGames(rules, 4, np.arange(rules.size + 1.0))
            games.begin(np.arange(4), np.array([0, 3, 4, 5]))
            for _ in range(4):
                guesses = np.array([rng.randrange(rules.size) for _ in range(3)])
                yield games.reply(np.array([0, 1, 3]), guesses, tie_break), games.counts, games.masks, games.luck


WORK = (partitions, counting, live_sets, guessing, expectation, optimal, worst_cases, symmetry, luck, side_by_side)


def plain(value):
    """Return a value as text that is the same from arrays and numbers of numpy."""
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return plain(value.tolist()) if hasattr(value, "tolist") else repr(value)


def results(work=WORK):
    """Return what each kind of work gives, as text."""
    return {each.__name__: [json.dumps(plain(result)) for result in each()] for each in work}


if __name__ == "__main__":
    record_kernels()
    asked = [each for each in WORK if each.__name__ in sys.argv[1:]] or WORK
    json.dump({"results": results(asked), "executed": sorted(EXECUTED)}, sys.stdout)
