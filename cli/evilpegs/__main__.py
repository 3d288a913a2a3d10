"""So that `python -m evilpegs` is the `evilpegs` command."""

import sys

from evilpegs.main import main

sys.exit(main())
