#!/usr/bin/env bash
# Shows the main job on shipped robots. Usage: scripts/demo.sh BUILD_DIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

show() { echo; echo "\$ $*"; "$@"; }
show "$1/stiction" inspect urdf/biped.urdf
show "$1/examples/print_problem" urdf/box.urdf
show "$1/examples/box_holds" urdf/box.urdf
