#!/bin/bash
# sanitize.sh address|undefined|thread... [-- FOLDER...]: runs the tests of the folders (all, unless named) under each.
# `address` looks for most undefined behaviour too; `undefined` for all of it, with build folders of their own.
set -o pipefail
cd "$(dirname "$0")/.." || exit 1
# A longer history keeps the stack of the other access, too.
export TSAN_OPTIONS="suppressions=$PWD/tools/tsan_suppressions.txt history_size=4 $TSAN_OPTIONS"
sanitizers=
while [ $# -gt 0 ]; do
  argument=$1
  shift
  [ "$argument" != "--" ] || break
  sanitizers="$sanitizers $argument"
done

preset_of() {
  case $1 in
    address) echo asan ;;
    undefined) echo ubsan ;;
    thread) echo tsan ;;
    *) echo "sanitize.sh: unknown sanitizer $1" >&2; return 1 ;;
  esac
}

sanitize() {
  preset=$1
  shift
  cmake --preset "$preset" --log-level=WARNING >/dev/null || return 1
  if [ $# -eq 0 ]; then
    ninja -C "build/$preset" --quiet || return 1
    python3 tools/run_programs.py --name "$preset" "build/$preset"
    return
  fi
  for folder in "$@"; do
    targets="$targets forebay_${folder}_test"
  done
  # shellcheck disable=SC2086
  ninja -C "build/$preset" --quiet $targets || return 1
  python3 tools/run_programs.py --name "$preset" "build/$preset" "$@"
}

# Address space randomisation at its widest places maps where ThreadSanitizer keeps its shadow; without is always safe.
if [ "$FOREBAY_SANITIZE" != inside ] && setarch -R true 2>/dev/null; then
  # shellcheck disable=SC2086
  FOREBAY_SANITIZE=inside exec setarch -R "$0" $sanitizers -- "$@"
fi
status=0
for sanitizer in $sanitizers; do
  preset=$(preset_of "$sanitizer") || exit 2
  targets=
  sanitize "$preset" "$@" || status=1
done
exit $status
