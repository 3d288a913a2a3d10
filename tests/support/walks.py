"""The games of a strategy in one call: against every secret, or against one codemaker."""

from dataclasses import dataclass

from evilpegs_game.codes import Code
from evilpegs_game.evaluation.exact import GuessCounts, distribution_from, play_turns
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position


@dataclass(frozen=True)
class Evaluation(GuessCounts):
    first: Code


def evaluate(choose, rules, first=None, progress=None):
    opening = choose(Position(rules, (), LiveSets())) if first is None else first
    return Evaluation(rules, distribution_from(choose, rules, first=opening, progress=progress), opening)


def duel(choose, codemaker, rules, first=None):
    return tuple(play_turns(choose, codemaker, Position(rules, (), LiveSets()), first))
