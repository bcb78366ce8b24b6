"""Sound in pipelines: decoded and resampled the same however it is run, errors that name the sample, bounded memory."""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import numpy as np
import pytest

import forebay
from forebay import Pipeline, fn, types

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tests" / "parity"))
from sound_files import encoded, kept, tones, wav  # noqa: E402

KEPT = ("stereo_16.flac", "mono_24.flac", "stereo.vorbis.ogg", "mono.opus.ogg", "stereo.aiff", "mono.mp3")


def decoded(files: list[np.ndarray], threads: int = 1, batch: int | None = None, **arguments: Any) -> list[np.ndarray]:
    """The sound of all files, by pipelines of `batch` at a time."""
    size = batch or len(files)
    left = [files[at:at + size] for at in range(0, len(files), size)]
    pipe = Pipeline(batch_size=size, num_threads=threads, device_id=None)
    with pipe:
        pipe.set_outputs(fn.decoders.audio(fn.external_source(source=left), **arguments)[0])
    return [np.array(output.at(i)) for (output,) in (pipe.run() for _ in left) for i in range(len(output))]


def test_the_same_bits_whatever_threads_and_batches() -> None:
    files = [kept(name) for name in KEPT] + [encoded(wav(tones(40000, 2), 48000, kind)) for kind in ("s16", "f32")]
    for arguments in ({}, {"downmix": True, "dtype": types.INT16}, {"sample_rate": 22050.0, "quality": 80.0}):
        one = decoded(files, 1, 1, **arguments)
        for threads, batch in ((4, 8), (2, 3)):
            for mine, other in zip(one, decoded(files, threads, batch, **arguments), strict=True):
                np.testing.assert_array_equal(mine, other)


def test_floating_samples_become_integers_that_are_rounded_and_saturated() -> None:
    waves = np.array([[0.0], [0.5], [-0.25], [1.5], [-3.0]])
    (sound,) = decoded([encoded(wav(waves, kind="f32"))], dtype=types.INT16)
    assert sound[:, 0].tolist() == [0, 16384, -8192, 32767, -32768]
    (sound,) = decoded([encoded(wav(waves, kind="f64"))], dtype=types.INT32)
    assert sound[:, 0].tolist() == [0, 2**30, -(2**29), 2**31 - 1, -(2**31)]


def test_a_rate_of_the_file_changes_nothing_and_is_told() -> None:
    pipe = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        file = fn.external_source(source=lambda: [encoded(wav(tones(50), 11025))])
        plain, rate = fn.decoders.audio(file)
        same, same_rate = fn.decoders.audio(file, sample_rate=11025.0)
        pipe.set_outputs(plain, same, rate, same_rate)
    plain, same, rate, same_rate = (np.array(output.at(0)) for output in pipe.run())
    np.testing.assert_array_equal(plain, same)
    assert rate.shape == () and float(rate) == float(same_rate) == 11025


DAMAGE = {
    "empty": (np.zeros(0, np.uint8), "the file is empty"),
    "no sound": (np.zeros(999, np.uint8), "no known format"),
    "cut off": (encoded(wav(tones(100)))[:-50], "cut off: its header says 200 bytes"),
    "cut off FLAC": (kept("stereo_16.flac")[:-900], "cut off or damaged"),
    "cut off Ogg": (kept("stereo.vorbis.ogg")[:-9], "the last page of Ogg"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_names_the_sample_and_the_cause(name: str) -> None:
    file, cause = DAMAGE[name]
    with pytest.raises(forebay.SampleError, match=cause) as caught:
        decoded([encoded(wav(tones(100))), file])
    assert "decoders.audio" in str(caught.value) and "position" in str(caught.value)


def test_a_limit_is_kept_and_named() -> None:
    file = encoded(wav(tones(1000, 2)))
    assert decoded([file], max_bytes=8000)[0].shape == (1000, 2)
    for arguments in ({}, {"sample_rate": 48000.0}):
        with pytest.raises(forebay.SampleError, match="max_bytes"):
            decoded([file], max_bytes=7999, **arguments)


def test_arguments_that_cannot_be() -> None:
    file = [encoded(wav(tones(9)))]
    for arguments, why in (({"dtype": types.UINT8}, "FLOAT, INT16 or INT32"), ({"quality": 101.0}, "from 0 to 100"),
                           ({"max_bytes": 0}, "at least 1")):
        with pytest.raises(ValueError, match=why):
            decoded(file, **arguments)
    for arguments, why in (({}, "exactly one"), ({"scale": 1.0, "out_length": 3}, "exactly one"),
                           ({"in_rate": 5.0}, "together"), ({"scale": 1.0, "dtype": types.FLOAT64}, "32 bits")):
        pipe = Pipeline(batch_size=1, num_threads=1, device_id=None)
        with pytest.raises(ValueError, match=why), pipe:
            pipe.set_outputs(fn.audio_resample(types.Constant(np.zeros(9, np.float32)), **arguments))
            pipe.build()
            pipe.run()


def test_silence_stays_silent_in_every_type() -> None:
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32):
        middle = 0 if np.iinfo(dtype).min < 0 else 128 * 256 ** (np.dtype(dtype).itemsize - 1)
        pipe = Pipeline(batch_size=1, num_threads=1, device_id=None)
        with pipe:
            silence = types.Constant(np.zeros(40, np.float32))
            pipe.set_outputs(fn.audio_resample(silence, scale=0.7, dtype=types.to_dali_type(dtype)))
        assert set(np.array(pipe.run()[0].at(0)).tolist()) == {middle}
