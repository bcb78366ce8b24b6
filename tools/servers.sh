#!/bin/sh
# servers.sh: builds the servers that tests start, into build/servers: versitygw, an S3 server over a folder, by Go (1.24
# or newer). Returns at once when it is there. Without Go or network says so and succeeds: tests skip themselves by name.
cd "$(dirname "$0")/.." || exit 1
folder=$PWD/build/servers
versitygw=github.com/versity/versitygw/cmd/versitygw@v1.8.0
mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9
[ ! -x "$folder/versitygw" ] || exit 0
PATH=$PATH:/usr/local/go/bin
GOBIN=$folder timeout 900 go install "$versitygw" >"$folder/output.txt" 2>&1 ||
  echo "servers.sh: no $versitygw, so the tests of S3 are skipped: $(tail -n 1 "$folder/output.txt")"
