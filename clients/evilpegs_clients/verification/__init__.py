"""Checks that a server was honest, from nothing but the events it sent.

Begin with `verify`: `verify_match` checks a whole record and `verify_game` one game, with the checks in `game`. Both
return a list of `violation.Violation`, empty if everything holds. `independent` checks the codemaker's replies once
more, with code that shares nothing with the codemaker. `signature` checks who made a record, `times` looks for
implausible times, and `played` compares a record with what its player received.
"""
