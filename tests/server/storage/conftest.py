"""Files of storage lie on a disk, and what each engine must do is tried on both of them."""

import os

import pytest


def pytest_generate_tests(metafunc):
    # a module that names `DATABASES` runs what uses a database on each of them; results are those of a file
    names = set(metafunc.fixturenames)
    kinds = getattr(metafunc.module, "DATABASES", None)
    if kinds and "database" in names and not (names & {"derived"} or metafunc.definition.get_closest_marker("sqlite")):
        metafunc.parametrize("database", kinds, indirect=True)


@pytest.fixture
def tmp_path(on_disk):
    return on_disk


@pytest.fixture
def database(database, tmp_path, monkeypatch, request):
    """The URL of a database that does not exist yet; of one with empty tables if a test asks for PostgreSQL."""
    if getattr(request, "param", None) != "postgresql":
        return database
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))  # for the files beside its copy
    return request.getfixturevalue("postgres_url")


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
