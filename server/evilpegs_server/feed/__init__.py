"""The live feed: the event log, published to an MQTT broker.

The log is the queue, and a cursor says what the broker has acknowledged: a slow or absent broker misses nothing.
"""
