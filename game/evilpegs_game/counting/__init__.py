"""Live sets of any size without enumerating them: `docs/counting.md` tells how.

`parts` counts the part sizes of a guess, `first_guess` those of a first guess in another way; `atlas` lists and draws
the codes, `first_code` finds the first of them.
"""
