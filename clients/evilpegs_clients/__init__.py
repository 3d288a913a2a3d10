"""The codebreaker's side: programs and people that play on a match server; begin with `bot.bot.play_matches`."""
