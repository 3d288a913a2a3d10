"""The codemakers of a server.

Begin with `replies`: `Codemaking` answers guesses at once if that is cheap, and otherwise with tasks of the worker
process. `game_secrets` derives, from the nonces of a game, its secret and the choices among equally good replies.
`capacity` decides which ladders a server can offer with its memory, and `pool_limits` has the limits by which players
share the worker process.
"""
