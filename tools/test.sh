#!/bin/bash
# test.sh: the C++ tests, then the Python tests (packaging among them). Both run; a failure of either decides. What the
# runners' closing lines said, and the names of what failed, are kept in build/test-outcomes.txt.
cd "$(dirname "$0")/.." || exit 1
status=0
[ -n "$FOREBAY_STEPS" ] || : >build/test-outcomes.txt
tools/step.sh "test: C++" python3 tools/run_programs.py "build/${PRESET:-dev}" || status=1
tools/step.sh "test: Python" .venv/bin/python tools/run_pytest.py Python || status=1
exit $status
