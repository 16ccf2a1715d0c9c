"""The program `stiction`, as the wheel brings it."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Becomes the program, with the same arguments: exit codes, signals and terminals are its own."""
    program = os.path.join(os.path.dirname(__file__), "bin", "stiction")
    os.execv(program, [program, *sys.argv[1:]])
