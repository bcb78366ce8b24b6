"""Operators that DALI has and Forebay does not have yet, and what is said when one is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..suggestions import refuse_unknown
from .old_names import OLD_NAMES

ABSENT = (
    "audio_resample",
    "decoders.audio",
    "decoders.video",
    "experimental.inputs.video",
    "experimental.readers.video",
    "mel_filter_bank",
    "mfcc",
    "nonsilent_region",
    "optical_flow",
    "power_spectrum",
    "preemphasis_filter",
    "readers.nemo_asr",
    "readers.video",
    "readers.video_resize",
    "spectrogram",
    "to_decibels",
)
"""By their names in `fn`. An operator that is added is taken off: a test compares this list with the table."""


def _key(path: str) -> str:
    """The same for functions and classes: of "readers.video_resize" and "readers.VideoResize"."""
    return path.replace("_", "").lower()


_BY_KEY = {_key(name): name for name in (*ABSENT, *(old for old, name in OLD_NAMES.items() if name in ABSENT))}


def note_on(path: str) -> str:
    """ ": DALI has it, Forebay not yet" for such an operator; which one, for a folder of them and for the last parts of a
    name; "" for all others."""
    key = _key(path)
    if key in _BY_KEY:
        return ": DALI has it, Forebay not yet"
    inside = [name for name in _BY_KEY.values() if f".{key}." in f".{_key(name)}."]
    return f": DALI has '{inside[0]}', Forebay not yet" if inside else ""


def refuse_operator(module: str, known: Iterable[str]) -> Callable[[str], Any]:
    """The __getattr__ of `module`, which is "fn", "ops", "fn.readers"...

    :param known: the names of all operators, for suggestions.
    """
    folder = module.partition(".")[2]

    def note(name: str) -> str:
        path = f"{folder}.{name}" if folder else name
        is_there = any(_key(each) == _key(path) for each in known)  # but for capitals and underscores
        return "" if is_there else note_on(path)

    return refuse_unknown(module, "operator", known, note)
