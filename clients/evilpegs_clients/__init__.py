"""The codebreaker's side: programs and people that play on a match server.

`strategies` chooses guesses, `connection` talks to a server, and `verification` checks a record. `bot` plays whole
matches with a strategy, and `play` with a person, at a `terminal`. `evaluation` measures strategies without a server,
`contest` compares two of them, and `feed` reads the matches of others. Begin with `bot.bot.play_matches`, which uses
the first three; `errors` lists everything that can go wrong.
"""
