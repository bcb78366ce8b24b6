#!/bin/sh
# peers.sh [NAME...]: makes the virtual environments of the benchmarks' peers that are not there yet.
cd "$(dirname "$0")/.." || exit 1
exec /usr/bin/python3 benchmarks/harness/environments.py "$@"
