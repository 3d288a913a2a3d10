"""The best guess at a position under a criterion, such as minimax or entropy.

Begin with `criteria`, which says what makes a guess good, and `selection`, whose `best_guess` decides ties. The other
modules are the compiled search: `bitmaps` counts parts, `ranking` compares guesses, `color_classes` leaves out
equivalent guesses, `guess_cursor` enumerates the other guesses, `search` and `parallel_search` find the best of them.
`sampling` finds a good guess on rules with too many candidates to consider each.
"""
