"""Flipped bits in JPEGs, decoded by Forebay and by DALI, live: what DALI decodes as if nothing had happened is
hardly ever refused.

    FOREBAY_DALI_PYTHON=PYTHON python -m pytest tests/parity/test_damage.py -s

prints how many of the flips each refuses, and what those that pass change. FOREBAY_DAMAGED=FOLDER and FOREBAY_FLIPS=COUNT
take other files (*.jpg, *.JPEG) than those of `decode/`, and another number of flips.
"""

from __future__ import annotations

import collections
import json
import os
import pathlib
import subprocess

import pytest
from damage_cases import changed_shares, flips

import forebay
import forebay.fn

HERE = pathlib.Path(__file__).parent
KINDS = ("refused", "crashed", "the same", "no pixel by more than 2", "at most 1 % of the pixels", "1 to 10 %", "more")


def kind_of(share: float | str | None) -> str:
    """What became of a flip, as one of KINDS."""
    if share is None:
        return KINDS[0]
    if isinstance(share, str):
        return KINDS[1]
    limits = (-1, 0, 0.01, 0.1, 1)
    return KINDS[2 + next(place for place, limit in enumerate(limits) if share <= limit)]


def show(kinds: list[tuple[str, str]]) -> None:
    counts = collections.Counter(kinds)
    print(f"\n{'DALI':>28}   Forebay: refused, passes")
    for kind in KINDS:
        refused = counts[kind, KINDS[0]]
        passes = sum(count for (theirs, _), count in counts.items() if theirs == kind) - refused
        print(f"{kind:>28} {refused:>18} {passes:>7}")


def test_what_changes_nothing_is_hardly_ever_refused(tmp_path: pathlib.Path) -> None:
    python = os.environ.get("FOREBAY_DALI_PYTHON")
    if not python:
        pytest.skip("FOREBAY_DALI_PYTHON names no DALI to compare with")
    folder, count = os.environ.get("FOREBAY_DAMAGED", str(HERE / "decode")), os.environ.get("FOREBAY_FLIPS", "200")
    out = tmp_path / "dali.json"
    subprocess.run([python, str(HERE / "record_damage.py"), str(out), folder, count], check=True)
    cases = list(flips(pathlib.Path(folder), int(count)))
    ours = changed_shares(forebay, cases)
    kinds = [(kind_of(a), kind_of(b)) for a, b in zip(json.loads(out.read_text()), ours, strict=True)]
    show(kinds)
    refused = [case for case, pair in zip(cases, kinds, strict=True) if pair == ("the same", "refused")]
    # Bits that are no Huffman code are damage, also where libjpeg's zeros in their place give the same pixels by chance.
    assert len(refused) <= len(cases) / 100, refused
    assert [pair for pair in kinds if KINDS[0] not in pair and KINDS[1] not in pair and pair[0] != pair[1]] == []
