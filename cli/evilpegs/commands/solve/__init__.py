"""`evilpegs solve`: the best strategy for all codes of the rules, with a proof."""
