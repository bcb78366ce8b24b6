#!/bin/sh
# fuzz.sh SECONDS: builds the fuzzers with clang and gives each that many seconds, from the seeds in tests/fuzz/ on; a
# finding is left in .fuzz/.
cd "$(dirname "$0")/.."
seconds=${1:-10}
mkdir -p .fuzz
cmake --preset fuzz --log-level=WARNING >/dev/null || exit 1
fuzzers=$(git ls-files 'src/forebay/*_fuzzer.cc')
targets=$(for file in $fuzzers; do basename "$file" .cc; done)
[ -n "$targets" ] || { echo "fuzz.sh: no *_fuzzer.cc under src/forebay" >&2; exit 1; }
# shellcheck disable=SC2086
ninja -C build/fuzz --quiet $targets || exit 1
status=0
for target in $targets; do
  program=$(find build/fuzz -name "$target" -type f -perm -u+x | head -n 1)
  mkdir -p ".fuzz/$target"
  seeds=tests/fuzz/$target
  [ -d "$seeds" ] || seeds=
  tools/step.sh "fuzz: $target" "$program" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -verbosity=0 \
    -print_final_stats=1 -artifact_prefix=".fuzz/$target-" ".fuzz/$target" ${seeds:+"$seeds"} || status=1
done
exit $status
