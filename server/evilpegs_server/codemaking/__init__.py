"""The codemakers of a server.

Begin with `replies`: `Codemaking` answers guesses at once when that is cheap, and with tasks of `work` otherwise.
`game_secrets` derives the secret and the ties of a game from its nonces, `capacity` decides which ladders a server can
offer with its memory, and `pool_limits` has the limits by which players share the worker's time.
"""
