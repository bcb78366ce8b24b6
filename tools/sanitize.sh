#!/bin/bash
# sanitize.sh address|undefined|thread... [-- FOLDER...]: runs the tests of the folders (all, unless named) under each.
# Programs with several sanitizers at once do not exist here: one build folder each, build/asan and so on.
set -o pipefail
cd "$(dirname "$0")/.." || exit 1
export TSAN_OPTIONS="suppressions=$PWD/tools/tsan_suppressions.txt $TSAN_OPTIONS"
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

# run_tests PRESET [ARGUMENT...]: of ctest's output, what went wrong.
run_tests() {
  local preset=$1
  shift
  ctest --test-dir "build/$preset" --output-on-failure --timeout 1200 "$@" | awk -f tools/failures.awk
}

sanitize() {
  preset=$1
  shift
  cmake --preset "$preset" --log-level=WARNING >/dev/null || return 1
  if [ $# -eq 0 ]; then
    ninja -C "build/$preset" --quiet || return 1
    run_tests "$preset" || return 1
    return 0
  fi
  for folder in "$@"; do
    targets="$targets forebay_${folder}_test"
  done
  # shellcheck disable=SC2086
  ninja -C "build/$preset" --quiet $targets || return 1
  run_tests "$preset" -R "^($(echo "$*" | tr ' ' '|'))\$"
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
