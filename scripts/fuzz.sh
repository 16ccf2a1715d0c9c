#!/usr/bin/env bash
# Runs every fuzz target with clang's libFuzzer for some seconds. What it finds on the way is kept in BUILD/fuzz/corpus, a crash in BUILD/fuzz.
#
#   scripts/fuzz.sh BUILD SECONDS [cmake --build options]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1 seconds=$2
shift 2
clang=$(command -v clang++ || compgen -c clang++- | sort -V | tail -1) || true
if [[ -z "$clang" ]]; then
  echo "make fuzz needs clang with its libFuzzer (Debian: clang libclang-rt-dev); the tests run the same targets without it." >&2
  exit 1
fi
cmake -S . -B "$build/fuzz" -G Ninja -Wno-dev --log-level=NOTICE -DCMAKE_CXX_COMPILER="$clang" -DSTICTION_BUILD_TESTS=ON -DSTICTION_FUZZ=ON \
  -DSTICTION_BUILD_EXAMPLES=OFF -DOpenMP_CXX_FLAGS=-fopenmp=libgomp -DOpenMP_CXX_LIB_NAMES=gomp \
  -DOpenMP_gomp_LIBRARY="$(gcc -print-file-name=libgomp.so)"   # Pinocchio asks for it, clang alone has none
targets=(scenario urdf report batch_row request)
cmake --build "$build/fuzz" "$@" --target "${targets[@]/#/fuzz_}"
cmake -D STICTION="$build/stiction" -D SOURCE_DIR="$PWD" -D FOLDER="$build/fuzz/seeds/report" -P tests/fuzz/make_reports.cmake
for target in "${targets[@]}"; do
  seeds=tests/fuzz/corpus/$target
  [[ -d "$seeds" ]] || seeds=$build/fuzz/seeds/$target
  mkdir -p "$build/fuzz/corpus/$target"
  "$build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$build/fuzz/$target-" "$build/fuzz/corpus/$target" "$seeds"
done
