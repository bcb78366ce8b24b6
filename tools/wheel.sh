#!/bin/bash
# wheel.sh [FOLDER]: makes wheels in FOLDER (dist; older ones go) of what is in the build folder of PRESET (dev): one for
# this Python, and one for all from 3.12 on where headers of such a version are found. The system's libraries that they
# use are inside, and their manylinux tag is what auditwheel finds for them.
set -e
target=$(realpath -m "${1:-$(dirname "$0")/../dist}")
cd "$(dirname "$0")/.."
build=$PWD/build/${PRESET:-dev}
tools/environment.sh build/wheel-tools tools/requirements/wheel.txt
PATH=$PWD/build/wheel-tools/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quietly COMMAND...: what it says is shown if it fails.
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }; }

WITH_GIL='import sysconfig as s, sys; sys.exit(1) if s.get_config_var("Py_GIL_DISABLED") else print(s.get_path("include"))'

# Where the headers of a Python from 3.12 on lie; nothing if there are none.
later_headers() {
  local python folder
  for python in python3.12 python3.13 python3.14 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3.1[2-9]; do
    folder=$("$python" -c "$WITH_GIL" 2>/dev/null) || continue
    [ ! -e "$folder/Python.h" ] || { echo "$folder"; return; }
  done
}

# plain_wheel NAME [CMAKE_VARIABLE=VALUE]: a wheel that still needs the system's libraries, in $work/NAME.
plain_wheel() {
  local name=$1
  shift
  quietly .venv/bin/python -m pip wheel --disable-pip-version-check --no-deps --no-build-isolation \
    --wheel-dir "$work/$name" --config-settings=build-dir="$work/build-$name" \
    --config-settings=cmake.define.FOREBAY_BUILT="$build" \
    --config-settings=cmake.define.FOREBAY_BLAS=ON "${@/#/--config-settings=cmake.define.}" .
}

# finish NAME: libraries and licences into the wheel of that name.
finish() {
  quietly auditwheel repair --plat auto --wheel-dir "$work/whole-$1" "$work/$1"/*.whl
  .venv/bin/python tools/wheel_licenses.py "$work/whole-$1"/*.whl "$target"
}

quietly ninja -C "$build" _blas
plain_wheel own
rm -f "$target"/forebay-*.whl
finish own
headers=$(later_headers)
if [ -n "$headers" ]; then
  quietly cmake -DFOREBAY_ABI3_INCLUDE="$headers" "$build"
  quietly ninja -C "$build" _core_abi3
  plain_wheel later FOREBAY_ABI3=ON
  quietly python -m wheel tags --remove --python-tag cp312 --abi-tag abi3 "$work"/later/*.whl
  finish later
else
  echo "no wheel for Python 3.12 and later: install the headers of one (python3.13-dev on Debian 13) and run it again" >&2
fi
ls -l "$target"
