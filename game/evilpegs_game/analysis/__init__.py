"""Post-game analysis: how good each guess was, and which turns contradict each other.

Begin with `turns`: `analyze` describes every turn of a game. `figures`, `best_guesses` and `regret` compute the parts
of this description; `contradictions` finds turns that no code satisfies together. docs/analysis.md explains the
figures.
"""
