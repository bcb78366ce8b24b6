"""Strategies for operators on sound: see `random_example.py`."""

from __future__ import annotations

import numpy as np
from random_example import Example, operator
from signal_cases import sound


def _signals(x: Example, least: int = 1) -> None:
    signals = [sound(x.random, x.between(least, 900)) for _ in range(x.size)]
    shape = x.of([(-1,), (-1, 1), (1, -1)])
    x.input([signal.reshape(shape) for signal in signals])


@operator("spectrogram", "float")
def _(x: Example) -> None:
    length = x.between(3, 80)
    is_centered = x.whether()
    _signals(x, 1 if is_centered else length)
    x.arg("window_length", length)
    x.arg("window_step", x.between(1, 100))
    x.arg("center_windows", is_centered)
    x.arg("reflect_padding", x.whether())
    x.arg("power", x.between(1, 2))
    x.arg("layout", x.of("ft tf"))
    if x.whether():
        x.arg("nfft", x.between(length, 200))
    if x.whether():
        x.arg("window_fn", [x.between(-1.0, 1.0) for _ in range(length)])


@operator("power_spectrum", "float")
def _(x: Example) -> None:
    rank = x.between(1, 3)
    x.input([sound(x.random, 1200)[:int(np.prod(shape))].reshape(shape)
             for shape in [[x.between(3, 10) for _ in range(rank)] for _ in range(x.size)]])
    x.arg("axis", x.between(0, rank - 1))
    x.arg("power", x.between(1, 2))
    if x.whether():
        x.arg("nfft", x.between(3, 40))


def _spectra(x: Example) -> None:
    layout = x.of("ft tf cft ctf f -")
    shapes = [[x.between(2, 70) if axis == "f" else x.between(1, 20) for axis in (layout if layout != "-" else "ft")]
              for _ in range(x.size)]
    # Up to 1: DALI's mel weights, computed in float, are up to 2.4e-5 beside the formula's.
    x.input([np.square(x.random.random(shape)).astype(np.float32) for shape in shapes], layout.strip("-"))


@operator("mel_filter_bank", "float")
def _(x: Example) -> None:
    _spectra(x)
    rate = x.of([8000.0, 16000.0, 22050.0, 44100.0])
    x.arg("sample_rate", rate)
    x.arg("nfilter", x.between(1, 90))
    x.arg("normalize", x.whether())
    x.arg("mel_formula", x.of("slaney htk"))
    low = x.between(0.0, rate / 4)
    x.arg("freq_low", low)
    if x.whether():
        x.arg("freq_high", x.between(low + rate / 8, rate / 2))


@operator("to_decibels", "float")
def _(x: Example) -> None:
    _spectra(x)
    x.arg("multiplier", x.between(1.0, 20.0))
    if x.whether():
        x.arg("reference", x.between(0.01, 10.0))
    x.arg("cutoff_db", x.between(-200.0, 0.0))


@operator("mfcc", "float")
def _(x: Example) -> None:
    rank = x.between(2, 4)
    x.input([x.random.normal(0, 10, [x.between(2, 30) for _ in range(rank)]).astype(np.float32)
             for _ in range(x.size)])
    x.arg("axis", x.between(0, rank - 1))
    x.arg("n_mfcc", x.between(1, 30))
    kind = x.between(1, 4)
    x.arg("dct_type", kind)
    x.arg("normalize", kind > 1 and x.whether())
    if x.whether():
        x.arg("lifter", x.between(1.0, 40.0))


@operator("preemphasis_filter", "float")
def _(x: Example) -> None:
    x.images("HW HWC -", "uint8 int8 uint16 int16 int32 float32 float64", high=100.0, least=2)
    x.number("preemph_coeff", -1.0, 1.0)
    x.arg("border", x.of("zero clamp reflect"))
    if x.whether():
        x.enum("dtype", "FLOAT FLOAT64")


@operator("nonsilent_region", "exact")
def _(x: Example) -> None:
    signals = []
    for _ in range(x.size):
        loud = sound(x.random, x.between(1, 500))
        padded = np.pad(loud, (x.between(0, 500), x.between(0, 500)))
        signals.append((padded + x.random.normal(0, 1e-4, padded.size)).astype(np.float32))
    if x.whether():
        signals = [(signal * 1000).astype(np.int16) for signal in signals]
    x.input(signals)
    x.arg("cutoff_db", x.between(-20.0, 0.0))
    if x.whether():
        x.arg("reference_power", x.between(0.001, 1.0))
    if x.whether():
        x.arg("window_length", x.between(1, 300))
        x.arg("reset_interval", -1)
    else:  # DALI wants multiples of the window
        x.arg("window_length", 2 ** x.between(0, 9))
        x.arg("reset_interval", x.of([512, 1024, 8192]))
