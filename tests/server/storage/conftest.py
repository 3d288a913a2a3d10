"""Files of storage lie on a disk."""

import pytest


@pytest.fixture
def tmp_path(on_disk):
    return on_disk
