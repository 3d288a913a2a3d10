"""`evilpegs solve`: the best strategy for all codes of the rules, with a proof.

Begin with `command.py`. `progress.py` prints the bounds on the number of guesses as they tighten, `proof_log_file.py`
keeps proved bounds so that a killed run can continue, and `against.py` is the option --against: the fewest guesses that
beat a codemaker.
"""
