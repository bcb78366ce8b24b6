#!/bin/bash
# servers.sh: fetches and builds the servers that tests start and tools/servers.txt lists, by Go 1.24 or newer, npm and
# Maven, into the user's cache, under the hash of what is fetched; build/servers points there. What is there already is
# left as it is. What cannot be had in three tries is named, and that is no failure: its tests skip themselves by name.
cd "$(dirname "$0")/.." || exit 1
hash=$(cat tools/servers.txt tools/hadoop.xml | sha256sum | cut -c1-16)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/forebay/servers-$hash
mkdir -p "$folder" build
[ -L build/servers ] || rm -rf build/servers
ln -sfn "$folder" build/servers
exec 9>"$folder/lock"
flock 9
PATH=$PATH:/usr/local/go/bin
log=$folder/output.txt

# Each leaves $folder/new/NAME.
fetch_by_go() {
  GOBIN=$folder/new timeout 900 go install "$2"
}

fetch_by_npm() {
  mkdir "$folder/new/$1"
  timeout 900 npm install --prefix "$folder/new/$1" --ignore-scripts --no-audit --no-fund "$2"
}

# All dependencies of a project of Maven's.
fetch_by_maven() {
  timeout 900 mvn -q -B -f "$2" dependency:copy-dependencies "-DoutputDirectory=$folder/new/$1"
}

while read -r name tests by what; do
  case $name in "" | "#") continue ;; esac
  for _ in 1 2 3; do
    [ ! -e "$folder/$name" ] || break
    rm -rf "$folder/new"
    mkdir "$folder/new"
    "fetch_by_$by" "$name" "$what" >"$log" 2>&1 </dev/null && mv "$folder/new/$name" "$folder/$name"
  done
  [ -e "$folder/$name" ] ||
    echo "servers.sh: no $name, so the tests of ${tests//_/ } are skipped: $(tail -n 1 "$log")"
done <tools/servers.txt
rm -rf "$folder/new"
