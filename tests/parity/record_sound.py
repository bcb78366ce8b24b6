"""Records what librosa and torchaudio make of some sound: run with a Python that has both (`.peers/audio`).

    python record_sound.py [sound.npz]
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import librosa
import numpy as np
import torch
import torchaudio
import torchaudio.functional as F
import torchaudio.transforms as T

from signal_cases import sound

NFFT, WINDOW, STEP, RATE, MELS = 512, 400, 160, 16000, 40
WINDOWS = dict(n_fft=NFFT, win_length=WINDOW, hop_length=STEP)


def by_librosa(signal: np.ndarray, powers: np.ndarray, mels: np.ndarray) -> dict[str, Any]:
    def spectrogram(power: float, **more: Any) -> np.ndarray:
        return np.abs(librosa.stft(signal, **WINDOWS, **more)) ** power

    mel = {f"mel {htk} {norm}": librosa.filters.mel(sr=RATE, n_fft=NFFT, n_mels=MELS, htk=htk, norm=norm) @ powers
           for htk in (False, True) for norm in (None, "slaney")}
    cepstra = {f"mfcc {kind} {norm}": librosa.feature.mfcc(S=mels, n_mfcc=13, dct_type=kind, norm=norm) for kind in (2, 3)
               for norm in (None, "ortho")}
    return {
        "spectrogram": spectrogram(2, pad_mode="reflect"), "magnitudes": spectrogram(1, pad_mode="constant"),
        "uncentred": spectrogram(2, center=False), **mel, **cepstra,
        "mfcc lifter": librosa.feature.mfcc(S=mels, n_mfcc=13, norm="ortho", lifter=22),
        "decibels": librosa.power_to_db(powers, ref=np.max, amin=1e-30, top_db=80),
        "preemphasis": librosa.effects.preemphasis(signal, coef=0.95, zi=np.zeros(1, np.float32)),
        "faster": librosa.effects.time_stretch(signal, rate=1.375), "slower": librosa.effects.time_stretch(signal, rate=0.75),
        "higher": librosa.effects.pitch_shift(signal, sr=RATE, n_steps=4),
        "lower": librosa.effects.pitch_shift(signal, sr=RATE, n_steps=-5),
    }


def by_torchaudio(array: np.ndarray, powers: np.ndarray, noise: np.ndarray) -> dict[str, Any]:
    signal, spectra = torch.from_numpy(array), torch.from_numpy(powers)
    mel = {f"mel {scale} {norm}": T.MelScale(MELS, RATE, n_stft=NFFT // 2 + 1, mel_scale=scale, norm=norm)(spectra)
           for scale in ("htk", "slaney") for norm in (None, "slaney")}
    return {
        "spectrogram": T.Spectrogram(**WINDOWS, power=2.0)(signal), "magnitudes": T.Spectrogram(**WINDOWS, power=1.0)(signal),
        **mel, "decibels": T.AmplitudeToDB("power")(spectra), "preemphasis": F.preemphasis(signal, 0.95),
        "noise": F.add_noise(signal[None], torch.from_numpy(noise)[None], torch.tensor([7.0]))[0],
    }


def main() -> None:
    random = np.random.default_rng(7)
    given = {"sound": sound(random, RATE // 4), "powers": np.square(random.normal(0, 1, (257, 20))).astype(np.float32),
             "mels": random.normal(0, 20, (MELS, 20)).astype(np.float32),
             "noise": random.normal(0, 1, RATE // 4).astype(np.float32)}
    answers = {f"librosa {name}": value
               for name, value in by_librosa(given["sound"], given["powers"], given["mels"]).items()}
    of_torchaudio = by_torchaudio(given["sound"], given["powers"], given["noise"])
    answers.update({f"torchaudio {name}": value.numpy() for name, value in of_torchaudio.items()})
    versions = f"librosa {librosa.__version__}, torchaudio {torchaudio.__version__}"
    target = sys.argv[1] if len(sys.argv) > 1 else str(pathlib.Path(__file__).parent / "sound.npz")
    np.savez_compressed(target, about=np.array(versions), **given, **answers)


if __name__ == "__main__":
    main()
