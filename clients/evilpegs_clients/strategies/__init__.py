"""Codebreaking strategies, one a file.

To add one: write its file beside these, enter it in `registry`, and give it a test class that inherits
the contract in tests/strategies/.
"""
