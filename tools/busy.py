"""Run a command several times beside processes that only burn the processor: ``make test-busy``.

A test that passes here waits for events, not for times. The burners end with this process, however it ends.
"""

import argparse
import contextlib
import subprocess
import sys
import time

BURN = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(100_000))"


@contextlib.contextmanager
def burning(number):
    """Burn the processor with so many processes during the block."""
    burners = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(number)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--burners", type=int, default=4)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    failed = 0
    with burning(options.burners):
        for number in range(1, options.times + 1):
            began = time.monotonic()
            status = subprocess.run(options.command, check=False).returncode
            failed += status != 0
            print(f"run {number} of {options.times}: exit status {status} after {time.monotonic() - began:.0f} s")
    print(f"{options.times - failed} of {options.times} runs passed beside {options.burners} busy processes")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
