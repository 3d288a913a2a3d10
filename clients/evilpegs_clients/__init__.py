"""The codebreaker's side: programs and people that play on a match server.

`strategies` chooses guesses, `connection` talks to a server, `verification` checks a record, `bot` and `terminal` play
whole matches, and `evaluation` measures strategies without a server. Begin with `bot.bot.play_matches`, which uses the
first three; `errors` lists everything that can go wrong.
"""
