"""A server that stores events of matches whatever their epoch: the control of test_faults.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from evilpegs_server.storage.engines import postgres
from support.faketime_server import main

CHECK = "WHERE o.node = %(node)s AND o.epoch = w.epoch"
assert CHECK in postgres.BATCH
postgres.BATCH = postgres.BATCH.replace(CHECK, "")
sys.exit(main())
