"""The program `stiction`, as the wheel brings it."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "stiction")


def run_program(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end. Exit code 2 is input that it refuses, or bad rows; @raises RuntimeError where it broke
    down: killed, out of memory, a bug."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    if done.returncode not in (0, 1, 2, 3):
        ended = f"by signal {-done.returncode}" if done.returncode < 0 else f"with exit code {done.returncode}"
        said = words_of(done) or "it said nothing"
        raise RuntimeError(f"stiction {arguments[0]} was ended {ended}: {said}")
    return done


def words_of(done: subprocess.CompletedProcess[str]) -> str:
    """What it says is wrong."""
    return done.stderr.strip().removeprefix("stiction: ")


def main() -> None:
    """Becomes the program, with the same arguments: exit codes, signals and terminals are its own."""
    if sys.argv[1:2] == ["view"]:  # for which the program would look for Python
        from .view.__main__ import main as view

        sys.exit(view(sys.argv[2:]))
    os.execv(PROGRAM, [PROGRAM, *sys.argv[1:]])
