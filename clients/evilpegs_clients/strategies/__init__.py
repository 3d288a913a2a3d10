"""Strategies: each chooses the next guess from the position, and from a random generator if it uses one.

Begin with `strategy`, which defines the interface, and `heuristics`, which holds the best-known strategies. To add a
strategy, write its class beside them, add the class to `registry` and test it with a subclass of the contract class in
tests/clients/strategies/. `loading` finds a strategy by name or in a Python file.
"""
