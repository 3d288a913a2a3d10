"""Computation outside the event loop, most of it in a worker process. Begin with `tasks`."""
