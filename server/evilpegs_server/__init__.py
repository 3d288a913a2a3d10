"""The match server: a sans-I/O match, the clock, the durable record, the gateway, the leaderboard."""
