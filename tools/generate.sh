#!/bin/bash
# generate.sh: writes anew every file that is made from others: what DALI gives for the cases of tests/parity (where
# tools/peers.sh has put it), stubs, pages, hashes of results that are new. Prints which files have changed.
cd "$(dirname "$0")/.." || exit 1
python=.venv/bin/python
dali=.peers/dali/bin/python
status=0

# What differs from the last commit, and how.
state() {
  git ls-files -mo --exclude-standard | sort -u | while read -r file; do
    echo "$file $([ -e "$file" ] && sha256sum <"$file")"
  done
}

step() {
  tools/step.sh "generate: $1" "${@:2}" || status=1
}

record() {
  for file in python/forebay/fn/dali_names.py tests/parity/{operators.npz,images.npz,draws.json} \
    tests/parity/{readers,preprocessed,language}.json; do
    name=$(basename "${file%.*}")
    "$dali" -W ignore "tests/parity/record_$name.py" "$file" 2>"build/record_$name.txt" ||
      { cat "build/record_$name.txt"; return 1; }
  done
}

if [ "$1" = --record ]; then
  record
  exit
fi
before=$(state)
if [ -x "$dali" ]; then
  step "DALI's results" "$BASH" "$0" --record
else
  echo "DALI's results stay as they are: no .peers/dali, which tools/peers.sh dali makes"
fi
step stubs "$python" tools/generate_stubs.py
step pages "$python" tools/generate_docs.py
step documents "$python" tools/check_documents.py --write
step hashes "$python" tests/guard/record_hashes.py --add
changed=$(comm -3 <(echo "$before") <(state) | awk 'NF {print $1}' | sort -u)
echo "${changed:-nothing has changed}"
exit $status
