"""The compiler for the programs in C that the repository has."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def compile_program(source: str, folder: Path, *options: str) -> Path:
    """Compile a file of the repository, any warning an error, and return the path of the program."""
    compiler, program = shutil.which("cc"), folder / Path(source).stem
    if compiler is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("the program in C needs a compiler")
    subprocess.run([compiler, "-O3", "-Wall", "-Wextra", "-Werror", *options, "-o", program, ROOT / source], check=True)
    return program
