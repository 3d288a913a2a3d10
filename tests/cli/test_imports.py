"""Imports of the packages on systems that lack a module of Unix."""

import json
import subprocess
import sys
from pathlib import PurePath

import pytest

from support.patience import PATIENCE

WITHOUT_FCNTL = """
import json, pkgutil, sys, traceback, warnings
warnings.simplefilter("ignore")  # filelock warns that this system has no locks
sys.modules["fcntl"] = None
import evilpegs, evilpegs_clients
names = [
    module.name
    for package in (evilpegs_clients, evilpegs)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith(".__main__")
]
refused = {}
for name in names:
    try:
        __import__(name)
    except ImportError as error:
        refused[name] = traceback.extract_tb(error.__traceback__)[-1].filename
print(json.dumps([names, refused]))
"""


@pytest.mark.full
def test_only_server_needs_fcntl():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_FCNTL], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    names, refused = json.loads(done.stdout)
    assert {"evilpegs.main", "evilpegs_clients.connection.tokens"} <= set(names) - set(refused)
    assert {PurePath(file).parts[-3] for file in refused.values()} == {"evilpegs_server"}
