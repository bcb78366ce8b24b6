#!/bin/sh
# step.sh NAME COMMAND...: runs the command between two lines that name it, the second with its time and outcome.
# With FOREBAY_STEPS=FILE it appends "wall-seconds CPU-seconds name (outcome)" there, so that a long run can end with a
# table, and while it runs, FILE.running/ names it.
name=$1
shift
echo "== $name"
if [ -n "$FOREBAY_STEPS" ]; then
  mkdir -p "$FOREBAY_STEPS.running"
  running=$FOREBAY_STEPS.running/$$
  echo "$name, since $(date +%T)" >"$running"
fi
started=$(date +%s.%N)
"$@"
status=$?
seconds=$(echo "$(date +%s.%N) $started" | awk '{printf "%.1f", $1 - $2}')
# The shell's own count of what its children took, theirs included: user and system, each as 1m2.34s.
processor=$(mktemp)
times >"$processor"
cpu=$(awk -F'[ms ]+' 'NR == 2 {printf "%.1f", $1 * 60 + $2 + $3 * 60 + $4}' "$processor")
rm -f "$processor"
outcome=ok
[ $status -eq 0 ] || outcome="failed ($status)"
echo "-- $name: $outcome, $seconds s, $cpu CPU-s"
if [ -n "$FOREBAY_STEPS" ]; then
  echo "$seconds $cpu $name ($outcome)" >>"$FOREBAY_STEPS"
  rm -f "$running"
fi
exit $status
