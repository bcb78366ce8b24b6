#!/bin/sh
# deps.sh [build|peers]: installs the Debian packages of tools/packages.txt that are missing.
# Without the right to install, prints the line that would. Returns at once when nothing is missing.
set -e
cd "$(dirname "$0")/.."
kinds=${1:-build|develop}
wanted=$(awk -v kinds="^($kinds)\$" '$1 ~ kinds {print $2}' tools/packages.txt)
present=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' 2>/dev/null | awk '$2 == "installed" {print $1}')
missing=$(printf '%s\n%s\n' "$present" "$wanted" | awk -v n="$(echo "$present" | wc -l)" \
  'NR <= n {have[$1] = 1; next} !have[$1] {printf "%s ", $1}')
[ -n "$missing" ] || exit 0

install="apt-get install -y -o Acquire::Retries=3 --no-install-recommends $missing"
if [ "$(id -u)" -eq 0 ]; then
  as_root=
elif sudo -n true 2>/dev/null; then
  as_root="sudo -n"
else
  echo "Missing packages. As root, run:  apt-get update && $install" >&2
  exit 1
fi
echo "Installing $(echo "$missing" | wc -w) Debian packages, as root, in a minute or two: $missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq -o Acquire::Retries=3 </dev/null
# shellcheck disable=SC2086
$as_root $install </dev/null
