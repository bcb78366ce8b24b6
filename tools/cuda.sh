#!/bin/sh
# cuda.sh: makes .cuda with the pinned compiler when it is not there or a list has changed, builds the program and the
# tests that meet a GPU with kernels (preset cuda), and runs them. Those that need a GPU are skipped by name without one.
set -e
cd "$(dirname "$0")/.."

if ! tools/environment.sh .cuda tools/requirements/cuda.txt tools/requirements/cuda_later.txt; then
  echo "   skipped: kernels and their tests: the CUDA compiler cannot be fetched"
  exit 0
fi

cmake --preset cuda --log-level=WARNING >/dev/null

# run TEST [FILTER]: its closing lines, or all of them when it fails.
run() {
  log=build/cuda/$(basename "$1").log
  timeout 3600 "build/cuda/$1" --gtest_filter="${2:-*}" >"$log" || { cat "$log"; exit 1; }
  sed -n '/^\[=*\] .* ran/,$p' "$log"
}

ninja -C build/cuda --quiet ${JOBS:+-j"$JOBS"} \
  forebay_cuda_test forebay_cuda_later_cccl_test forebay_exchange_test forebay_end_to_end_test forebay
run src/forebay/cuda/forebay_cuda_test '-*ScheduleTest.*' # which meet no kernel
run src/forebay/cuda/forebay_cuda_later_cccl_test
run src/forebay/exchange/forebay_exchange_test
run tests/end_to_end/forebay_end_to_end_test 'Gpu*'
build/cuda/src/forebay/cli/forebay doctor | awk '/^[^ ]/ {wanted = /^(GPU|CUDA) /} wanted'
