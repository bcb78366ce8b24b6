"""`bucket_by_length` of readers: batches of samples of like length."""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

import numpy as np
import pytest

from forebay import Pipeline, fn

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tests" / "parity"))
from sound_files import tones, wav  # noqa: E402

BATCH = 4
FILES = 90


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Files of 1 to 90 bytes, each with its number in all of them."""
    root = tmp_path_factory.mktemp("lengths")
    for number in range(FILES):
        (root / f"{number * 37 % FILES:02}").write_bytes(bytes([number]) * (number + 1))
    return sorted(str(path) for path in root.iterdir())


def made(files: list[str], batch_size: int = BATCH, **reader: Any) -> Pipeline:
    pipe = Pipeline(batch_size=batch_size, num_threads=2, device_id=None, seed=3)
    with pipe:
        pipe.set_outputs(fn.readers.file(files=files, name="reader", **reader)[0])
    return pipe


def batches(pipe: Pipeline, count: int) -> list[list[int]]:
    """The numbers of the files in each batch."""
    return [[int(np.array(output.at(place))[0]) for place in range(len(output))]
            for output in (pipe.run()[0] for _ in range(count))]


def test_batches_have_like_lengths(files: list[str]) -> None:
    read = batches(made(files, random_shuffle=True, bucket_by_length=100), FILES // BATCH)
    spreads = [max(batch) - min(batch) for batch in read]
    assert spreads == [BATCH - 1] * len(read)  # those of one epoch, the whole of which is a window
    firsts = [batch[0] for batch in read]
    assert firsts != sorted(firsts)
    plain = batches(made(files, random_shuffle=True), FILES // BATCH)
    assert np.median([max(batch) - min(batch) for batch in plain]) > 20


def test_without_shuffling_windows_are_sorted(files: list[str]) -> None:
    read = batches(made(files, bucket_by_length=2), FILES // BATCH)
    for first, second in zip(read[::2], read[1::2], strict=False):
        assert first + second == sorted(first + second)


def test_each_epoch_has_each_file_for_each_rank(files: list[str]) -> None:
    ranks = [made(files, batch_size=3, random_shuffle=True, bucket_by_length=4, num_shards=2, shard_id=rank)
             for rank in range(2)]
    for _ in range(2):  # 45 files of an epoch are 15 batches
        read = [sum(batches(rank, FILES // 2 // 3), []) for rank in ranks]
        assert sorted(read[0] + read[1]) == list(range(FILES))


def test_it_goes_on_where_it_stopped(files: list[str]) -> None:
    arguments = {"random_shuffle": True, "bucket_by_length": 5}
    first = made(files, **arguments)
    whole = batches(made(files, **arguments), 40)
    assert batches(first, 13) == whole[:13]
    again = made(files, **arguments)
    again.load_state_dict(first.state_dict())
    assert batches(again, 27) == whole[13:]
    with pytest.raises(RuntimeError, match="bucket_by_length another batch size"):
        made(files, batch_size=BATCH * 2, **arguments).load_state_dict(first.state_dict())
    more = made(files, num_shards=2, **arguments)
    with pytest.raises(RuntimeError, match="'reader' has bucket_by_length, so its shards cannot go on"):
        more.load_state_dict([first.state_dict()])


def test_durations_of_a_manifest_are_the_lengths(tmp_path: pathlib.Path) -> None:
    """Not the bytes: all entries name parts of one file."""
    (tmp_path / "tone.wav").write_bytes(wav(tones(8000 * 9), 8000))
    entries = [{"audio_filepath": "tone.wav", "offset": 0, "duration": (number * 7 % 24 + 1) / 4}
               for number in range(24)]
    (tmp_path / "manifest").write_text("\n".join(map(json.dumps, entries)))
    pipe = Pipeline(batch_size=BATCH, num_threads=2, device_id=None, seed=3)
    with pipe:
        pipe.set_outputs(fn.readers.nemo_asr(manifest_filepaths=[str(tmp_path / "manifest")], random_shuffle=True,
                                             bucket_by_length=6)[0])
    for _ in range(6):
        lengths = [shape[0] // 2000 for shape in pipe.run()[0].shape()]
        assert max(lengths) - min(lengths) == BATCH - 1


def test_what_cannot_be_is_refused(files: list[str]) -> None:
    with pytest.raises(ValueError, match="bucket_by_length is -1; it is a number of batches"):
        made(files, bucket_by_length=-1).run()
    pipe = Pipeline(batch_size=BATCH, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(fn.readers.file(files=files, bucket_by_length=3)[0], fn.readers.file(files=files)[0])
    with pytest.raises(ValueError, match="rearranges the samples of one reader, and the pipeline has 2"):
        pipe.run()
