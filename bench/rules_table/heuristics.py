"""What each heuristic needs: against every secret, against evil, and against evil with the worst ties."""

from evilpegs_game.codes import all_codes, column_code, to_columns
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.feedback import feedbacks
from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, LEXICOGRAPHIC, MINIMAX, MOST_PARTS
from evilpegs_game.guessing.selection import best_guess_at, color_mask
from evilpegs_game.partition import part_size_table, select

HEURISTICS = {each.name: each for each in (MINIMAX, LEXICOGRAPHIC, EXPECTED_SIZE, ENTROPY, MOST_PARTS)}


def evaluate(rules, criterion):
    """Return the total and the most guesses of a heuristic over all secrets."""
    distribution = evaluate_heuristic(rules, criterion)
    return sum(guesses * codes for guesses, codes in enumerate(distribution, 1)), len(distribution)


class LengthAgainstEvil:
    """The guesses that a heuristic needs against evil, by its rule for ties or with the worst ties."""

    def __init__(self, rules, criterion):
        self.rules, self.criterion = rules, criterion
        self.feedbacks = feedbacks(rules.pegs)
        self.guesses = {}  # by live set; most occur in both searches
        self.most = {}

    def longest(self, worst_ties):
        self.most.clear()
        return self._longest(all_codes(self.rules), 0, worst_ties)

    def _longest(self, live, guessed, worst_ties):
        key = live.tobytes(), guessed
        if key not in self.most:
            guess = self._guess(key, live)
            *sizes, _ = part_size_table(live, to_columns([guess]))[:, 0].tolist()
            ties = [number for number, size in enumerate(sizes) if size == max(sizes)] if any(sizes) else []
            parts = (select(live, guess, self.feedbacks[number]) for number in (ties if worst_ties else ties[:1]))
            below = [self._longest(part, guessed | color_mask(guess), worst_ties) for part in parts]
            self.most[key] = 1 + max(below, default=0)
        return self.most[key]

    def _guess(self, key, live):
        if key not in self.guesses:
            measure = self.criterion.measure(live.shape[1])
            few = live.shape[1] <= 2
            self.guesses[key] = column_code(live, 0) if few else best_guess_at(live, self.rules, key[1], measure, False)
        return self.guesses[key]
