"""A follower of the event log that a test drives."""

from evilpegs_server.show.follower import load_events
from evilpegs_server.storage.log.archive import load_last_event_id


class FakeFollower:
    """A follower that hands on what is stored when it is told to."""

    def __init__(self, engine):
        self.engine, self.position, self._listeners = engine, load_last_event_id(engine), []

    @property
    def sent(self):
        return load_last_event_id(self.engine)

    def listen(self, listener, _is_listening=None):
        self._listeners.append(listener)

    def follow(self, last=None):
        last = last or load_last_event_id(self.engine)
        events = load_events(self.engine, self.position, last)
        self.position = last
        self.hand_on(events)

    def hand_on(self, events):
        for listener in self._listeners:
            listener(events)
