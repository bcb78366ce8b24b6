"""The features of RNN-T training by PyTorch and torchaudio."""

from __future__ import annotations

from typing import Callable

import numpy as np
import torch
import torchaudio.functional as F
import torchaudio.transforms as T

STACK = 3


def hann(length: int, **_: object) -> torch.Tensor:
    """DALI's window, half a sample beside PyTorch's."""
    return 0.5 - 0.5 * torch.cos(2 * torch.pi * (torch.arange(length, dtype=torch.float64) + 0.5) / length).float()


def sounding(signal: torch.Tensor, window: int = 2048, cutoff_db: float = -40.0) -> torch.Tensor:
    """From the first window to the last that is not silent."""
    sums = torch.nn.functional.pad(signal.double().square().cumsum(0), (1, 0))
    powers = sums[window:] - sums[:-window]
    loud = (powers >= powers.max() * 10 ** (cutoff_db / 10)).nonzero()
    return signal[int(loud[0]) : int(loud[-1]) + window]


def features(batch: list[np.ndarray]) -> Callable[[], list[np.ndarray]]:
    """A function that gives the features of the batch."""
    torch.set_num_threads(1)
    spectrogram = T.Spectrogram(n_fft=512, win_length=320, hop_length=160, window_fn=hann)
    mel = T.MelScale(80, 16000, n_stft=257, norm="slaney", mel_scale="slaney")
    signals = [torch.from_numpy(sound) for sound in batch]

    def one(signal: torch.Tensor) -> np.ndarray:
        signal = sounding(signal)
        signal = torch.cat([signal[:1] * (1 - 0.97), F.preemphasis(signal)[1:]])
        logs = mel(spectrogram(signal)).clamp_min(10 ** (-80 / 2.302585)).log()
        deviation, mean = torch.std_mean(logs, dim=1, keepdim=True, correction=0)
        frames = (logs - mean) / deviation
        last = frames.shape[1] - STACK + 1
        return torch.cat([frames[:, shift : last + shift : STACK] for shift in range(STACK)]).numpy()

    def run() -> list[np.ndarray]:
        with torch.inference_mode():
            return [one(signal) for signal in signals]

    return run
