#!/bin/sh
# cuda.sh: makes .cuda with the pinned compiler when it is not there or a list has changed, builds the program and the
# tests that meet a GPU with kernels (preset cuda), and runs them. Those that need a GPU are skipped by name without one.
set -e
cd "$(dirname "$0")/.."

# install LIST MARK OPTION...: what the list names, unless MARK says that it is there.
install() {
  list=$1
  mark=$2
  shift 2
  cmp -s "$list" "$mark" && return
  [ -x .cuda/bin/python ] || /usr/bin/python3 -m venv .cuda
  .cuda/bin/python -m pip install --quiet --disable-pip-version-check -r "$list" "$@"
  cp "$list" "$mark"
}

install tools/requirements/cuda.txt .cuda/.requirements
install tools/requirements/cuda_later.txt .cuda/.requirements_later --upgrade --no-deps --target .cuda/later

cmake --preset cuda --log-level=WARNING >/dev/null

# run TEST [FILTER]: its closing lines, or all of them when it fails.
run() {
  log=build/cuda/$(basename "$1").log
  timeout 3600 "build/cuda/$1" --gtest_filter="${2:-*}" >"$log" || { cat "$log"; exit 1; }
  sed -n '/^\[=*\] .* ran/,$p' "$log"
}

ninja -C build/cuda --quiet ${JOBS:+-j"$JOBS"} \
  forebay_cuda_test forebay_cuda_later_cccl_test forebay_exchange_test forebay_end_to_end_test forebay
run src/forebay/cuda/forebay_cuda_test
run src/forebay/cuda/forebay_cuda_later_cccl_test
run src/forebay/exchange/forebay_exchange_test
run tests/end_to_end/forebay_end_to_end_test 'Gpu*'
build/cuda/src/forebay/cli/forebay doctor | awk '/^[^ ]/ {wanted = /^(GPU|CUDA) /} wanted'
