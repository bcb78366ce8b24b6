#!/bin/bash
# test.sh: the C++ tests, then the Python tests (packaging among them). Both run; a failure of either decides.
# The runners' closing lines are kept in build/test-outcomes.txt. A test that hangs is ended, after far longer than any takes.
set -o pipefail
cd "$(dirname "$0")/.." || exit 1
status=0
outcomes=build/test-outcomes.txt
: >"$outcomes"

# run NAME COMMAND...: a step whose last matching line of output is kept.
run() {
  local log=build/test-output.txt
  tools/step.sh "$@" | tee "$log" || status=1
  grep -E '[0-9]+ (passed|failed)|tests passed,|[0-9]+ error|no tests ran' "$log" | tail -n 1 >>"$outcomes"
}

run "test: C++" ctest --test-dir "build/${PRESET:-dev}" --output-on-failure --no-tests=error --timeout 3600 -j "${JOBS:-2}"
run "test: Python" .venv/bin/python -m pytest
exit $status
