"""`evilpegs ladders`: the built-in ladders or those of a server, and the calibration of a ladder."""
