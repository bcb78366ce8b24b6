#!/bin/sh
# build.sh [TARGET...]: configures and builds the preset named by PRESET (dev), then lets .venv see the result.
# Incremental: a second call only does what changed.
set -e
cd "$(dirname "$0")/.."
quiet=
preset=${PRESET:-dev}
folder=build/$preset

if [ CMakePresets.json -nt "$folder/build.ninja" ] || ! grep -q '^FOREBAY_PYTHON:BOOL=ON' "$folder/CMakeCache.txt" 2>/dev/null; then
  cmake --preset "$preset" -DFOREBAY_PYTHON=ON -DPython_EXECUTABLE="$PWD/.venv/bin/python" --log-level=WARNING >/dev/null
fi
# At a terminal: how far it is. Elsewhere: only what goes wrong.
[ -t 1 ] || quiet=--quiet
ninja -C "$folder" $quiet ${JOBS:+-j"$JOBS"} "$@"
.venv/bin/python tools/link_build.py "$folder"
