"""readers.nemo_asr in pipelines: parts of files, bounds, texts, broken manifests and sounds."""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

import numpy as np
import pytest

import forebay
from forebay import Pipeline, fn

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tests" / "parity"))
from sound_files import tones, wav  # noqa: E402

RATE = 8000


def make(root: pathlib.Path, entries: list[Any]) -> str:
    """Four sounds of one to four seconds, each of numbers of its own, and a manifest beside them."""
    for number in range(4):
        (root / f"{number}.wav").write_bytes(wav(tones(RATE * (number + 1), 1 + number % 2, number), RATE))
    lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
    (root / "manifest.json").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(root / "manifest.json")


def read(manifest: str, count: int, on_error: str = "raise", **arguments: Any) -> list[list[np.ndarray]]:
    pipe = Pipeline(batch_size=1, num_threads=2, device_id=None, seed=3, on_error=on_error)
    with pipe:
        made = fn.readers.nemo_asr(name="reader", manifest_filepaths=[manifest], **arguments)
        pipe.set_outputs(*(made if isinstance(made, (list, tuple)) else [made]))
    assert pipe.reader_meta("reader")["epoch_size"] == count
    return [[np.array(output.at(0)) for output in pipe.run()] for _ in range(count)]


def sound(number: int) -> np.ndarray:
    waves = tones(RATE * (number + 1), 1 + number % 2, number)
    return (np.rint(waves * 32767) / 32768).mean(axis=1)


def test_whole_files_and_their_texts(tmp_path: pathlib.Path) -> None:
    manifest = make(tmp_path, [{"audio_filepath": "1.wav", "text": "grüß \"Gott\""}, "",
                               {"audio_filepath": str(tmp_path / "0.wav"), "duration": 0.5, "extra": [1]}])
    (first, rate, text, number), (second, _, nothing, next_number) = read(manifest, 2, read_idxs=True)
    np.testing.assert_allclose(first, sound(1), atol=1e-6)
    np.testing.assert_allclose(second, sound(0), atol=1e-6)  # a duration alone cuts nothing
    assert float(rate) == RATE and rate.shape == ()
    assert text.tobytes().decode() == "grüß \"Gott\"" and nothing.shape == (0,)
    assert (number.tolist(), next_number.tolist()) == ([0], [1])


def test_parts_of_files(tmp_path: pathlib.Path) -> None:
    manifest = make(tmp_path, [{"audio_filepath": "3.wav", "offset": 1.25, "duration": 0.5},
                               {"audio_filepath": "3.wav", "offset": 0, "duration": 0.001},
                               {"audio_filepath": "3.wav", "offset": 3.5},
                               {"audio_filepath": "3.wav", "offset": 3.9, "duration": 0.2}])
    whole = sound(3)
    got = [row[0] for row in read(manifest, 4, read_text=False)]
    for part, (begin, end) in zip(got, ((10000, 14000), (0, 8), (28000, 32000), (31200, 32000)), strict=True):
        np.testing.assert_allclose(part, whole[begin:end], atol=1e-6)


def test_bounds_of_durations(tmp_path: pathlib.Path) -> None:
    entries = [{"audio_filepath": f"{n}.wav", "duration": n + 1} for n in range(4)] + [{"audio_filepath": "0.wav"}]
    manifest = make(tmp_path, entries)
    assert [len(row[0]) // RATE for row in read(manifest, 2, min_duration=1.5, max_duration=3.0)] == [2, 3]
    assert [len(row[0]) // RATE for row in read(manifest, 2, max_duration=1.0)] == [1, 1]
    with pytest.raises(RuntimeError, match="no entry has a duration within"):
        read(manifest, 0, min_duration=9.0)


def test_another_rate_is_told_as_it_is(tmp_path: pathlib.Path) -> None:
    manifest = make(tmp_path, [{"audio_filepath": "1.wav"}])
    ((audio, rate),) = read(manifest, 1, read_text=False, sample_rate=16000.0, downmix=False)
    assert audio.shape == (32000, 2) and float(rate) == 16000


@pytest.mark.parametrize("line, why", [
    ("{no json", "no JSON object"), ("[1]", "no JSON object"), ('{"text": "x"}', "no `audio_filepath`"),
    ('{"audio_filepath": 5}', "`audio_filepath` is 5, a string"), ('{"audio_filepath": "0.wav", "text": 5}', "`text`"),
    ('{"audio_filepath": "0.wav", "duration": "1"}', '`duration` is "1", a number'),
    ('{"audio_filepath": "0.wav", "offset": -3}', "`offset` is -3, a number"),
    ('{"audio_filepath": "0.wav\\u0000"}', "a path has no NUL byte"),
])
def test_a_broken_line_is_named(tmp_path: pathlib.Path, line: str, why: str) -> None:
    manifest = make(tmp_path, [{"audio_filepath": "0.wav"}, line])
    with pytest.raises(RuntimeError, match=f"manifest.json: line 2: .*{why}"):
        read(manifest, 1)


def test_broken_sounds_are_named_and_left_out(tmp_path: pathlib.Path) -> None:
    manifest = make(tmp_path, [{"audio_filepath": name} for name in ("0.wav", "broken.wav", "gone.wav", "2.wav")] +
                    [{"audio_filepath": "0.wav", "offset": 7}])
    (tmp_path / "broken.wav").write_bytes(wav(tones(100), RATE)[:-20])
    pipe = Pipeline(batch_size=5, num_threads=2, device_id=None, on_error="skip")
    with pipe:
        pipe.set_outputs(fn.readers.nemo_asr(manifest_filepaths=[manifest])[0])
    (batch,) = pipe.run()
    assert [batch.at(i).shape[0] // RATE for i in range(len(batch))] == [1, 3]
    with pytest.raises(forebay.SampleError, match="cut off") as caught:
        read(manifest, 5)
    assert "broken.wav" in str(caught.value)


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_minus_one_is_a_duration_that_is_not_known(tmp_path: pathlib.Path, on_error: str) -> None:
    manifest = make(tmp_path, [{"audio_filepath": "1.wav", "duration": -1}, {"audio_filepath": "0.wav", "offset": -1}])
    assert [len(row[0]) // RATE for row in read(manifest, 2, on_error)] == [2, 1]


def test_goes_on_where_it_was(tmp_path: pathlib.Path) -> None:
    manifest = make(tmp_path, [{"audio_filepath": f"{n % 4}.wav", "offset": n / 10, "duration": 0.1} for n in range(9)])

    def pipeline() -> Pipeline:
        pipe = Pipeline(batch_size=2, num_threads=2, device_id=None, seed=5)
        with pipe:
            pipe.set_outputs(*fn.readers.nemo_asr(manifest_filepaths=[manifest], random_shuffle=True, read_idxs=True))
        return pipe

    def batch_of(pipe: Pipeline) -> list[bytes]:
        return [np.asarray(output.at(i)).tobytes() for output in pipe.run() for i in range(len(output))]

    first = pipeline()
    for _ in range(3):
        first.run()
    second = pipeline()
    second.load_state_dict(first.state_dict())
    assert [batch_of(first) for _ in range(6)] == [batch_of(second) for _ in range(6)]
