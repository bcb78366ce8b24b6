#!/bin/sh
# step.sh NAME COMMAND...: runs the command between two lines that name it, the second with its time and outcome.
# With FOREBAY_STEPS=FILE it also appends "seconds name" there, so that a long run can end with a table.
name=$1
shift
echo "== $name"
started=$(date +%s.%N)
"$@"
status=$?
seconds=$(echo "$(date +%s.%N) $started" | awk '{printf "%.1f", $1 - $2}')
outcome=ok
[ $status -eq 0 ] || outcome="failed ($status)"
echo "-- $name: $outcome, $seconds s"
[ -z "$FOREBAY_STEPS" ] || echo "$seconds $name ($outcome)" >>"$FOREBAY_STEPS"
exit $status
