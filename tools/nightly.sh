#!/bin/bash
# nightly.sh [STEP]: what takes too long for every change, each step by itself a check; all run even when one fails.
# Prints a table of times at the end. Without STEP the steps run as listed below.
cd "$(dirname "$0")/.." || exit 1
steps="thread address undefined fuzz thorough wheels frameworks parity"

thread() { tools/sanitize.sh thread; }
address() { tools/sanitize.sh address; }
undefined() { tools/sanitize.sh undefined; }
fuzz() { tools/fuzz.sh 120; }

# Every random case, and schedules of real threads, as many as there is time for.
thorough() {
  export FOREBAY_THOROUGH=1 FOREBAY_SCHEDULES=1500 FOREBAY_SEEDS=400 FOREBAY_TEST_SLOWNESS=5
  python3 tools/run_programs.py "thorough=build/${PRESET:-dev}"
}

# A wheel of the source, and what else is marked `nightly`.
wheels() { .venv/bin/python tools/run_pytest.py nightly -m nightly; }

# What the last two steps need from the network, fetched while the first ones compile.
fetch() {
  tools/test_interop.sh --only-make current newest middle oldest
  local status=$?
  tools/peers.sh dali mxnet s3 torch tf spark serving audio && return $status
}

frameworks() { FOREBAY_THOROUGH=1 tools/test_interop.sh newest middle oldest; }

# Every test beside DALI's, MXNet's and the other peers' wheels.
parity() {
  fetch
  FOREBAY_THOROUGH=1 .venv/bin/python tools/run_pytest.py parity -m "" tests/parity tests/compat tests/seeds
}

export FOREBAY_NIGHTLY=1
if [ "$1" = --one ]; then
  "$2"
  exit
fi

export FOREBAY_STEPS=$PWD/build/nightly-steps.txt
mkdir -p build
rm -rf "$FOREBAY_STEPS" "$FOREBAY_STEPS.running" build/flaky.txt build/test-outcomes.txt
status=0
fetching=
if [ $# -eq 0 ]; then
  tools/step.sh "nightly: fetch" python3 tools/bounded.py 3600 "$BASH" "$0" --one fetch \
    >build/environments-output.txt 2>&1 &
  fetching=$!
fi
for step in ${1:-$steps}; do
  declare -F "$step" >/dev/null || { echo "nightly.sh: no step $step; there are: $steps" >&2; exit 2; }
  tools/step.sh "nightly: $step" python3 tools/bounded.py 5400 "$BASH" "$0" --one "$step" || status=1
done
if [ -n "$fetching" ]; then
  wait "$fetching" || status=1
  cat build/environments-output.txt
fi
echo "== times: seconds, CPU-seconds, step"
cat "$FOREBAY_STEPS"
echo "== outcome of the tests"
cat build/flaky.txt build/test-outcomes.txt 2>/dev/null
exit $status
