"""The sound that operators are shown on, and how it is drawn: as a wave, and as powers by frequency and time."""

from __future__ import annotations

import functools
import io
import wave
from typing import Any

import numpy as np
from operator_pictures import tiles

import forebay.dynamic as ndd

RATE = 8000
STEP = 64  # samples to a column
COLUMNS, BINS = 120, 90
WINDOWS: dict[str, Any] = dict(nfft=2 * BINS, window_length=2 * BINS, window_step=STEP)
WAVE, OUTSIDE = (74, 134, 198), 206
# From silence to the loudest: dark blue, violet, orange, pale yellow.
SHADES = np.array([(16, 18, 44), (92, 40, 120), (206, 72, 84), (252, 166, 72), (252, 246, 190)], np.float64)


@functools.cache
def sound() -> np.ndarray:
    """A rising tone with overtones, a hiss, a falling one; silence between and around. Numbers of 16 bits as floats,
    which no machine rounds otherwise."""
    times = np.arange(COLUMNS * STEP) / RATE
    signal = np.zeros(len(times))
    for begin, end, low, high in ((0.08, 0.42, 220, 440), (0.62, 0.88, 700, 350)):
        part = (times >= begin) & (times < end)
        place = (times[part] - begin) / (end - begin)
        phase = 2 * np.pi * (end - begin) * (low * place + (high - low) * place**2 / 2)
        tone = sum(np.sin(overtone * phase) / overtone for overtone in (1, 2, 3, 4))
        signal[part] += 0.4 * tone * np.minimum(1, 12 * np.minimum(place, 1 - place))
    hiss = (times >= 0.47) & (times < 0.57)
    signal[hiss] += np.random.Generator(np.random.Philox(key=4)).integers(-1000, 1001, hiss.sum()) / 4000
    return (np.round(signal * 20000) / 32768).astype(np.float32)


@functools.cache
def wav() -> np.ndarray:
    """The sound as a file of 16 bits."""
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(RATE)
        written.writeframes(np.round(sound() * 32768).astype("<i2").tobytes())
    return np.frombuffer(file.getvalue(), np.uint8)


def spectra(signal: np.ndarray) -> np.ndarray:
    return np.asarray(ndd.spectrogram(signal, **WINDOWS))


@functools.cache
def powers() -> np.ndarray:
    return spectra(sound())


@functools.cache
def mels() -> np.ndarray:
    """Mel bands in decibels."""
    bands: Any = ndd.mel_filter_bank(powers(), nfilter=45, sample_rate=RATE)
    return np.asarray(ndd.to_decibels(bands, reference=1.0, cutoff_db=-60.0), np.float32)


def shaded(values: np.ndarray, low: float, high: float, times: int = 1) -> np.ndarray:
    """Numbers by frequency and time in colours, low frequencies at the bottom; each row `times` as high."""
    part = np.clip((np.asarray(values, np.float64) - low) / (high - low), 0, 1) * (len(SHADES) - 1)
    shade = np.minimum(part.astype(np.int64), len(SHADES) - 2)
    between = (part - shade)[..., None]
    colours = SHADES[shade] * (1 - between) + SHADES[shade + 1] * between
    return np.floor(colours + 0.5).astype(np.uint8)[::-1].repeat(times, 0)


def in_decibels(values: np.ndarray, times: int = 1) -> np.ndarray:
    """Powers in colours, from -60 dB to the loudest that the sound has."""
    decibels = np.asarray(ndd.to_decibels(values, reference=1.0, cutoff_db=-100.0))
    return shaded(decibels, -30, 30, times)


def spectrogram_of(signal: np.ndarray) -> np.ndarray:
    """A column for each STEP samples."""
    return in_decibels(spectra(signal)[:BINS, : max(1, len(signal) // STEP)])


def before() -> np.ndarray:
    return spectrogram_of(sound())


def waveform(signal: np.ndarray, first: int = 0, last: int | None = None) -> np.ndarray:
    """From the least to the largest sample of each column; outside of `first` to `last` on grey."""
    numbers = signal / 32768 if signal.dtype == np.int16 else signal
    columns = np.asarray(numbers, np.float64)[: len(numbers) // STEP * STEP].reshape(-1, STEP)
    rows = np.arange(BINS)[:, None]
    middle, reach = (BINS - 1) / 2, BINS / 2 - 2
    top, bottom = middle - reach * columns.max(axis=1), middle - reach * columns.min(axis=1)
    inside = (rows >= np.floor(top)) & (rows <= np.ceil(bottom))
    places = np.arange(len(columns)) * STEP
    chosen = (places + STEP > first) & (places < (len(signal) if last is None else last))
    picture = np.full((*inside.shape, 3), tiles.PAPER, np.uint8)
    picture[:, ~chosen] = OUTSIDE
    picture[inside] = WAVE
    return picture
