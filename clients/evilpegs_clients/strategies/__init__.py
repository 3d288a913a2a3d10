"""Strategies: each chooses the next guess from the position, and from a random generator if it uses one.

To add a strategy, write its class beside `heuristics`, add it to `registry`, and test it with a subclass of the
contract class in tests/clients/strategies/.
"""
