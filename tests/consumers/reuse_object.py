#!/usr/bin/env python3
"""Compiler launcher for a second build of the same sources: takes over the object that the first build made with the same command
line, and compiles what was not compiled that way.

  reuse_object.py FIRST_BUILD [launcher] compiler arguments
"""
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys


def recipe(command):
    """What an object depends on (its source by content where it was generated, as grouped sources are), and where it goes."""
    arguments, skip = [], 0
    object_file = source = None
    for at, word in enumerate(command):
        if skip:
            skip -= 1
        elif word in ("-o", "-MF", "-MT"):
            object_file = command[at + 1] if word == "-o" else object_file
            skip = 1
        elif word == "-c":
            source = pathlib.Path(command[at + 1])
            skip = 1
        elif word not in ("-MD", "-Werror"):
            arguments.append(re.sub("^-I.*/rooms/", "-I", word))  # include roots are links to the same folders
    if source is None or object_file is None:
        return None, None
    generated = "CMakeFiles" in source.parts
    return (source.read_text() if generated else str(source), arguments), object_file


def main():
    first, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    compiler = next(at for at, word in enumerate(command) if word.startswith("-")) - 1
    wanted, target = recipe(command[compiler:])
    if wanted:
        for entry in json.loads((first / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            made, object_file = recipe(words[words.index(command[compiler]):])
            if made == wanted and (first / object_file).exists():
                shutil.copyfile(first / object_file, target)
                return 0
    return subprocess.call(command)


sys.exit(main())
