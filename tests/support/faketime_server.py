"""A server under libfaketime, which refuses the sleep of Python to which it would add nothing.

python faketime_server.py serve --port 0 ...
"""

import sys
import threading
import time

time.sleep = lambda seconds: threading.Event().wait(seconds)  # noqa: TID251 - it is replaced

from evilpegs.main import main  # noqa: E402 - what it imports takes the function of above

PROGRAM = __file__

if __name__ == "__main__":
    sys.exit(main())
