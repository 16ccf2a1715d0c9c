#!/usr/bin/env bash
# Installs what building stiction needs and this machine lacks: Debian/Ubuntu packages, and into .deps/venv of the
# source tree the C++ libraries that come as Python wheels. A second run finds nothing to do and uses no network.
#
#   scripts/setup.sh           what the library and the program need
#   scripts/setup.sh --robots  also the real robots of the gallery
#   scripts/setup.sh --test    also what the tests and benchmarks need (the robots too)
#   scripts/setup.sh --wheel   also, into .deps/wheel, what builds the Python wheel
#   scripts/setup.sh --ros     also, into .deps/ros, the ROS 2 message generators, unless there is a ROS 2 with rclcpp
#
# SKIP_SYSTEM_PACKAGES=1 leaves the system packages alone; SKIP_PYTHON_PACKAGES=1 leaves .deps/venv alone, for machines
# whose ROS 2 or conda environment already brings Pinocchio and qpOASES.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

system_packages=(g++ make cmake ninja-build ccache libeigen3-dev libyaml-cpp-dev nlohmann-json3-dev libcli11-dev libfmt-dev)
requirements=(requirements.txt)
wheel_requirements=()
ros_requirements=()
case "${1:-}" in
  "") ;;
  --wheel)
    wheel_requirements=(requirements-wheel.txt)
    python3 -c 'import os, sysconfig; os.stat(os.path.join(sysconfig.get_paths()["include"], "Python.h"))' 2>/dev/null ||
      system_packages+=(python3-dev)
    ;;
  --robots) requirements+=(requirements-robots.txt) ;;
  --test | --ros)
    system_packages+=(libgtest-dev libgmock-dev libbenchmark-dev libcdd-dev libgmp-dev libglpk-dev coinor-libclp-dev
                      libqhull-dev)
    requirements+=(requirements-robots.txt requirements-test.txt)
    # In a shell of its own: what ROS sets must not reach pip.
    if [[ "$1" == --ros && -z "$(. scripts/find_ros.sh; echo "$ros_found")" ]]; then ros_requirements=(requirements-ros.txt); fi
    ;;
  *) echo "usage: scripts/setup.sh [--robots | --test | --wheel | --ros]" >&2; exit 2 ;;
esac

say() { echo "setup: $*"; }
fail() { echo "setup: $*" >&2; exit 1; }

install_system_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "no apt-get here; expecting the equivalents of: ${system_packages[*]}"
    return
  fi
  python3 -c 'import ensurepip, venv' 2>/dev/null || system_packages+=(python3-venv)
  local installed missing=() package
  installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "${system_packages[@]}" 2>/dev/null || true)
  for package in "${system_packages[@]}"; do
    grep -qxF "ii $package" <<<"$installed" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "not root and no sudo; ask an administrator for: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "will install system packages with ${as_root[*]:+${as_root[*]} }apt-get: ${missing[*]}"
  say "(SKIP_SYSTEM_PACKAGES=1 skips this)"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# A venv, options for pip, requirements files.
install_python_packages() {
  local venv=$1 options=$2 python version file stamp
  shift 2
  local requirements=("$@") outdated=()
  command -v python3 >/dev/null || fail "python3 not found; it is needed to install Python wheels into $venv"
  version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  for file in "${requirements[@]}"; do
    stamp="$version $(sha256sum <"$file")"
    [[ -f "$venv/$file.stamp" && "$(<"$venv/$file.stamp")" == "$stamp" ]] || outdated+=("$file")
  done
  ((${#outdated[@]})) || return 0
  for file in "${outdated[@]}"; do
    say "will install Python wheels into $venv, from $file: $(sed -n 's|^\([^#=]*\)==.*|\1|p' "$file" | sort -u | xargs)"
    say "  $(sed -n '1s/^# //p' "$file")"
  done
  # A venv of another Python version or one that was interrupted half-way is made anew.
  python="$venv/bin/python"
  if ! "$python" -c "import sys, pip; assert '%d.%d' % sys.version_info[:2] == '$version'" 2>/dev/null; then
    rm -rf "$venv"
    python3 -m venv "$venv" || fail "python3 -m venv failed; on Debian and Ubuntu install python3-venv"
    outdated=("${requirements[@]}")
  fi
  "$python" -m pip install --quiet --disable-pip-version-check --only-binary :all: $options \
    $(printf -- '-r %s ' "${requirements[@]}")
  for file in "${outdated[@]}"; do
    echo "$version $(sha256sum <"$file")" >"$venv/$file.stamp"
  done
}

[[ "${SKIP_SYSTEM_PACKAGES:-0}" == 1 ]] || install_system_packages
[[ "${SKIP_PYTHON_PACKAGES:-0}" == 1 ]] || install_python_packages .deps/venv "" "${requirements[@]}"
((${#wheel_requirements[@]} == 0)) || install_python_packages .deps/wheel "" "${wheel_requirements[@]}"
((${#ros_requirements[@]} == 0)) || install_python_packages .deps/ros "--no-deps --no-binary empy" "${ros_requirements[@]}"
