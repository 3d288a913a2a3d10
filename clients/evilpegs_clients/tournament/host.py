"""The process in which a strategy of a tournament plays: ``python -m evilpegs_clients.tournament.host NAME CACHE``.

It speaks the line protocol of programs (`evilpegs_clients.strategies.program`). Requests have the seed of the game too,
so that a strategy draws the same random numbers as in `evilpegs duel`.
"""

import json
import os
import sys

from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import describe_exception, seeded_choice
from evilpegs_game.codes import format_code
from evilpegs_game.errors import GameError
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules


def main(name_or_file: str, cache: str) -> None:
    # the kernels that are compiled already are not below HOME, which is empty
    os.environ["XDG_CACHE_HOME"] = cache
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "w")
    # what the strategy reads is empty, and what it prints is no answer
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    strategy, live_sets = None, LiveSets()
    for line in requests:
        request = json.loads(line)
        rules = Rules.parse(request["rules"])
        history = [(turn["code"], (turn["black"], turn["white"])) for turn in request["history"]]
        try:
            strategy = strategy or load_strategy(name_or_file)
            code = seeded_choice(strategy, request["game_seed"])(Position(rules, history, live_sets))
            answer = {"code": format_code(code)}
        except GameError as error:
            answer = {"error": str(error)}
        except Exception as error:  # noqa: BLE001 - whatever a strategy does
            answer = {"error": describe_exception(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
