"""Iterators: epochs, the last batch, reset, checkpoints."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Any, Iterator

import numpy as np
import pytest

import forebay
from forebay import fn, pipeline_def
from forebay.plugin.base_iterator import LastBatchPolicy
from forebay.plugin.epochs import ReaderEpochs, SizeEpochs
from forebay.plugin.numpy import NumpyIterator

from photographs import make_photo


@pytest.fixture(scope="module")
def seven(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A list of seven files with labels 1 to 7."""
    root = tmp_path_factory.mktemp("seven")
    for number in range(1, 8):
        make_photo(root / f"{number}.jpg", number, 16, 16)
    (root / "list.txt").write_text("".join(f"{number}.jpg {number}\n" for number in range(1, 8)))
    return str(root)


def reader(root: str, batch_size: int = 2, checkpoint: Any = None, **arguments: Any) -> Any:
    @pipeline_def(batch_size=batch_size, num_threads=1, enable_checkpointing=True, checkpoint=checkpoint)
    def make() -> Any:
        return fn.readers.file(file_root=root, file_list=f"{root}/list.txt", name="r", **arguments)[1]

    return make()


def epoch(iterator: Any) -> list[list[int]]:
    return [batch[0]["label"].ravel().tolist() for batch in iterator]


FILL, DROP, PARTIAL = LastBatchPolicy.FILL, LastBatchPolicy.DROP, LastBatchPolicy.PARTIAL
ROWS = [
    (PARTIAL, True, [7], [1, 2]),
    (PARTIAL, False, [7], [2, 3]),
    (FILL, True, [7, 7], [1, 2]),
    (FILL, False, [7, 1], [2, 3]),
    (DROP, True, [5, 6], [1, 2]),
    (DROP, False, [5, 6], [2, 3]),
]


@pytest.mark.parametrize("policy,padded,last,first", ROWS)
def test_six_rows_of_last_batch_policy(seven: str, policy: Any, padded: bool, last: Any, first: Any) -> None:
    iterator = NumpyIterator(
        reader(seven, pad_last_batch=padded), ["label"], reader_name="r", last_batch_policy=policy, auto_reset=True
    )
    one = epoch(iterator)
    assert one[:3] == [[1, 2], [3, 4], [5, 6]]
    assert one[-1] == last
    assert len(one) == (3 if policy is DROP else 4)
    assert epoch(iterator)[0] == first


def test_length_and_reset(seven: str) -> None:
    iterator = NumpyIterator(reader(seven), ["label"], reader_name="r", last_batch_policy=PARTIAL)
    assert (len(iterator), iterator.size) == (4, 8)
    next(iterator)
    iterator.reset()  # in the middle: ignored
    assert next(iterator)[0]["label"].ravel().tolist() == [3, 4]
    assert len(epoch(iterator)) == 2
    with pytest.raises(StopIteration):
        next(iterator)
    iterator.reset()
    assert len(epoch(iterator)) == 4


def test_iterating_again_begins_the_next_epoch(seven: str) -> None:
    iterator = NumpyIterator(reader(seven, pad_last_batch=True), ["label"], reader_name="r", last_batch_policy=PARTIAL)
    assert epoch(iterator) == epoch(iterator) == [[1, 2], [3, 4], [5, 6], [7]]


@pytest.mark.parametrize("shards", [1, 2, 3])
@pytest.mark.parametrize("stick", [False, True])
def test_every_epoch_of_all_ranks_is_the_data_set(seven: str, shards: int, stick: bool) -> None:
    iterators = [
        NumpyIterator(
            reader(seven, num_shards=shards, shard_id=rank, stick_to_shard=stick, pad_last_batch=True), ["label"],
            reader_name="r", last_batch_policy=PARTIAL, auto_reset=True,
        )
        for rank in range(shards)
    ]
    for _ in range(3):
        labels = sorted(label for iterator in iterators for batch in epoch(iterator) for label in batch)
        assert labels == [1, 2, 3, 4, 5, 6, 7]


def test_several_pipelines_in_one_iterator(seven: str) -> None:
    pipes = [reader(seven, num_shards=2, shard_id=rank, pad_last_batch=True) for rank in range(2)]
    iterator = NumpyIterator(pipes, ["label"], reader_name="r", last_batch_policy=PARTIAL)
    rows = [[part["label"].ravel().tolist() for part in batch] for batch in iterator]
    assert rows == [[[1, 2], [4, 5]], [[3], [6, 7]]]


def by_source(batches: int, size: int) -> Any:
    def source() -> Iterator[np.ndarray]:
        for number in range(batches):
            yield np.arange(number * size, number * size + size, dtype=np.int64).reshape(size, 1)

    @pipeline_def(batch_size=size, num_threads=1)
    def make() -> Any:
        return fn.external_source(source, cycle="raise")

    return make()


@pytest.mark.parametrize("auto_reset", [True, "yes"])
def test_sources_decide_their_end(auto_reset: Any) -> None:
    iterator = NumpyIterator(by_source(3, 2), ["label"], auto_reset=auto_reset)
    for _ in range(2):
        assert epoch(iterator) == [[0, 1], [2, 3], [4, 5]]


def test_sources_without_auto_reset() -> None:
    iterator = NumpyIterator(by_source(2, 2), ["label"])
    assert len(epoch(iterator)) == 2
    iterator.reset()
    assert len(epoch(iterator)) == 2


def test_given_sizes() -> None:
    counts = {}
    for policy in LastBatchPolicy:
        iterator = NumpyIterator(by_source(9, 2), ["label"], size=5, last_batch_policy=policy, auto_reset=True)
        counts[policy] = (len(iterator), epoch(iterator), epoch(iterator)[0])
    assert counts[PARTIAL] == (3, [[0, 1], [2, 3], [4]], [6, 7])
    assert counts[FILL] == (3, [[0, 1], [2, 3], [4, 5]], [6, 7])
    assert counts[DROP] == (2, [[0, 1], [2, 3]], [6, 7])


def test_wrong_arguments(seven: str) -> None:
    pipe = reader(seven)
    for arguments in (
        {"size": 0},
        {"size": 4, "reader_name": "r"},
        {"reader_name": "r", "last_batch_padded": True},
        {"auto_reset": "perhaps"},
        {"last_batch_policy": "FILL"},
    ):
        with pytest.raises(ValueError):
            NumpyIterator(pipe, ["label"], **arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="names an output twice"):
        NumpyIterator(pipe, ["a", "a"])
    with pytest.raises(ValueError, match="2 names for 1"):
        NumpyIterator(pipe, ["a", "b"])
    with pytest.raises(ValueError, match="several pipelines"):
        NumpyIterator([pipe, reader(seven)], ["a"])
    with pytest.raises(KeyError):
        NumpyIterator(pipe, ["a"], reader_name="nobody")
    with pytest.raises(TypeError, match=r"needs a pipeline, not function; call it: reader\(\.\.\.\)"):
        NumpyIterator(reader, ["a"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs a pipeline, not NoneType"):
        NumpyIterator([pipe, None], ["a"], size=4)  # type: ignore[list-item]


@pytest.mark.parametrize("policy,padded,last,first", ROWS)
def test_checkpoints_at_every_batch(seven: str, policy: Any, padded: bool, last: Any, first: Any) -> None:
    def iterate(checkpoint: Any = None) -> NumpyIterator:
        pipe = reader(seven, checkpoint=checkpoint, pad_last_batch=padded, random_shuffle=True)
        return NumpyIterator(pipe, ["label"], reader_name="r", last_batch_policy=policy, auto_reset=True)

    iterator = iterate()
    (initial,) = iterator.checkpoints()
    batches, checkpoints = [], []
    for _ in range(3):
        for batch in iterator:
            batches.append(batch[0]["label"].ravel().tolist())
            checkpoints.append(iterator.checkpoints()[0])
    for place in range(0, len(checkpoints) - 4):
        restored = iterate(checkpoints[place])
        following = []
        while len(following) < 3:
            following += epoch(restored)
        assert following[:3] == batches[place + 1 : place + 4]
    again = iterate(initial)
    assert epoch(again)[:2] == batches[:2]


def test_state_of_an_iterator(seven: str) -> None:
    iterator = NumpyIterator(reader(seven), ["label"], reader_name="r", auto_reset=True)
    next(iterator)
    state = iterator.state_dict()
    wanted = epoch(iterator)
    other = NumpyIterator(reader(seven), ["label"], reader_name="r", auto_reset=True)
    other.load_state_dict(state)
    assert epoch(other) == wanted


def test_epochs_as_arithmetic() -> None:
    """FILL without padding loses and repeats nothing: each rank's batches are its stream, cut at epochs."""
    meta = {"epoch_size": 10, "epoch_size_padded": 12, "number_of_shards": 3, "pad_last_batch": 0, "stick_to_shard": 0}
    epochs = ReaderEpochs(meta, [0], 2, FILL)
    lengths = []
    for _ in range(6):
        lengths.append(len(epochs))
        for _ in range(len(epochs)):
            assert epochs.take() == [2]
        assert epochs.is_over()
        assert epochs.end() == 0
        assert all(carry >= 0 for carry in epochs.carry)
    taken = 2 * sum(lengths)
    assert 6 * 10 // 3 <= taken <= 6 * 10 // 3 + 4
    tiny = ReaderEpochs({**meta, "epoch_size": 3, "number_of_shards": 1}, [0], 8, FILL)
    for _ in range(4):
        assert len(tiny) == 1
        tiny.take()
        tiny.end()


def test_partial_counts_over_several_pipelines() -> None:
    epochs = SizeEpochs(5, 2, 2, PARTIAL, False)
    assert [epochs.take(), epochs.take()] == [[2, 2], [1, 0]]
    assert epochs.is_over()


def test_without_torch_the_plugin_says_what_is_missing() -> None:
    code = "import sys; sys.modules['torch'] = None\nimport forebay.plugin.pytorch"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "needs PyTorch" in result.stderr


def test_pytorch(seven: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is absent")
    from forebay.plugin.pytorch import DALIClassificationIterator, DALIGenericIterator, DALIRaggedIterator

    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        jpegs, labels = fn.readers.file(file_root=seven, file_list=f"{seven}/list.txt", name="r")
        return fn.decoders.image(jpegs), labels

    images = list(DALIClassificationIterator(make(), reader_name="r", last_batch_policy=PARTIAL))
    assert images[0][0]["data"].shape == (2, 16, 16, 3)
    assert images[-1][0]["label"].tolist() == [[7]]
    generic = next(DALIGenericIterator(make(), ["a", "b"], reader_name="r"))[0]
    assert generic["a"].dtype == torch.uint8

    @pipeline_def(batch_size=2, num_threads=1)
    def ragged() -> Any:
        return fn.external_source(lambda: [np.ones(2, np.float32), np.ones(3, np.float32)])

    for tag in ("sparse_list", "sparse_coo"):
        output = next(DALIRaggedIterator(ragged(), ["x"], output_types=[tag]))[0]["x"]
        total = sum(float(part.sum()) for part in output) if isinstance(output, list) else float(output.to_dense().sum())
        assert total == 5


def ragged_pipeline() -> Any:
    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        same = fn.external_source(lambda: [np.ones(2, np.float32)] * 2)
        return same, fn.external_source(lambda: [np.ones(2, np.float32), np.ones(3, np.float32)])

    return make()


def test_ragged_samples_name_their_output_and_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"the output 'y': samples differ.*give the samples one shape.*fn.pad\)$"):
        next(NumpyIterator(ragged_pipeline(), ["x", "y"]))


def test_other_errors_about_ragged_samples_stay_what_they_are() -> None:
    class Own(NumpyIterator):
        def _converters(self) -> list[Any]:
            def refuse(batch: Any, selection: Any) -> Any:
                raise ValueError("device 'cuda' is not there")

            return [refuse] * 2

    with pytest.raises(ValueError, match="^device 'cuda' is not there$"):
        next(Own(ragged_pipeline(), ["x", "y"]))


def test_ragged_samples_name_what_pytorch_offers() -> None:
    pytest.importorskip("torch", reason="PyTorch is absent")
    from forebay.plugin.pytorch import GenericIterator, RaggedIterator

    with pytest.raises(ValueError, match="the output 'y'.* or take them as a list: `output_types` with RaggedIterator.SPARSE"):
        next(RaggedIterator(ragged_pipeline(), ["x", "y"]))
    with pytest.raises(ValueError, match="the output 'y'.* or take them as a list: RaggedIterator with `output_types`"):
        next(GenericIterator(ragged_pipeline(), ["x", "y"]))
    both = next(RaggedIterator(ragged_pipeline(), ["x", "y"], output_types=["dense", RaggedIterator.SPARSE_LIST_TAG]))
    assert [len(each) for each in both[0]["y"]] == [2, 3]


def test_pytorch_tensors_are_filled() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is absent")
    from forebay.plugin.pytorch import feed_ndarray

    with forebay.Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(fn.external_source(lambda: [np.arange(3, dtype=np.float32)] * 2))
    (batch,) = pipe.run()
    target = torch.zeros((2, 3))
    assert feed_ndarray(batch.as_tensor(), target) is target
    assert target.tolist() == [[0, 1, 2]] * 2
    with pytest.raises(ValueError, match="cannot be put into"):
        feed_ndarray(batch, torch.zeros((3, 2)))
