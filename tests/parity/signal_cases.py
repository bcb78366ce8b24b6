"""Cases of `operator_cases.py` for operators on sound: spectra, mel scales, decibels, cepstra, filters, silence."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np


def add(case: Callable[..., None], enum: Callable[[str], Any]) -> None:
    """Adds them by `case`; `enum` names a member of `types`. Each group draws numbers of its own."""
    for seed, group in enumerate((_spectra, _mels, _decibels, _cepstra, _preemphasis, _silence)):
        group(case, enum, np.random.default_rng([50, seed]))


def sound(random: np.random.Generator, length: int) -> np.ndarray:
    """Two tones that come and go, and noise: within 1."""
    times = np.arange(length)
    tones = 0.4 * np.sin(times * 0.31) * np.sin(times * 0.01) + 0.3 * np.sin(times * times * 1e-4)
    return (tones + random.normal(0, 0.05, length)).astype(np.float32)


def _spectra(case, enum, random) -> None:
    signal = sound(random, 700)
    for args in ({}, {"nfft": 64}, {"window_length": 100}, {"window_length": 98, "nfft": 101}, {"window_length": 25},
                 {"window_step": 33}, {"power": 1}, {"center_windows": False}, {"reflect_padding": False},
                 {"layout": "tf"}, {"layout": "tf", "power": 1, "center_windows": False},
                 {"window_fn": [float(i % 5) for i in range(48)]}, {"window_length": 1000, "window_step": 200}):
        case(f"spectrogram {args}", "spectrogram", [signal], **{"window_length": 48, "window_step": 17, **args})
    for shape in ((-1, 1), (1, -1), (1, -1, 1)):
        case(f"spectrogram {shape}", "spectrogram", [signal.reshape(shape)], window_length=64, window_step=64)
    for length in (1, 2, 31):
        case(f"spectrogram of {length}", "spectrogram", [signal[:length].copy()], window_length=64, window_step=10)
    lines = sound(random, 360).reshape(4, 5, 18)
    for args in ({}, {"axis": 0}, {"axis": 1}, {"nfft": 32}, {"nfft": 7}, {"power": 1}, {"axis": 1, "nfft": 16}):
        case(f"power_spectrum {args}", "power_spectrum", [lines], layouts=["abt"], **args)
    case("power_spectrum of a line", "power_spectrum", [signal])


def _mels(case, enum, random) -> None:
    spectrum = np.square(random.normal(0, 1, (65, 9))).astype(np.float32)
    for args in ({}, {"mel_formula": "htk"}, {"normalize": False}, {"nfilter": 20}, {"nfilter": 200},
                 {"freq_low": 300.0}, {"freq_low": 250.0, "freq_high": 1500.0, "mel_formula": "htk"},
                 {"freq_high": 5000.0}):
        case(f"mel_filter_bank {args}", "mel_filter_bank", [spectrum], **{"sample_rate": 8000.0, "nfilter": 40, **args})
    case("mel_filter_bank tf", "mel_filter_bank", [spectrum.T.copy()], layouts=["tf"], sample_rate=16000.0)
    case("mel_filter_bank cft", "mel_filter_bank", [np.stack([spectrum, spectrum * 3])], layouts=["cft"], nfilter=10)
    case("mel_filter_bank one spectrum", "mel_filter_bank", [spectrum[:, 0].copy()], nfilter=10)
    case("mel_filter_bank of an odd transform", "mel_filter_bank", [spectrum[:20].copy()], nfilter=10)


def _decibels(case, enum, random) -> None:
    powers = np.square(random.normal(0, 1, (8, 9))).astype(np.float32)
    powers[0] *= 1e-12
    for args in ({}, {"reference": 1.0}, {"multiplier": 20.0}, {"cutoff_db": -30.0}, {"reference": 0.25, "cutoff_db": 3.0},
                 {"multiplier": 2.302585, "reference": 1.0, "cutoff_db": -80.0}):
        case(f"to_decibels {args}", "to_decibels", [powers], layouts=["ft"], **args)
    case("to_decibels of zeros", "to_decibels", [np.zeros(5, np.float32)])


def _cepstra(case, enum, random) -> None:
    mels = random.normal(0, 20, (40, 7)).astype(np.float32)
    for kind in (1, 2, 3, 4):
        for args in ({}, {"normalize": True}, {"lifter": 22.0}, {"n_mfcc": 100}, {"axis": 1, "n_mfcc": 4}):
            if kind > 1 or "normalize" not in args:
                case(f"mfcc {kind} {args}", "mfcc", [mels], layouts=["ft"], dct_type=kind, **args)
    case("mfcc cube", "mfcc", [random.normal(0, 1, (3, 12, 4)).astype(np.float32)], axis=1)


def _preemphasis(case, enum, random) -> None:
    signal = sound(random, 50)
    for border in ("zero", "clamp", "reflect"):
        for length in (1, 2, 50):
            case(f"preemphasis_filter {border} {length}", "preemphasis_filter", [signal[:length].copy()], border=border,
                 preemph_coeff=0.9)
    case("preemphasis_filter by a tensor", "preemphasis_filter", [[signal, signal]],
         tensors={"preemph_coeff": [np.float32(0.5).reshape(()), np.float32(1.2).reshape(())]})
    case("preemphasis_filter of several axes", "preemphasis_filter", [signal.reshape(5, 10)], layouts=["ct"])
    for kind in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "int64", "float64"):
        numbers = (np.abs(signal) * 100).astype(kind)
        case(f"preemphasis_filter {kind}", "preemphasis_filter", [numbers])
        case(f"preemphasis_filter {kind} kept", "preemphasis_filter", [numbers],
             bar="uint8" if kind != "float64" else "float", dtype=enum("FLOAT64" if kind == "float64" else kind.upper()))


def _silence(case, enum, random) -> None:
    signal = np.concatenate([np.zeros(300), sound(random, 400), np.zeros(200)]).astype(np.float32)
    signal += random.normal(0, 1e-4, signal.size).astype(np.float32)
    for args in ({}, {"window_length": 1}, {"window_length": 16}, {"window_length": 8192}, {"cutoff_db": -20.0},
                 {"reference_power": 1.0, "cutoff_db": -30.0}, {"reset_interval": 64}, {"reset_interval": -1},
                 {"reference_power": 100.0}, {"cutoff_db": 3.0}):
        for output in (0, 1):  # begin and length
            case(f"nonsilent_region {args} {output}", "nonsilent_region", [signal], bar="exact", output=output,
                 **{"window_length": 32, **args})
    for kind in ("uint8", "int8", "int16", "int32"):
        numbers = (np.abs(signal) * 100).astype(kind)
        case(f"nonsilent_region {kind}", "nonsilent_region", [numbers], bar="exact", output=1, window_length=16)
    case("nonsilent_region of zeros", "nonsilent_region", [np.zeros(40, np.float32)], bar="exact", output=1,
         window_length=8)
