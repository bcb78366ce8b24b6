#!/bin/sh
# test.sh: the C++ tests, then the Python tests, then the packaging tests. All run; the first failure decides the outcome.
cd "$(dirname "$0")/.."
status=0
tools/step.sh "test: C++" ctest --test-dir "build/${PRESET:-dev}" --output-on-failure -j "${JOBS:-2}" || status=1
tools/step.sh "test: Python" .venv/bin/python -m pytest -q -p no:cacheprovider || status=1
tools/step.sh "test: packaging" tests/packaging/run || status=1
exit $status
