"""The events of other players' matches as they happen, from an MQTT broker or from a match server.

`broker_feed` and `watch_feed` yield the same values, each over connections that are restored when they are lost.
`match_book` remembers whose match an event belongs to, and drops doubles.
"""
