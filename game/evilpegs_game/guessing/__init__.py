"""The best guess at a position under a criterion, such as minimax or entropy.

Begin with `criteria`, which says what makes a guess good, and `selection`, whose `best_guess` decides ties. The other
modules are the compiled search: `color_classes` leaves out equivalent guesses, `guess_cursor` enumerates the other
guesses and counts their parts, `ranking` compares guesses, and `search` finds the best of them.
"""
