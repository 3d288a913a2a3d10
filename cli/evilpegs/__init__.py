"""The `evilpegs` command: the one place that knows both server and clients."""
