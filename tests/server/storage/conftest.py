"""Files of storage lie on a disk."""

import os

import pytest


@pytest.fixture
def tmp_path(on_disk):
    return on_disk


@pytest.fixture
def not_root(tmp_path):
    """Be a user who may read in ``tmp_path`` and write nowhere; root, who may write anywhere, becomes nobody."""
    tmp_path.chmod(0o555)
    was_root = os.geteuid() == 0
    if was_root:
        os.setresuid(65534, 65534, 0)
    yield
    if was_root:
        os.setresuid(0, 0, 0)
    tmp_path.chmod(0o700)
