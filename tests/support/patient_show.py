"""The show process of a patient server.

python -m support.patient_show FD
"""

import sys

import pytest

from evilpegs_server import show_server
from support.patient_server import lengthen_limits

if __name__ == "__main__":
    lengthen_limits(pytest.MonkeyPatch())
    show_server.main(int(sys.argv[1]))
