"""`evilpegs ladders`: the built-in ladders or those of a server, and the calibration of a ladder.

Begin with `command.py`. `calibration.py` makes the value curve that the luck of a ladder's games depends on.
"""
