"""The entry point of ``python -m evilpegs``, which is the same as the command ``evilpegs``."""

import sys

from evilpegs.main import main

sys.exit(main())
