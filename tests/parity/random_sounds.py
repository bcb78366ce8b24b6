"""Strategies for operators on sound: see `random_example.py`."""

from __future__ import annotations

import numpy as np
from random_example import Example, operator
from sound_files import encoded, tones, wav

RATES = (8000, 11025, 16000, 22050, 44100, 48000)


def _quality(x: Example) -> None:
    if x.whether():
        x.arg("quality", x.between(0.0, 100.0))


@operator("audio_resample", "float")
def _(x: Example) -> None:
    channels = x.between(1, 4)
    has_axis = channels > 1 or x.whether()
    sounds = [tones(x.extent(3000), channels, x.between(0, 99)).astype(np.float32) for _ in range(x.size)]
    x.input([sound if has_axis else sound[:, 0] for sound in sounds])
    way = x.of("rates scale length")
    if way == "rates":
        x.given("in_rate", lambda: float(x.of(RATES)))
        x.given("out_rate", lambda: float(x.of(RATES)))
    elif way == "scale":
        x.number("scale", 0.05, 4.0)
    else:
        x.given("out_length", lambda: x.between(1, 5000))
    _quality(x)


@operator("decoders.audio", "float")
def _(x: Example) -> None:
    files = []
    for _ in range(x.size):
        sound = tones(x.extent(2000), x.between(1, 3), x.between(0, 99))
        files.append(encoded(wav(sound, x.of(RATES), x.of("u8 s16 s24 s32 f32 f64"))))
    x.input(files)
    x.arg("downmix", x.whether())
    if x.whether():
        x.given("sample_rate", lambda: float(x.of(RATES)))
    _quality(x)
