#!/usr/bin/env bash
# Makes dist/stiction-….whl of the library in BUILD, for the Python of .deps/wheel. Usage: scripts/build_wheel.sh BUILD
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rm -f dist/*.whl
rm -f "$1/.skbuild-info.json"   # the build folder is make's: a wheel with other tools must not clear it
SKBUILD_BUILD_DIR=$PWD/$1 .deps/wheel/bin/python -m pip wheel . --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir dist
ls dist/*.whl
