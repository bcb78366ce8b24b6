"""The features of RNN-T training by librosa and NumPy."""

from __future__ import annotations

from typing import Callable

import librosa
import numpy as np

STACK = 3


def sounding(signal: np.ndarray, window: int = 2048, cutoff_db: float = -40.0) -> np.ndarray:
    """From the first window to the last that is not silent, window by window, which librosa's trim looks at by steps."""
    sums = np.concatenate([[0.0], np.cumsum(np.square(signal, dtype=np.float64))])
    powers = sums[window:] - sums[:-window]
    loud = np.flatnonzero(powers >= powers.max() * 10 ** (cutoff_db / 10))
    return signal[loud[0] : loud[-1] + window]


def features(batch: list[np.ndarray]) -> Callable[[], list[np.ndarray]]:
    """A function that gives the features of the batch."""
    hann = (0.5 - 0.5 * np.cos(2 * np.pi * (np.arange(320) + 0.5) / 320)).astype(np.float32)
    mel = librosa.filters.mel(sr=16000, n_fft=512, n_mels=80)

    def one(sound: np.ndarray) -> np.ndarray:
        sound = sounding(sound)
        sound = librosa.effects.preemphasis(sound, coef=0.97, zi=-0.97 * sound[:1])
        spectra = np.square(np.abs(librosa.stft(sound, n_fft=512, win_length=320, hop_length=160, window=hann,
                                                pad_mode="reflect")))
        logs = np.log(np.maximum(mel @ spectra, np.float32(10 ** (-80 / 2.302585))))
        frames = (logs - logs.mean(axis=1, keepdims=True)) / logs.std(axis=1, keepdims=True)
        last = frames.shape[1] - STACK + 1
        return np.concatenate([frames[:, shift : last + shift : STACK] for shift in range(STACK)])

    def run() -> list[np.ndarray]:
        return [one(sound) for sound in batch]

    return run
