"""A second check of a codemaker's replies, which shares no code with the codemaker.

Begin with `check.check_record`. Nothing here is imported from the game or the protocol package: `definitions` and
`record` state the protocol page's definitions again, as plainly as possible. The candidates are found by enumerating
all codes (`enumerate_plain`, `enumerate_blocks`); `replies` and `solver` then decide which replies the rules allow.
"""
