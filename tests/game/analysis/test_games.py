"""Several games are analyzed as each would be alone."""

from evilpegs_game.analysis.turns import Effort, analyze_games
from evilpegs_game.codes import parse_code
from evilpegs_game.feedback import Feedback, Turn
from evilpegs_game.rules import Rules

RULES = Rules(3, 4)


def history(*turns):
    return tuple(Turn(parse_code(code, RULES), Feedback(*feedback)) for code, feedback in turns)


def test_games_are_analyzed_as_each_alone():
    games = [
        history(("112", (1, 0)), ("314", (0, 3)), ("143", (3, 0))),
        history(("112", (1, 0)), ("133", (1, 1))),
        (),
    ]
    steps = []
    analyses = analyze_games(RULES, games, Effort(), progress=lambda done, turns: steps.append((done, turns)))
    assert analyses == tuple(analyze_games(RULES, [game], Effort())[0] for game in games)
    assert steps == [(done, 5) for done in range(1, 6)]
