#!/usr/bin/env bash
# Says which sources are not formatted (exit 1), or formats them with --in-place. Exit 77: no clang-format 18, which the tests' setup installs.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files >/dev/null 2>&1 || { echo "format: SKIPPED, not a git checkout" >&2; exit 77; }
for formatter in .deps/venv/bin/clang-format clang-format-18 clang-format; do
  if command -v "$formatter" >/dev/null && "$formatter" --version | grep -q ' 18\.'; then
    if [ "${1:-}" = --in-place ]; then
      git ls-files '*.cpp' '*.hpp' | xargs "$formatter" -i
    else
      git ls-files '*.cpp' '*.hpp' | xargs "$formatter" --dry-run --Werror
    fi
    exit
  fi
done
echo "format: SKIPPED, there is no clang-format 18 (scripts/setup.sh --test installs it)" >&2
exit 77
