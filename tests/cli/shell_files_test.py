"""Shell completion and man page name the commands and options that the program has. Usage: shell_files_test.py STICTION SOURCE_DIR"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

STICTION, SOURCE = sys.argv[1:]
COMPLETIONS = os.path.join(SOURCE, "share", "completions")


def help_of(*command):
    return subprocess.run([STICTION, *command, "--help"], capture_output=True, text=True, check=True).stdout


def read(*path):
    with open(os.path.join(SOURCE, "share", *path), encoding="utf-8") as file:
        return file.read()


def options_of(command):
    """Of the lines that begin with an option."""
    lines = [line for line in help_of(command).splitlines() if re.match(r"\s+-", line)]
    return {re.search(r"--[a-z-]+", line)[0] for line in lines}


def completed(*words):
    """What bash offers for the last word."""
    script = f'source "{COMPLETIONS}/stiction.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _stiction; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", script, "bash", "stiction", *words], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


commands = set(re.findall(r"^  ([a-z]+)  ", help_of().split("xamples")[0], re.M))
assert {"check", "track", "verify"} <= commands, commands
options = {command: options_of(command) for command in commands - {"view"}}
with open(os.path.join(SOURCE, "python", "stiction", "view", "__main__.py"), encoding="utf-8") as file:   # which need not be installed
    options["view"] = {"--help", *re.findall(r'add_argument\("(--[a-z-]+)"', file.read())}
assert {"--set", "--svg", "--help"} <= options["check"], options

assert completed("") == commands | {"--help", "--version"}, completed("")
for command in commands:
    assert completed(command, "-") == options[command], (command, completed(command, "-") ^ options[command])
assert completed("check", "--question", "e") == {"equilibrium"}
assert completed("check", "--set", "") == set()

every = set().union(*options.values())
zsh, fish, man = read("completions", "_stiction"), read("completions", "stiction.fish"), read("man", "stiction.1")
assert set(re.findall(r"--[a-z][a-z-]+(?=\[)", zsh)) == every
assert {"--" + name for name in re.findall(r"^complete.* -l ([a-z-]+)", fish, re.M)} == every
assert set(re.findall(r"--[a-z][a-z-]+", man.split(".SH COMMANDS")[1].replace("\\-", "-"))) == every
for command in commands:
    assert f"'{command}:" in zsh or f'"{command}:' in zsh, command
    assert f"-a {command} " in fish and f'"{command} "' in man, command
    zsh_case = re.search(rf"^  {command}\)(.*?);;", zsh, re.S | re.M)[1]
    for name, members in [("$set", ["--set"]), ("$packages", ["--package-path"]), ("$question", ["--question"]), ("$both", ["--help", "--version"]),
                          ("$rows", re.findall(r"^  '(--[a-z]+)", zsh.split("rows=(")[1].split(")\n")[0], re.M))]:
        zsh_case = zsh_case.replace(name + " ", " ".join(f"{m}[" for m in members) + " ")
    found = set(re.findall(r"--[a-z][a-z-]+(?=\[)", zsh_case))
    assert found == options[command], (command, found ^ options[command])
    fish_found = {"--help", "--version"}
    for where, option in re.findall(r"_from ([a-z$ ]+)['\"] -l ([a-z-]+)", fish):
        if command in where.split() or where == "$commands":
            fish_found.add("--" + option)
    assert fish_found == options[command], (command, fish_found ^ options[command])

for shell, arguments, file in [("zsh", ["-n"], "_stiction"), ("fish", ["--no-execute"], "stiction.fish"), ("bash", ["-n"], "stiction.bash")]:
    if shutil.which(shell):
        subprocess.run([shell, *arguments, os.path.join(COMPLETIONS, file)], check=True)
if shutil.which("groff"):
    done = subprocess.run(["groff", "-man", "-ww", "-z", os.path.join(SOURCE, "share", "man", "stiction.1")], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr

# A scenario from standard input: URDF files are then relative to where the program runs.
scenario = os.path.join(SOURCE, "scenarios", "block_tips.yaml")
with open(scenario, encoding="utf-8") as file:
    text = file.read()
ask = dict(input=text, capture_output=True, text=True, cwd=os.path.join(SOURCE, "scenarios"))
piped = subprocess.run([STICTION, "check", "-", "--json"], **ask)
named = subprocess.run([STICTION, "check", scenario, "--json"], **ask)
assert piped.returncode == 1 and piped.stdout == named.stdout, piped.stderr
assert subprocess.run([STICTION, "verify", "-"], input=piped.stdout, capture_output=True, text=True).returncode == 0
with tempfile.TemporaryDirectory() as folder:
    files = [os.path.join(folder, name) for name in ("problem.json", "drawing.svg", "scenario.yaml")]
    both = subprocess.run([STICTION, "check", "-", "--problem", files[0], "--svg", files[1], "--write-scenario", files[2]], **ask)
    assert both.returncode == 1 and all(os.path.getsize(file) > 100 for file in files), both.stderr
bad = subprocess.run([STICTION, "check", "-"], **(ask | dict(input="stiction: 1\nmodel: {}")))
assert bad.returncode == 2 and "standard input:2:" in bad.stderr and "did you mean 'models'" in bad.stderr, bad.stderr
print("commands and options agree")
