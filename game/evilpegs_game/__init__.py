"""The game itself: codes, feedback, partitions, codemakers, evaluation.

Pure: no I/O, no clock, no hidden randomness. Nothing here knows that servers or players exist.
"""
