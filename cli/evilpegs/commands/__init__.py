"""The commands of `evilpegs`, one module or package each.

`main.py` lists them by import string, so only the command that runs is imported. Commands that need no server never
import the server's libraries (a contract in pyproject.toml).
"""
