"""`evilpegs feed`: matches as they happen, from a match server or an MQTT broker.

`command.py` is the command, `follow.py` prints events, `lines.py` words them for people, and `board.py` keeps
leaderboards on the screen.
"""
