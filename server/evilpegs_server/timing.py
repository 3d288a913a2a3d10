"""The looks, waits and patience of a server: one value that is handed on from where it starts; tests give their own."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    # looks, of which another follows after this time
    look_seconds: float = 1.0  # at what the operator has changed, and at silent nodes
    hand_over_seconds: float = 0.1  # at what other nodes ask for
    sweep_seconds: float = 1.0  # at idle players
    file_look_seconds: float = 0.5  # at the file of the database, while there is nothing to write
    log_look_seconds: float = 0.025  # at the log, where no server says what it has sent
    derived_look_seconds: float = 2.0  # at the derived file, without news: somebody may have deleted it
    luck_look_seconds: float = 0.5  # at games that have ended: after each commit, it would take a quarter of a core
    documents_seconds: float = 1.0  # at the open matches and leaderboards that the feed publishes
    site_check_seconds: float = 5.0  # at a connection, which is closed if it made no progress since the last one
    show_look_seconds: float = 1.0  # at the show process
    # looks without a word from a show process that is replaced; seconds would not do: the server may have been stopped
    silent_looks: int = 10
    starting_looks: int = 120

    # the start
    port_release_seconds: float = 5.0  # the show process of a server that was killed has the port until it notices
    compiling_seconds: float = 3.0  # loading compiled kernels takes a second or two
    restart_grace_ms: int = 60_000  # to resume a match, before its clock runs without the player

    # results
    count_seconds: float = 1.0  # between two counts of finished matches
    first_count_seconds: float = 2.0  # that a reader waits for the first count
    luck_retry_seconds: float = 5.0

    # strangers, the disk and the broker
    tls_seconds: float = 5.0  # for a handshake
    over_limit_ms: float = 5_000.0  # in which an address that met a limit has a small budget
    reload_seconds: float = 1.0  # between two attempts to read a match whose events could not be stored
    log_retry_seconds: float = 1.0
    busy_seconds: float = 2.0  # for the write lock, per batch; when the writer closes, for all remaining ones together
    memory_release_seconds: float = 5.0  # after clients were cut off, until the memory that waited for them is released
    heartbeat_seconds: float = 15.0  # of streams
    answer_seconds: float = 30.0  # for the broker to accept a connection or acknowledge a message

    # the stop
    drain_seconds: float = 3.0  # for replies and commits in progress
    close_seconds: float = 2.0  # for clients to read their last messages and close
    outlet_seconds: float = 2.5  # for the show, whose site and feed close one after another: theirs add up to less
    site_close_seconds: float = 0.5  # for responses to reach their clients
    feed_stop_seconds: float = 1.0  # for the last results and the goodbye to reach the broker
    goodbye_seconds: float = 0.5
    show_stop_seconds: float = 2.25
    worker_seconds: float = 1.0  # for the worker process to export the positions it has solved, and end
    export_seconds: float = 2.0
    stop_seconds: float = 9.0  # for all steps together; then the process ends by force
