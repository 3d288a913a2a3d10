"""The live feed: what happens on the server, published to an MQTT broker.

Begin with `feed`. It follows the event log in the database, so a broker that is slow, absent or restarted
delays no match and misses no result.
"""
