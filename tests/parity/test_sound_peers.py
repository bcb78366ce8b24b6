"""Operators on sound against librosa 0.11 and torchaudio 2.11: recorded, and in thorough runs live as well, where
`.peers/audio` has them (`make peers`) or `FOREBAY_AUDIO_PYTHON` names a Python. Differences are of the largest number of
an answer.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
from typing import Any

import numpy as np
import pytest

import forebay
from forebay import fn

from recordings import is_thorough

HERE = pathlib.Path(__file__).parent
PYTHON = os.environ.get("FOREBAY_AUDIO_PYTHON")
RATE, NFFT, WINDOW = 16000, 512, 400
HANN = [float(value) for value in 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)]
"""The periodic window of both; DALI's, the default here, lies half a sample beside it."""
WINDOWS: dict[str, Any] = {"nfft": NFFT, "window_length": WINDOW, "window_step": 160, "window_fn": HANN}
MEL: dict[str, Any] = {"nfilter": 40, "sample_rate": float(RATE)}
DB = {"cutoff_db": -80.0}


def recorded_live(folder: pathlib.Path) -> pathlib.Path:
    """What both give now; skipped without them, and in runs that are not thorough."""
    if not is_thorough():
        pytest.skip("FOREBAY_THOROUGH is not set")
    if not PYTHON:
        pytest.skip("no .peers/audio, and FOREBAY_AUDIO_PYTHON names no Python with librosa and torchaudio")
    path = folder / "sound.npz"
    subprocess.run([PYTHON, "-W", "ignore", str(HERE / "record_sound.py"), str(path)], check=True, timeout=240,
                   env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    return path


@pytest.fixture(scope="module", params=["recorded", "live"])
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """What went in, and what came out, by name."""
    is_live = request.param == "live"
    path = recorded_live(tmp_path_factory.mktemp("sound")) if is_live else HERE / "sound.npz"
    with np.load(path) as loaded:
        return {name: loaded[name] for name in loaded.files}


CASES: dict[str, tuple[str, tuple[str, ...], dict[str, Any], float]] = {
    "librosa spectrogram": ("spectrogram", ("sound",), WINDOWS, 1e-5),
    "librosa magnitudes": ("spectrogram", ("sound",), {**WINDOWS, "power": 1, "reflect_padding": False}, 1e-5),
    "torchaudio spectrogram": ("spectrogram", ("sound",), WINDOWS, 1e-5),
    "torchaudio magnitudes": ("spectrogram", ("sound",), {**WINDOWS, "power": 1}, 1e-5),
    **{f"librosa mel {htk} {norm}": ("mel_filter_bank", ("powers",), {
        **MEL, "mel_formula": "htk" if htk else "slaney", "normalize": norm is not None}, 1e-5)
       for htk in (False, True) for norm in (None, "slaney")},
    **{f"torchaudio mel {scale} {norm}": ("mel_filter_bank", ("powers",), {
        **MEL, "mel_formula": scale, "normalize": norm is not None}, 3e-5)  # its weights are computed in float
       for scale in ("htk", "slaney") for norm in (None, "slaney")},
    "librosa mfcc 2 None": ("mfcc", ("mels",), {"n_mfcc": 13}, 1e-5),
    "librosa mfcc 2 ortho": ("mfcc", ("mels",), {"n_mfcc": 13, "normalize": True}, 1e-5),
    "librosa mfcc 3 None": ("mfcc", ("mels",), {"n_mfcc": 13, "dct_type": 3}, 1e-5),
    "librosa mfcc 3 ortho": ("mfcc", ("mels",), {"n_mfcc": 13, "dct_type": 3, "normalize": True}, 1e-5),
    "librosa mfcc lifter": ("mfcc", ("mels",), {"n_mfcc": 13, "normalize": True, "lifter": 22.0}, 1e-5),
    "librosa decibels": ("to_decibels", ("powers",), DB, 1e-5),
    "torchaudio decibels": ("to_decibels", ("powers",), {**DB, "reference": 1.0, "cutoff_db": -100.0}, 1e-5),
    "librosa preemphasis": ("preemphasis_filter", ("sound",), {"preemph_coeff": 0.95, "border": "zero"}, 1e-5),
    "torchaudio preemphasis": ("preemphasis_filter", ("sound",), {"preemph_coeff": 0.95, "border": "zero"}, 1e-5),
    "librosa faster": ("time_stretch", ("sound",), {"rate": 1.375}, 1e-3),  # its phases are sums in float
    "librosa slower": ("time_stretch", ("sound",), {"rate": 0.75}, 1e-3),
    "torchaudio noise": ("add_noise", ("sound", "noise"), {"snr": 7.0}, 1e-5),
}
# SciPy's cosine transforms without a norm are twice DALI's.
SCALES = {"librosa mfcc 2 None": 0.5, "librosa mfcc 3 None": 0.5}


def made(op: str, inputs: list[np.ndarray], args: dict[str, Any]) -> np.ndarray:
    def source(array: np.ndarray) -> Any:
        return lambda: [array]

    pipe = forebay.Pipeline(batch_size=1, num_threads=1, device_id=None, seed=1)
    with pipe:
        pipe.set_outputs(getattr(fn, op)(*(fn.external_source(source=source(array)) for array in inputs), **args))
    return np.array(pipe.run()[0].at(0))


@pytest.mark.parametrize("name", CASES)
def test_equals_its_peer(name: str, recorded: dict[str, np.ndarray]) -> None:
    op, names, args, tolerance = CASES[name]
    got = made(op, [recorded[one] for one in names], args)
    want = recorded[name] * SCALES.get(name, 1.0)
    assert got.shape == want.shape
    difference = np.abs(got - want).max() / np.abs(want).max()
    assert difference <= tolerance, f"{difference} of the largest number"


def test_windows_that_are_not_centred_begin_with_the_signal(
        recorded: dict[str, np.ndarray]) -> None:
    """librosa's windows are as long as the transform there, with zeros on both sides of the shorter window."""
    padded = [0.0] * 56 + HANN + [0.0] * 56
    args = {**WINDOWS, "window_length": NFFT, "window_fn": padded, "center_windows": False}
    got = made("spectrogram", [recorded["sound"]], args)
    want = recorded["librosa uncentred"]
    assert got.shape == want.shape
    assert np.abs(got - want).max() <= 1e-5 * want.max()


@pytest.mark.parametrize("name, steps", [("higher", 4.0), ("lower", -5.0)])
def test_a_shifted_pitch_sounds_like_librosas(
        name: str, steps: float, recorded: dict[str, np.ndarray]) -> None:
    """The filters of both cut at other frequencies: what differs is little, and lies at the top of the spectrum."""
    got, want = made("pitch_shift", [recorded["sound"]], {"n_steps": steps}), recorded[f"librosa {name}"]
    assert got.shape == want.shape
    middle = slice(1000, -1000)
    assert np.square(got[middle] - want[middle]).sum() <= 0.02 * np.square(want[middle]).sum()
