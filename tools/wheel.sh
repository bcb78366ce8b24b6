#!/bin/sh
# wheel.sh: builds one wheel into dist/ (older ones are removed).
set -e
cd "$(dirname "$0")/.."
rm -rf dist
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
.venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .
ls -l dist
