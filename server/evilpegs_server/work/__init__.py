"""Computation outside the event loop.

Begin with `tasks`, which defines what is computed. `pool` submits tasks for players in the order that `scheduler`
decides; `worker_process` runs them in another process, whose program is `worker`. `worker_messages` is what the two
processes exchange as `frames`, `child_process` how processes are started, `workspace` the cache that tasks share,
`hints` the choice of a good guess, and `interpreter` the settings of a busy server.
"""
