#!/bin/bash
# test_interop.sh [--only-make] NAME...: the tests of tests/interop, and those others that hand memory to frameworks, against
# the frameworks that tests/interop/NAME.txt lists, in an environment under .peers/ that is made when it is not there or the
# list has changed. --only-make: makes the environments and runs nothing.
set -o pipefail
cd "$(dirname "$0")/.." || exit 1
runs=yes
if [ "$1" = --only-make ]; then
  runs=no
  shift
fi
tests="tests/interop tests/seeds python/tests/test_interop.py python/tests/test_times.py python/tests/test_records.py python/tests/test_iterators.py
  python/tests/test_memory.py python/tests/test_device_memory.py python/tests/test_checkpoints.py
  python/tests/test_plugin_jax.py python/tests/test_plugin_numba.py python/tests/test_plugin_paddle.py
  python/tests/test_plugin_tf.py python/tests/test_plugin_torch.py python/tests/test_loader_workers.py
  python/tests/test_transforms.py python/tests/test_transforms_torch.py"
outcomes=build/test-outcomes.txt

# make_environment LIST FOLDER
make_environment() {
  cmp -s "$1" "$2/made-of.txt" && return 0
  rm -rf "$2"
  /usr/bin/python3 -m venv "$2" && "$2/bin/pip" install --quiet --disable-pip-version-check -r "$1" && cp "$1" "$2/made-of.txt"
}

# run_tests NAME FOLDER: the closing line is kept beside those of the other tests.
run_tests() {
  local log=build/interop-$1.txt module_path
  mkdir -p build
  ln -sfn "$(readlink -f .venv/bin/forebay)" "$2/bin/forebay"
  module_path=$(cat .venv/lib/python*/site-packages/forebay.pth)
  # shellcheck disable=SC2086
  PYTHONPATH=$module_path TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES="" \
    "$2/bin/python" -m pytest -q -p no:cacheprovider -W "ignore::pytest.PytestConfigWarning" $tests | tee "$log"
  local status=$?
  echo "interop, $1: $(grep -E '[0-9]+ (passed|failed)|[0-9]+ error|no tests ran' "$log" | tail -n 1)" >>"$outcomes"
  return $status
}

# run_snippet FOLDER: the README's snippet needs PyTorch, and making a wheel needs what .venv has.
run_snippet() {
  local packages
  packages=$(echo "$PWD/$1"/lib/python*/site-packages)
  PYTHONPATH=$packages .venv/bin/python -m pytest -q -p no:cacheprovider -W "ignore::pytest.PytestConfigWarning" \
    tests/packaging -k whole_snippet
}

status=0
for name in "$@"; do
  folder=.peers/interop-$name
  make_environment "tests/interop/$name.txt" "$folder" || exit 1
  [ $runs = no ] || run_tests "$name" "$folder" || status=1
  [ $runs = no ] || [ "$name" != newest ] || run_snippet "$folder" || status=1
done
exit $status
