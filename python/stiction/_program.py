"""The program `stiction`, as the wheel brings it."""

from __future__ import annotations

import os
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "stiction")


def main() -> None:
    """Becomes the program, with the same arguments: exit codes, signals and terminals are its own."""
    os.execv(PROGRAM, [PROGRAM, *sys.argv[1:]])
