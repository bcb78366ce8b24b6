#!/bin/sh
# venv.sh: makes .venv from the system's Python with the pinned packages; does nothing when it already has them.
set -e
cd "$(dirname "$0")/.."
requirements=tools/requirements/develop.txt
stamp=.venv/.requirements
if [ -x .venv/bin/python ] && cmp -s "$requirements" "$stamp"; then
  exit 0
fi
[ -x .venv/bin/python ] || /usr/bin/python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$requirements"
cp "$requirements" "$stamp"
