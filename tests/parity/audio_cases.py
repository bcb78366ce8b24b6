"""Cases of `operator_cases.py` for sound: decoding and resampling."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from sound_files import encoded, kept, tones, wav

KEPT = ("stereo_16.flac", "mono_24.flac", "stereo.vorbis.ogg", "mono.opus.ogg", "stereo.aiff", "mono.au", "mono.caf")


def add(case: Callable[..., None], enum: Callable[[str], Any]) -> None:
    """Adds them by `case`; `enum` names a member of `types`."""
    _decoding(case, enum)
    _resampling(case, enum)


def _decoding(case, enum) -> None:
    files = {f"wav {kind}": encoded(wav(tones(200, 2), 22050, kind)) for kind in "u8 s16 s24 s32 f32 f64".split()}
    files["wav mono"] = encoded(wav(tones(200, 1), 8000))
    files["wav of 8"] = encoded(wav(tones(100, 8), 48000))
    files |= {name: kept(name) for name in KEPT}
    for name, file in files.items():
        # libsndfile's decoders of Vorbis and Opus are not the same to the last bit everywhere.
        bar = "sound" if "ogg" in name else "exact"
        case(f"audio {name}", "decoders.audio", [file], bar=bar)
        case(f"audio {name} mixed", "decoders.audio", [file], downmix=True)
        case(f"audio {name} at 16000", "decoders.audio", [file], sample_rate=16000.0)
        if name not in ("wav f32", "wav f64"):  # DALI cuts the fractions of these off
            for kind in ("INT16", "INT32"):
                case(f"audio {name} {kind}", "decoders.audio", [file], bar=bar, dtype=enum(kind))
    stereo = files["wav s16"]
    for kind in ("INT16", "INT32"):
        case(f"audio mixed {kind}", "decoders.audio", [stereo], bar="sound", dtype=enum(kind), downmix=True)
        case(f"audio resampled {kind}", "decoders.audio", [stereo], bar="sound", dtype=enum(kind), downmix=True,
             sample_rate=44100.0, quality=20.0)
    case("audio rate", "decoders.audio", [stereo], bar="exact", output=1)
    case("audio rate resampled", "decoders.audio", [stereo], bar="exact", output=1, sample_rate=8000.0)
    case("audio by tensor", "decoders.audio", [[stereo, files["wav mono"]]],
         tensors={"sample_rate": [np.float32(11025), np.float32(22050)]})


def _resampling(case, enum) -> None:
    mono, stereo = (tones(400, channels).astype(np.float32) for channels in (1, 2))
    ratios = {"rates": dict(in_rate=44100.0, out_rate=16000.0), "up": dict(in_rate=16000.0, out_rate=44100.0),
              "scale": dict(scale=0.37), "length": dict(out_length=777)}
    for name, args in ratios.items():
        for quality in (0.0, 50.0, 100.0):
            case(f"audio_resample {name} {quality}", "audio_resample", [mono[:, 0]], quality=quality, **args)
            case(f"audio_resample stereo {name} {quality}", "audio_resample", [stereo], quality=quality, **args)
    kinds = {"INT8": np.int8, "UINT8": np.uint8, "INT16": np.int16, "UINT16": np.uint16, "INT32": np.int32,
             "UINT32": np.uint32}
    for name, kind in kinds.items():
        info = np.iinfo(kind)
        middle = 0 if info.min < 0 else (info.max + 1) / 2
        numbers = (middle + stereo.astype(np.float64) * (info.max - middle) * 0.9).astype(kind)
        case(f"audio_resample {name} to float", "audio_resample", [numbers], scale=0.7, dtype=enum("FLOAT"))
        if name.startswith("INT"):  # departure: what lies beyond the ends of unsigned sound
            case(f"audio_resample {name}", "audio_resample", [numbers], bar="sound", scale=1.7)
            case(f"audio_resample float to {name}", "audio_resample", [stereo], bar="sound", scale=0.7,
                 dtype=enum(name))
    case("audio_resample by tensors", "audio_resample", [[mono, mono[:99]]],
         tensors={"scale": [np.float32(0.5), np.float32(2.25)]})
