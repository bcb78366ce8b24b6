"""How operators on sound are shown: as waves and as spectrograms."""

from __future__ import annotations

from typing import Any

import numpy as np
from operator_pictures import sounds, tiles
from operator_pictures.row import Arguments, Row

SOUND = "the sound as a spectrogram: time from left to right, frequency from bottom to top"
SHORT = dict(nfft=512)  # windows that suit sound of 8 kHz


def show_sound(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    return sounds.spectrogram_of(results[0])


def show_wave(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    return sounds.waveform(results[0])


def show_powers(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    return sounds.in_decibels(results[0][: sounds.BINS])


def show_bands(results: list[Any], arguments: Arguments) -> np.ndarray:
    """As high as the tile, however few bands there are."""
    del arguments
    return sounds.in_decibels(results[0], sounds.BINS // len(results[0]))


def show_cepstra(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    return sounds.shaded(results[0], -150, 150, sounds.BINS // len(results[0]))


def show_decibels(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    return sounds.shaded(results[0][: sounds.BINS], -80, 0)


def show_mels(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    return sounds.shaded(results[0], -50, 20, 2)


def show_region(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    begin, length = (int(result) for result in results)
    return sounds.waveform(sounds.sound(), begin, begin + length)


def show_spectrum(results: list[Any], arguments: Arguments) -> np.ndarray:
    """A bar for the largest of some neighbouring frequencies, low ones on the left."""
    del arguments
    values = results[0][: len(results[0]) // 56 * 56].reshape(56, -1).max(axis=1)
    return tiles.bars(np.floor(np.asarray(values, np.float64) * 4).astype(np.int64), width=2)


def of_sound(*calls: Arguments, note: str = "") -> Row:
    """A row of spectrograms."""
    return Row(calls, lambda: (sounds.sound(),), sounds.before, SOUND, show_sound, note=note)


ROWS = {
    "add_noise": of_sound(dict(snr=20.0), dict(snr=0.0)),
    "audio_resample": of_sound(
        dict(scale=0.75), dict(scale=1.5),
        note="There are fewer and more samples, of which as many as before make a column."),
    "decoders.audio": Row(
        [dict(), dict(sample_rate=4000)], lambda: (sounds.wav(),), None, show=show_wave,
        note="The sound as a wave, all samples and half as many."),
    "mel_filter_bank": Row(
        [dict(nfilter=45, sample_rate=8000.0), dict(nfilter=15, sample_rate=8000.0)], lambda: (sounds.powers(),),
        sounds.before, SOUND, show_bands),
    "mfcc": Row(
        [dict(n_mfcc=18), dict(n_mfcc=6)], lambda: (sounds.mels(),),
        lambda: show_mels([sounds.mels()], {}), "mel bands in decibels", show_cepstra,
        note="The first coefficient is at the bottom."),
    "nonsilent_region": Row(
        [dict(cutoff_db=-20.0, window_length=256)], lambda: (sounds.sound(),), lambda: sounds.waveform(sounds.sound()),
        "the sound as a wave", show_region, note="What lies outside the region is grey."),
    "pitch_shift": of_sound(dict(n_steps=7.0, **SHORT), dict(n_steps=-7.0, **SHORT)),
    "power_spectrum": Row(
        [dict(power=1), dict(power=1, nfft=1024)], lambda: (sounds.sound(),), lambda: sounds.waveform(sounds.sound()),
        "the sound as a wave", show_spectrum,
        note="Low frequencies are on the left; of the second the first 1024 samples are taken."),
    "preemphasis_filter": of_sound(dict(), dict(preemph_coeff=0.6)),
    "spec_augment": Row(
        [dict(freq_mask_param=12, time_mask_param=24)] * 3, lambda: (sounds.mels(),),
        lambda: show_mels([sounds.mels()], {}), "mel bands in decibels", show_mels),
    "spectrogram": Row(
        [dict(sounds.WINDOWS), {**sounds.WINDOWS, "window_length": 40}], lambda: (sounds.sound(),),
        lambda: sounds.waveform(sounds.sound()), "the sound as a wave", show_powers,
        note="Short windows tell times apart, long ones frequencies."),
    "time_stretch": of_sound(dict(rate=1.5, **SHORT), dict(rate=0.75, **SHORT)),
    "to_decibels": Row(
        [dict(), dict(cutoff_db=-30.0)], lambda: (sounds.powers(),),
        lambda: sounds.shaded(sounds.powers()[: sounds.BINS], 0, float(sounds.powers().max())), "powers", show_decibels,
        note="From -80 dB, dark, to 0."),
}
