#!/bin/sh
# fuzz.sh SECONDS: builds the fuzzers with clang and gives each that many seconds, one on each processor at a time, from
# the seeds in tests/fuzz/ on; a finding is left in .fuzz/.
cd "$(dirname "$0")/.."

fuzz() {
  program=$(find build/fuzz -name "$2" -type f -perm -u+x | head -n 1)
  mkdir -p ".fuzz/$2"
  seeds=tests/fuzz/$2
  [ -d "$seeds" ] || seeds=
  # shellcheck disable=SC2086
  tools/step.sh "fuzz: $2" "$program" -max_total_time="$1" -rss_limit_mb=4096 -timeout=20 -verbosity=0 \
    -print_final_stats=1 -artifact_prefix=".fuzz/$2-" ".fuzz/$2" $seeds
}

# The lines of fuzzers that run beside each other are kept apart.
if [ "$1" = --one ]; then
  said=$(mktemp)
  fuzz "$2" "$3" >"$said" 2>&1
  status=$?
  cat "$said"
  rm -f "$said"
  exit $status
fi

seconds=${1:-10}
mkdir -p .fuzz
cmake --preset fuzz --log-level=WARNING >/dev/null || exit 1
fuzzers=$(git ls-files 'src/forebay/*_fuzzer.cc')
targets=$(for file in $fuzzers; do basename "$file" .cc; done)
[ -n "$targets" ] || { echo "fuzz.sh: no *_fuzzer.cc under src/forebay" >&2; exit 1; }
# shellcheck disable=SC2086
ninja -C build/fuzz --quiet $targets || exit 1
# shellcheck disable=SC2086
printf '%s\n' $targets | xargs -P "$(nproc)" -n 1 tools/fuzz.sh --one "$seconds"
