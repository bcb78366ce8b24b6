#!/bin/sh
# check.sh: every check; all run, any failure fails. Those that only report say so.
cd "$(dirname "$0")/.."
status=0
for check in layers readmes copies words sizes stubs; do
  .venv/bin/python "tools/check_$check.py" || status=1
done
tools/check_format.sh || status=1
.venv/bin/python tools/check_types.py || status=1
exit $status
