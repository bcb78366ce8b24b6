#!/bin/bash
# test.sh: the C++ tests, then the Python tests (packaging among them). Both run; a failure of either decides.
# The runners' closing lines, the names of what failed and how many C++ tests were skipped are kept in
# build/test-outcomes.txt. A test that hangs is ended, after far longer than any takes.
set -o pipefail
cd "$(dirname "$0")/.." || exit 1
status=0
outcomes=build/test-outcomes.txt
: >"$outcomes"

# run NAME COMMAND...: a step whose last matching line of output is kept, and each line that names a failure.
run() {
  local log=build/test-output.txt
  tools/step.sh "$@" | awk -f tools/failures.awk | tee "$log" || status=1
  grep -E '^(FAILED|ERROR) |^ *\[  FAILED  \] .*\.|\*\*\*(Failed|Timeout|Exception)|SEGFAULT|^\[ RUN ' "$log" |
    sort -u | head -n 40 >>"$outcomes"
  grep -E '[0-9]+ (passed|failed)|tests passed,|[0-9]+ error|no tests ran' "$log" | tail -n 1 >>"$outcomes"
}

# A program of tests passes whatever it skips, and ctest shows nothing of what passes.
count_skipped() {
  local skipped
  skipped=$(sed -nE 's/^\[  SKIPPED \] ([^ ,]+) \([0-9]+ ms\)$/\1/p' "$1" | sort)
  [ -z "$skipped" ] || sed 's/^/   skipped: /' <<<"$skipped"
  echo "C++: $(grep -c . <<<"$skipped") skipped" | tee -a "$outcomes"
}

folder=build/${PRESET:-dev}
run "test: C++" ctest --test-dir "$folder" --output-on-failure --no-tests=error --timeout 1200 -j "${JOBS:-2}"
count_skipped "$folder/Testing/Temporary/LastTest.log"
run "test: Python" .venv/bin/python -m pytest
exit $status
