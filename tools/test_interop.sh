#!/bin/bash
# test_interop.sh [--only-make] NAME...: the tests of tests/interop, and those others that hand memory to frameworks,
# against the frameworks that tests/interop/NAME.txt lists, in an environment under .peers/ (tools/environment.sh).
# --only-make: makes the environments and runs nothing.
set -o pipefail
cd "$(dirname "$0")/.." || exit 1
runs=yes
if [ "$1" = --only-make ]; then
  runs=no
  shift
fi
tests="tests/interop tests/seeds/test_seeds.py python/tests/exchange/test_interop.py
  python/tests/exchange/test_times.py python/tests/exchange/test_records.py python/tests/running/test_iterators.py
  python/tests/running/test_memory.py python/tests/running/test_device_memory.py
  python/tests/running/test_checkpoints.py python/tests/plugins/test_plugin_jax.py
  python/tests/plugins/test_plugin_numba.py python/tests/plugins/test_plugin_paddle.py
  python/tests/plugins/test_plugin_tf.py python/tests/plugins/test_plugin_torch.py
  python/tests/plugins/test_loader_workers.py python/tests/plugins/test_transforms.py
  python/tests/plugins/test_transforms_torch.py"
outcomes=build/test-outcomes.txt

# run_tests NAME FOLDER: with an environment of this clone's own, which has the shared one's packages and this module.
run_tests() {
  local own=build/frameworks-$1
  /usr/bin/python3 -m venv --without-pip "$own" || return 1
  ln -sfn "$(readlink -f .venv/bin/forebay)" "$own/bin/forebay"
  {
    echo "import site; site.addsitedir('$(echo "$PWD/$2"/lib/python*/site-packages)')"
    cat .venv/lib/python*/site-packages/forebay.pth
  } >"$(echo "$own"/lib/python*/site-packages)/forebay.pth"
  # shellcheck disable=SC2086
  TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES="" "$own/bin/python" tools/run_pytest.py \
    "frameworks-$1" -q -p no:cacheprovider -W "ignore::pytest.PytestConfigWarning" ${FOREBAY_THOROUGH:+-m ""} $tests
}

# run_snippet FOLDER: the README's snippet needs PyTorch, and making a wheel needs what .venv has.
run_snippet() {
  local packages
  packages=$(echo "$PWD/$1"/lib/python*/site-packages)
  PYTHONPATH=$packages .venv/bin/python -m pytest -q -p no:cacheprovider -W "ignore::pytest.PytestConfigWarning" \
    tests/packaging -k loop_of_the_readme
}

status=0
for name in "$@"; do
  folder=.peers/interop-$name
  if ! tools/environment.sh "$folder" "tests/interop/$name.txt"; then
    # shellcheck disable=SC2086
    printf '   skipped: %s beside frameworks, which cannot be fetched\n' $tests
    [ $runs = no ] || echo "frameworks-$name: 0 passed, 0 failed, $(wc -w <<<"$tests") files skipped" >>"$outcomes"
    continue
  fi
  [ $runs = no ] || run_tests "$name" "$folder" || status=1
  [ $runs = no ] || [ "$name" != current ] || run_snippet "$folder" || status=1
done
exit $status
