#!/bin/sh
# check.sh: every check; all run, any failure fails. Those that only report say so.
cd "$(dirname "$0")/.."
status=0
for check in layers imports readmes copies words documents sizes stubs format types thread_safety; do
  .venv/bin/python "tools/check_$check.py" || status=1
done
exit $status
