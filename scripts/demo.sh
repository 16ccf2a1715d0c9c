#!/usr/bin/env bash
# Checks every scenario of the gallery and shows one report in full. Usage: scripts/demo.sh BUILD_DIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
stiction=$1/stiction

# Real robots: from the environment, else from the Python wheel that the tests use, where it is installed.
packages=()
for share in .deps/venv/lib/python3*/site-packages/cmeel.prefix/share; do
  if [ -d "$share/example-robot-data" ]; then packages=(--package-path "$share"); fi
done

echo "\$ $stiction check scenarios/pinch_too_weak.yaml"
"$stiction" check scenarios/pinch_too_weak.yaml || true   # exit code 1: it fails
echo
echo "The gallery (scenarios/):"
printf '  %-26s %-10s %s\n' scenario verdict 'what happens'
wrong=0
for file in scenarios/*.yaml; do
  code=0
  report=$("$stiction" check "$file" "${packages[@]}" 2>&1) || code=$?
  expected=$(sed -n '1s/# expect: //p' "$file")
  case $code in
    0) verdict=holds ;;
    1) verdict=fails ;;
    3) verdict=undecided ;;
    *) verdict='-' ;;
  esac
  if [ "$verdict" = - ]; then
    if grep -q 'package://example-robot-data' "$file" && [ ${#packages[@]} -eq 0 ]; then
      sentence='(skipped: needs the Python wheel example-robot-data)'
    else
      sentence=$report
      wrong=1
    fi
  else
    sentence=$(sed -n 3p <<<"$report")
    if [ "$verdict" != "$expected" ]; then
      verdict="$verdict (expected $expected)"
      wrong=1
    fi
  fi
  printf '  %-26s %-10s %s\n' "$(basename "$file" .yaml)" "$verdict" "$sentence"
done
exit $wrong
