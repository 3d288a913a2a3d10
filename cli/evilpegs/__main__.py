"""The entry point of ``python -m evilpegs``."""

import sys

from evilpegs.main import main

sys.exit(main())
