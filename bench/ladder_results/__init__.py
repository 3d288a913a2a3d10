"""The results of every built-in strategy on every ladder, and the page docs/results.md that shows them.

`measuring` plays games and `cells` names what to play; `page` and `tables` write what was found.
"""
