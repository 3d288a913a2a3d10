"""A second check of a codemaker's replies, written apart from the codemaker and from everything it builds on.

Begin with `check.check_record`. Nothing here is imported from the game or the protocol package: `definitions` and
`record` state the protocol page's definitions again, as plainly as possible. The candidates are found by enumerating
all codes (`enumerate_plain`, `enumerate_blocks`); `replies` and `solver` then decide which replies the rules allow.
"""
