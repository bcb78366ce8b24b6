#!/bin/sh
# cuda.sh: makes .cuda with the pinned compiler when it is not there or the list has changed, builds the program and the
# folders that meet a GPU with kernels (preset cuda), and runs their tests. Those that need a GPU are skipped by name
# without one.
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
folders="cuda exchange"  # those with tests that need a GPU
# shellcheck disable=SC2046
ninja -C build/cuda --quiet ${JOBS:+-j"$JOBS"} $(printf 'forebay_%s_test ' $folders) forebay
for folder in $folders; do
  log=build/cuda/${folder}_test.log
  "build/cuda/src/forebay/$folder/forebay_${folder}_test" >"$log" || { cat "$log"; exit 1; }
  sed -n '/^\[=*\] .* ran/,$p' "$log"
done
build/cuda/src/forebay/cli/forebay doctor | awk '/^[^ ]/ {wanted = /^(GPU|CUDA) /} wanted'
