#!/bin/bash
# environment.sh LINK LIST [LIST...]: a virtual environment with the packages of the first list, those of each other LIST
# beside it in a folder of the list's name (pip's --target), and LINK pointing to it. It lives in the user's cache under
# the hash of its lists, so that a second clone fetches nothing. A fetch that fails is tried three times.
set -o pipefail
cd "$(dirname "$0")/.." || exit 1
link=$1
shift
cache=${XDG_CACHE_HOME:-$HOME/.cache}/forebay/environments
name=$(basename "$link")
hash=$( (/usr/bin/python3 --version; cat "$@") | sha256sum | cut -c1-16)
folder=$cache/${name#.}-$hash
mkdir -p "$cache" "$(dirname "$link")"

install() {
  timeout 1500 "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}

make_environment() {
  rm -rf "$folder"
  /usr/bin/python3 -m venv "$folder" || return 1
  install -r "$1" || return 1
  shift
  for list in "$@"; do
    install -r "$list" --upgrade --no-deps --target "$folder/$(basename "$list" .txt)" || return 1
  done
  touch "$folder/complete"
}

exec 9>"$folder.lock"
flock 9
for try in 1 2 3; do
  [ ! -e "$folder/complete" ] || break
  make_environment "$@" || echo "environment.sh: $link: try $try of 3 failed" >&2
done
[ -e "$folder/complete" ] || exit 1
touch "$folder/complete"
# What no list has asked for in a month is from lists of the past.
find "$cache" -maxdepth 2 -name complete -path "$cache/${name#.}-*" -mtime +30 -printf '%h\n' | xargs -r rm -rf
[ -L "$link" ] || rm -rf "$link"
ln -sfn "$folder" "$link"
