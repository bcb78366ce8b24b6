"""The batches that recognise_words.py trains on: from a manifest's sound to padded features and their lengths."""

import pathlib

import numpy as np

from forebay import fn, pipeline_def, types

BATCH = 32
RATE = 16000
BANDS = 40
STACK = 3  # frames spliced into one
LOG = 2.302585092994046  # what makes decibels a natural logarithm


def spliced(frames):
    """Each third frame with the two after it, as RNN-T is fed; frames that have none after them are left out."""
    shifted = [frames[:, shift:(shift + 1 - STACK) or None] for shift in range(STACK)]
    return fn.cat(*(part[:, ::STACK] for part in shifted), axis=0)


@pipeline_def(batch_size=BATCH)
def words(folder, is_training):
    """Features (STACK * BANDS, most steps of the batch), the shape of each without padding, and the entry's number."""
    sound, number = fn.readers.nemo_asr(
        manifest_filepaths=[str(pathlib.Path(folder) / "manifest.json")], read_sample_rate=False, read_text=False,
        read_idxs=True, sample_rate=RATE, downmix=True, dtype=types.FLOAT, random_shuffle=is_training,
        name="reader")
    if is_training:
        sound = fn.audio_resample(sound, scale=fn.random.uniform(range=[0.9, 1.1]))
        sound = sound + fn.random.normal(sound, stddev=1e-3)
    begin, length = fn.nonsilent_region(sound, cutoff_db=-15)
    sound = fn.preemphasis_filter(fn.slice(sound, begin, length, axes=[0]))
    spectra = fn.spectrogram(sound, nfft=512, window_length=320, window_step=160)
    mels = fn.mel_filter_bank(spectra, sample_rate=RATE, nfilter=BANDS)
    logs = fn.to_decibels(mels, multiplier=LOG, reference=1.0, cutoff_db=-80)
    features = spliced(fn.normalize(logs, axes=[1]))
    return fn.pad(features, axes=[1]), features.shape(), number


def arrays(pipe):
    """A function that gives the next batch, whose length is that of its longest word, as NumPy arrays."""
    return lambda: [np.array(output.as_tensor()) for output in pipe.run()]
