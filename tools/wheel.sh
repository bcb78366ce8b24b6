#!/bin/bash
# wheel.sh [FOLDER]: makes a wheel in FOLDER (dist, emptied before) of what is in the build folder of PRESET (dev). The
# system's libraries that it uses are inside, and its manylinux tag is what auditwheel finds for them.
set -e
cd "$(dirname "$0")/.."
target=${1:-dist}
tools/environment.sh build/wheel-tools tools/requirements/wheel.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
.venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
  --wheel-dir "$work/plain" --config-settings=build-dir="$work/build" \
  --config-settings=cmake.define.FOREBAY_BUILT="$PWD/build/${PRESET:-dev}" .
PATH=$PWD/build/wheel-tools/bin:$PATH auditwheel repair --plat auto --wheel-dir "$work/whole" "$work"/plain/*.whl \
  >"$work/repair.log" 2>&1 || { cat "$work/repair.log" >&2; exit 1; }
rm -rf "$target"
.venv/bin/python tools/wheel_licenses.py "$work"/whole/*.whl "$target"
ls -l "$target"
