#!/usr/bin/env bash
# Shows a handful of scenes, one of them in full. Usage: scripts/demo.sh BUILD_DIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/find_robots.sh
stiction=$1/stiction

check() {
  local code=0
  "$stiction" check "$@" || code=$?
  ((code <= 1)) || exit "$code"   # 0 holds, 1 fails; neither is the demo's failure
}

# A sentence, a scenario; then the report's verdict, its sentence and the first repair.
scene() {
  local file=scenarios/$2.yaml
  if [[ -z $robots_found ]] && grep -q 'package://example-robot-data' "$file"; then return; fi
  printf '%s\n$ %s check %s\n' "$1" "$stiction" "$file"
  check "$file" | awk '
    NR == 1 { sub(/: .*/, ""); line = $0 ":" }
    NR > 1 && /^$/ { said = 1 }
    NR > 1 && !said { line = line " " $0 }
    repair && /^ - / && ++repair == 2 { line = line "; would hold with:" }
    repair == 2 { line = line substr($0, 3) }
    /^what would make it hold/ { repair = 1 }
    END { print line }' | fold -s -w 110 | sed 's/^/  /; s/ *$//'
  echo
}

echo
if [[ -n $robots_found ]]; then printf '$ export ROS_PACKAGE_PATH=%s   # the real robots\n\n' "$robots_found"; fi
scene 'Talos, a humanoid, on a slope of 5 degrees: do its motors find efforts that keep it there?' talos_equilibrium
scene 'ANYmal, a quadruped, astride the ridge of a roof with 3000 N on its back.' anymal_overloaded
scene 'The Allegro hand has three fingers and the thumb around a mug: can it hold it against everything?' mug_in_allegro
scene 'A block on rough ground is pushed too hard.' block_tips
scene 'A biped: where may its centre of mass be?' biped_region
scene 'A rod that leans slides with its tip over very rough ground (Painlevé, 1895).' painleve_jammed
echo 'Two fingers lift a mass, with less friction at one of them; the whole report:'
echo "\$ $stiction check scenarios/pinch_free_fingers.yaml --set contacts.left.mu=0.4"
check scenarios/pinch_free_fingers.yaml --set contacts.left.mu=0.4 | sed 's/^./  &/'
echo
if [[ -z $robots_found ]]; then echo 'Without the real robots (ROBOTS=0).'; fi
echo "\`make gallery\` checks all $(ls scenarios/*.yaml | wc -l) scenarios, \`$stiction --help\` lists what else it does."
