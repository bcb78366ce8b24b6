#!/bin/sh
# build.sh [TARGET...]: configures and builds the preset named by PRESET (dev), then lets .venv see the result.
# Incremental: a second call only does what changed.
set -e
cd "$(dirname "$0")/.."
preset=${PRESET:-dev}
# Objects are the same wherever the build folder lies, so that a wheel finds what a build has compiled.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
if [ ! -f "build/$preset/build.ninja" ] || [ CMakePresets.json -nt "build/$preset/build.ninja" ]; then
  cmake --preset "$preset" -DPython_EXECUTABLE="$PWD/.venv/bin/python" --log-level=WARNING
fi
ninja -C "build/$preset" --quiet ${JOBS:+-j"$JOBS"} "$@"
.venv/bin/python tools/link_build.py "build/$preset"
