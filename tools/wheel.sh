#!/bin/sh
# wheel.sh: makes one wheel in dist/ (older ones are removed) of what is in the build folder of PRESET (dev).
set -e
cd "$(dirname "$0")/.."
rm -rf dist
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
.venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist \
  --config-settings=build-dir="$work" --config-settings=cmake.define.FOREBAY_BUILT="$PWD/build/${PRESET:-dev}" .
ls -l dist
