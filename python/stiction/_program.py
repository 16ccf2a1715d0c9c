"""The program `stiction`, as the wheel brings it."""

from __future__ import annotations

import os
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "stiction")


def main() -> None:
    """Becomes the program, with the same arguments: exit codes, signals and terminals are its own."""
    if sys.argv[1:2] == ["view"]:  # for which the program would look for Python
        from .view.__main__ import main as view

        sys.exit(view(sys.argv[2:]))
    os.execv(PROGRAM, [PROGRAM, *sys.argv[1:]])
