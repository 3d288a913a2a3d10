"""The publisher process, the only one that talks to the MQTT broker.

The MQTT client needs a process of its own, because it costs the interpreter a tenth of a millisecond per message, and
this time would delay the replies of a busy server. Begin with `program`. `publisher` carries out the server's requests,
`reconnection` connects to the broker again, and `client` is the MQTT client. This package knows nothing about matches,
ladders or the database.
"""
