#!/bin/bash
# generate.sh: writes anew every file that is made from others: what DALI gives for the cases of tests/parity and
# tests/compat, what librosa and torchaudio make of sound (where tools/peers.sh has put them), stubs, pages, hashes of
# results that are new. Prints which files have changed.
cd "$(dirname "$0")/.." || exit 1
python=.venv/bin/python
dali=.peers/dali/bin/python
audio=.peers/audio/bin/python
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

# What a recorder of the folder $1 writes, of the name $2, into $3, run by the Python $4, or that of DALI.
record_one() {
  "${4:-$dali}" -W ignore "tests/$1/record_$2.py" "$3" 2>"build/record_$2.txt" ||
    { cat "build/record_$2.txt"; return 1; }
}

record() {
  for file in python/forebay/fn/dali_names.py tests/parity/{operators.npz,images.npz,saved.npz,draws.json} \
    tests/parity/{readers,preprocessed,autoserialized}.json; do
    record_one parity "$(basename "${file%.*}")" "$file" || return 1
  done
  record_one compat compat tests/compat/outcomes.json
}

case "$1" in
--record)
  record
  exit
  ;;
--record-sound)
  record_one parity sound tests/parity/sound.npz "$audio"
  exit
  ;;
esac
before=$(state)
if [ -x "$dali" ]; then
  step "DALI's results" "$BASH" "$0" --record
else
  echo "DALI's results stay as they are: no .peers/dali, which tools/peers.sh dali makes"
fi
if [ -x "$audio" ]; then
  step "sound of librosa and torchaudio" "$BASH" "$0" --record-sound
else
  echo "what librosa and torchaudio make of sound stays as it is: no .peers/audio, which tools/peers.sh audio makes"
fi
step stubs "$python" tools/generate_stubs.py
step pages "$python" tools/generate_docs.py
step documents "$python" tools/check_documents.py --write
step hashes "$python" tests/guard/record_hashes.py --add
changed=$(comm -3 <(echo "$before") <(state) | awk 'NF {print $1}' | sort -u)
echo "${changed:-nothing has changed}"
exit $status
