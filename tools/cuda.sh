#!/bin/sh
# cuda.sh: makes .cuda with the pinned compiler when it is not there or the list has changed, builds src/forebay/cuda
# and the program with kernels (preset cuda), and runs the tests. Those that need a GPU are skipped by name without one.
set -e
cd "$(dirname "$0")/.."
requirements=tools/requirements/cuda.txt
if ! cmp -s "$requirements" .cuda/.requirements; then
  [ -x .cuda/bin/python ] || /usr/bin/python3 -m venv .cuda
  .cuda/bin/python -m pip install --quiet --disable-pip-version-check -r "$requirements"
  cp "$requirements" .cuda/.requirements
fi

export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
cmake --preset cuda --log-level=WARNING >/dev/null
ninja -C build/cuda --quiet ${JOBS:+-j"$JOBS"} forebay_cuda_test forebay
log=build/cuda/cuda_test.log
build/cuda/src/forebay/cuda/forebay_cuda_test >"$log" || { cat "$log"; exit 1; }
sed -n '/^\[=*\] .* ran/,$p' "$log"
build/cuda/src/forebay/cli/forebay doctor | awk '/^[^ ]/ {wanted = /^(GPU|CUDA) /} wanted'
