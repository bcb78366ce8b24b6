#!/bin/sh
# test_interop.sh NAME...: the tests of tests/interop against the frameworks that tests/interop/NAME.txt lists, in an
# environment under .peers/ that is made when it is not there or the list has changed.
cd "$(dirname "$0")/.." || exit 1
status=0
for name in "$@"; do
  list=tests/interop/$name.txt
  folder=.peers/interop-$name
  if ! cmp -s "$list" "$folder/made-of.txt"; then
    rm -rf "$folder"
    python3 -m venv "$folder" && "$folder/bin/pip" install --quiet -r "$list" && cp "$list" "$folder/made-of.txt" || exit 1
  fi
  module_path=$(cat .venv/lib/python*/site-packages/forebay.pth)
  PYTHONPATH=$module_path TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES="" \
    "$folder/bin/python" -m pytest -q -p no:cacheprovider -W "ignore::pytest.PytestConfigWarning" \
    tests/interop python/tests/test_interop.py || status=1
done
exit $status
