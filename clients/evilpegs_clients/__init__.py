"""The codebreaker's side: strategies, the bot runner, the terminal client, the verifier."""
