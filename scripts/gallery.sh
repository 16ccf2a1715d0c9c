#!/usr/bin/env bash
# Checks every scenario of the gallery against the verdict in its first line. Usage: scripts/gallery.sh BUILD_DIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/find_robots.sh
verdicts=([0]=holds [1]=fails [3]=undecided)   # by exit code
checked=0 skipped=0 wrong=0
printf '%-26s %-10s %s\n' scenario verdict 'what happens'
for file in scenarios/*.yaml; do
  code=0
  report=$("$1/stiction" check "$file" 2>&1) || code=$?
  verdict=${verdicts[$code]:--}
  sentence=$(sed -n '2{$!N;s/\n..*/ …/;P}' <<<"$report")
  expected=$(sed -n '1s/# expect: //p' "$file")
  if [[ $verdict == - && -z $robots_found ]] && grep -q 'package://example-robot-data' "$file"; then
    sentence='(skipped: needs the Python wheel example-robot-data, which `make gallery` installs)'
    skipped=$((skipped + 1))
  elif [[ $verdict == - ]]; then
    sentence=$report
    wrong=$((wrong + 1))
  elif [[ $verdict != "$expected" ]]; then
    verdict="$verdict (expected $expected)"
    wrong=$((wrong + 1))
  fi
  checked=$((checked + 1))
  printf '%-26s %-10s %s\n' "$(basename "$file" .yaml)" "$verdict" "$sentence"
done
echo "$checked scenarios: $((checked - skipped - wrong)) as expected, $wrong not, $skipped skipped"
((wrong == 0))
