"""The results of every built-in strategy on every ladder, and the page docs/results.md that shows them.

`measuring` plays games, `cells` names what to play, and `journal` keeps what is finished; `page` and `tables` write
what was found.
"""
