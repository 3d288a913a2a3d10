"""A second check of a codemaker's replies, which shares no code with the codemaker; begin with `check.check_record`.

Nothing here is imported from the game or the protocol package: `definitions` and `record` state the protocol page's
definitions again, as plainly as possible.
"""
