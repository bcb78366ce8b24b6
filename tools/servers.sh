#!/bin/sh
# servers.sh: fetches and builds the servers that tests start, into build/servers: versitygw (S3 over a folder) and
# fake-gcs-server (Google Cloud Storage) by Go 1.24 or newer, Azurite (Azure's blobs) by npm, Hadoop's small cluster (HDFS)
# by Maven. What is there already is left as it is. What cannot be had is named, and that is no failure: its tests skip
# themselves by name.
cd "$(dirname "$0")/.." || exit 1
folder=$PWD/build/servers
mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9
PATH=$PATH:/usr/local/go/bin
log=$folder/output.txt

# fetch NAME WHAT COMMAND...: runs the command, which is to leave $folder/new/NAME, unless NAME is there.
fetch() {
  name=$1
  what=$2
  shift 2
  [ ! -e "$folder/$name" ] || return 0
  rm -rf "$folder/new"
  mkdir "$folder/new"
  if "$@" >"$log" 2>&1 && mv "$folder/new/$name" "$folder/$name"; then
    rm -rf "$folder/new"
  else
    echo "servers.sh: no $name, so the tests of $what are skipped: $(tail -n 1 "$log")"
  fi
}

go_program() {
  GOBIN=$folder/new timeout 900 go install "$1"
}

npm_package() {
  mkdir "$folder/new/azurite"
  timeout 900 npm install --prefix "$folder/new/azurite" --ignore-scripts --no-audit --no-fund "$1"
}

# java_archives NAME POM: all dependencies of the project POM.
java_archives() {
  timeout 900 mvn -q -B -f "$2" dependency:copy-dependencies "-DoutputDirectory=$folder/new/$1"
}

fetch versitygw S3 go_program github.com/versity/versitygw/cmd/versitygw@v1.8.0
fetch fake-gcs-server "Google Cloud Storage" go_program github.com/fsouza/fake-gcs-server@v1.56.1
fetch azurite "Azure's blobs" npm_package azurite@3.35.0
fetch hadoop HDFS java_archives hadoop tools/hadoop.xml
