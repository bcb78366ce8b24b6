#!/bin/sh
# peers.sh [NAME...]: makes the virtual environments of the benchmarks' peers that are not there yet, and without names
# installs the peers that come from Debian.
cd "$(dirname "$0")/.." || exit 1
[ $# -gt 0 ] || tools/deps.sh peers || echo "peers.sh: going on without them" >&2
exec /usr/bin/python3 benchmarks/harness/environments.py "$@"
