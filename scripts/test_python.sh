#!/usr/bin/env bash
# Installs dist/*.whl into a new virtual environment, BUILD/python/venv, and runs the tests of python/tests there. A second run only exchanges
# the wheel. Usage: scripts/test_python.sh BUILD [arguments of pytest]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=$PWD/$1/python/venv stamp=$PWD/$1/python/venv.stamp
build=$PWD/$1
shift
. scripts/find_robots.sh
wheels=(dist/*.whl)
pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
wanted=$(cat requirements.txt requirements-python.txt pyproject.toml | sha256sum)
if [[ ! -f $stamp || "$(<"$stamp")" != "$wanted" ]]; then
  rm -rf "$venv" "$stamp"
  python3 -m venv "$venv"
  "${pip[@]}" --only-binary :all: --constraint requirements.txt "${wheels[0]}"   # as a user would, with the versions that are tested
  "${pip[@]}" --only-binary :all: -r requirements-python.txt
  echo "$wanted" >"$stamp"
else
  "${pip[@]}" --force-reinstall --no-deps "${wheels[0]}"
fi
STICTION_PROGRAM=$build/stiction exec "$venv/bin/python" -m pytest --quiet -rs python/tests "$@"
