"""Computation outside the event loop.

Begin with `tasks`, which defines the computations. `pool` submits tasks for players in the order that `scheduler`
decides; `worker_process` runs them in another process, whose program is `worker`. The two processes exchange
`worker_messages` as `frames`. `child_process` starts processes, and `workspace` has the caches that tasks share.
`hints` chooses good guesses, `measured_luck` computes the luck of a game, and `interpreter` has the settings of a busy
server.
"""
