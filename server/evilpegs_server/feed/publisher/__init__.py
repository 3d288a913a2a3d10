"""The publisher process, the only one that talks to the MQTT broker.

The MQTT client costs the interpreter a tenth of a millisecond per message, which would delay the replies of a busy
server; hence a process of its own. It knows nothing about matches, ladders or the database.
"""
