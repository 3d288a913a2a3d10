"""Post-game analysis: how good each guess was, and which turns contradict each other.

Begin with `turns`: `analyze` describes every turn of a game. `games` does this for several games. `figures`,
`best_guesses` and `regret` compute the parts of this description, and `TurnAnalysis.to_json` returns its JSON form.
`contradictions` finds turns that no code satisfies together. docs/analysis.md explains the figures.
"""
