"""`evilpegs feed`: matches as they happen, from a match server or an MQTT broker.

`command.py` is the command, `follow.py` prints events, `lines.py` makes lines for people from them, `board.py` keeps
leaderboards on the screen, and `missing_ladder.py` warns people who wait for a ladder that no server publishes.
"""
