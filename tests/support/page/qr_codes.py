"""QR codes in pictures, read by a program that is not ours."""

import shutil
import subprocess

from support.patience import PATIENCE
from support.requirements import require


def read_codes(*paths):
    """Return the texts of QR codes in pictures, as zbar reads them."""
    program = shutil.which("zbarimg")
    require(program, "QR codes are read by zbarimg; on Debian: apt install zbar-tools")
    read = subprocess.run(
        [program, "--quiet", "--raw", *map(str, paths)], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    return read.stdout.splitlines()
