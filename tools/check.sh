#!/bin/bash
# check.sh: every check, as many at a time as there are processors; all run, any failure fails. Those that only report
# say so.
cd "$(dirname "$0")/.." || exit 1
checks="thread_safety types pyright stubs format layers imports readmes copies words documents sizes"
outputs=build/checks
rm -rf "$outputs"
mkdir -p "$outputs"

check() {
  ".venv/bin/python" "tools/check_$1.py" >"$2/$1.txt" 2>&1 || touch "$2/$1.failed"
}

export -f check
tr ' ' '\n' <<<"$checks" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'check {} "$1"' - "$outputs"
status=0
for name in $checks; do
  cat "$outputs/$name.txt"
  if [ -e "$outputs/$name.failed" ]; then
    echo "check.sh: tools/check_$name.py failed"
    status=1
  fi
done
exit $status
