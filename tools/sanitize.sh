#!/bin/bash
# sanitize.sh SANITIZER[:FOLDER,FOLDER...]...: runs the tests of the folders (all, unless named) under each sanitizer:
# address, undefined, thread. `address` looks for most undefined behaviour too; `undefined` for all of it, with build
# folders of their own. All are built first; then the programs of all run, several at a time.
cd "$(dirname "$0")/.." || exit 1
# A longer history keeps the stack of the other access, too.
export TSAN_OPTIONS="suppressions=$PWD/tools/tsan_suppressions.txt history_size=4 $TSAN_OPTIONS"

preset_of() {
  case $1 in
    address) echo asan ;;
    undefined) echo ubsan ;;
    thread) echo tsan ;;
    *) echo "sanitize.sh: unknown sanitizer $1" >&2; return 1 ;;
  esac
}

# build PRESET FOLDERS
build() {
  cmake --preset "$1" --log-level=WARNING >/dev/null || return 1
  targets=
  for folder in ${2//,/ }; do
    targets="$targets forebay_${folder}_test"
  done
  # shellcheck disable=SC2086
  ninja -C "build/$1" --quiet $targets
}

if [ "$1" = --build ]; then
  build "$2" "$3"
  exit
fi

# Address space randomisation at its widest places maps where ThreadSanitizer keeps its shadow; without is always safe.
if [ "$FOREBAY_SANITIZE" != inside ] && setarch -R true 2>/dev/null; then
  FOREBAY_SANITIZE=inside exec setarch -R "$PWD/tools/sanitize.sh" "$@"
fi
builds=
status=0
for wanted in "$@"; do
  preset=$(preset_of "${wanted%%:*}") || exit 2
  folders=${wanted#*:}
  [ "$folders" != "$wanted" ] || folders=
  tools/step.sh "$preset: build" tools/sanitize.sh --build "$preset" "$folders" || { status=1; continue; }
  builds="$builds $preset=build/$preset:$folders"
done
[ -n "$builds" ] || exit 1
# shellcheck disable=SC2086
tools/step.sh "sanitizers: tests" python3 tools/run_programs.py $builds || status=1
exit $status
