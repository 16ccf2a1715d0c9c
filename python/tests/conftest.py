"""What the tests share: the repository around them, and the program beside the library that the wheel was made of."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture(scope="session")
def program():
    """Runs the program and returns (exit code, output, errors)."""
    path = os.environ.get("STICTION_PROGRAM")
    if not path:
        pytest.skip("STICTION_PROGRAM names no program to compare with")

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    return run
