"""The features of RNN-T training as a pipeline, the same for Forebay and DALI."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

LOG = 2.302585092994046  # what makes to_decibels a natural logarithm
STACK = 3


def spliced(fn: Any, frames: Any) -> Any:
    """Each third frame with the two after it; frames that have none after them are left out."""
    shifted = [frames[:, shift:(shift + 1 - STACK) or None] for shift in range(STACK)]
    return fn.cat(*(part[:, ::STACK] for part in shifted), axis=0)


def features(library: str, batch: list[np.ndarray], resample: bool) -> Callable[[], list[np.ndarray]]:
    """A function that gives the features of the batch."""
    if library == "dali":
        import nvidia.dali.fn as fn
        from nvidia.dali.pipeline import Pipeline
    else:
        from forebay import Pipeline, fn
    speeds = [np.float32(0.9 + 0.2 * i / len(batch)) for i in range(len(batch))]
    pipe = Pipeline(batch_size=len(batch), num_threads=1, device_id=None, prefetch_queue_depth=1)
    with pipe:
        sound = fn.external_source(source=lambda: batch)
        if resample:
            sound = fn.audio_resample(sound, scale=fn.external_source(source=lambda: speeds))
        begin, length = fn.nonsilent_region(sound, cutoff_db=-40)
        sound = fn.slice(sound, begin, length, axes=[0])
        sound = fn.preemphasis_filter(sound)
        spectra = fn.spectrogram(sound, nfft=512, window_length=320, window_step=160)
        mels = fn.mel_filter_bank(spectra, sample_rate=16000, nfilter=80)
        logs = fn.to_decibels(mels, multiplier=LOG, reference=1.0, cutoff_db=-80)
        pipe.set_outputs(spliced(fn, fn.normalize(logs, axes=[1])))
    pipe.build()

    def run() -> list[np.ndarray]:
        out = pipe.run()[0]
        return [np.array(out.at(i)) for i in range(len(batch))]

    return run
