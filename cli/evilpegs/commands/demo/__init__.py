"""`evilpegs demo`: bots play on a real server, and the log is shown, all in under a minute."""
