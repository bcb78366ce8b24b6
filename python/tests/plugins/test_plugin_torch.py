"""Functions on PyTorch tensors, a pipeline behind a DataLoader, and what measures a loader."""

from __future__ import annotations

import collections
import itertools
import json
import pathlib
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from forebay import SampleError, TensorCPU, fn, pipeline_def, types  # noqa: E402
from forebay import dynamic as ndd  # noqa: E402
from forebay.plugin import pytorch  # noqa: E402
from forebay.plugin.pytorch.experimental.proxy import DALIServer, DataLoader  # noqa: E402
from forebay.plugin.pytorch.fn import torch_python_function  # noqa: E402
from forebay.plugin.pytorch.loader_evaluator import LoaderEvaluator  # noqa: E402
from forebay.plugin.pytorch.torch_utils import feed_ndarray, to_torch_tensor  # noqa: E402


def numbers() -> Any:
    return fn.external_source(lambda i: [np.full((2, 3), 10 * i + k, np.float32) for k in range(3)])


@pipeline_def(batch_size=4, num_threads=1)
def classified(dtype: Any) -> Any:
    data = fn.external_source(lambda i: np.zeros((4, 2), np.float32))
    return data, fn.external_source(lambda i: np.arange(4, dtype=dtype).reshape(4, 1))


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.int64, np.float32])
@pytest.mark.parametrize("size", [4, 3])
def test_labels_are_as_a_loss_takes_them(dtype: Any, size: int) -> None:
    iterator = pytorch.DALIClassificationIterator(
        classified(dtype), size=size, last_batch_policy=pytorch.LastBatchPolicy.PARTIAL, squeeze_labels=True)
    labels = next(iterator)[0]["label"]
    assert labels.tolist() == list(range(size))
    assert labels.dtype == (torch.float32 if dtype is np.float32 else torch.int64)
    if dtype is not np.float32:
        assert torch.isfinite(torch.nn.functional.cross_entropy(torch.zeros(size, 4), labels))
    assert next(pytorch.DALIClassificationIterator(classified(dtype)))[0]["label"].shape == (4, 1)


@pipeline_def(batch_size=4, num_threads=1)
def labels_of(files: list[str]) -> Any:
    return fn.readers.file(files=files, name="reader", random_shuffle=True, seed=3, pad_last_batch=True)[1]


def loader_over(files: list[str], policy: pytorch.LastBatchPolicy) -> Any:
    iterator = pytorch.DALIGenericIterator(labels_of(files), ["label"], reader_name="reader", last_batch_policy=policy)
    return torch.utils.data.DataLoader(pytorch.IterableDataset(iterator), batch_size=None)


@pytest.mark.parametrize("policy", pytorch.LastBatchPolicy)
def test_an_iterator_is_a_data_set_of_a_loader(numbered_files: list[str], policy: pytorch.LastBatchPolicy) -> None:
    loader = loader_over(numbered_files[:10], policy)
    epochs = [[batch["label"].ravel().tolist() for batch in loader] for _ in range(3)]
    sizes = {pytorch.LastBatchPolicy.FILL: [4, 4, 4], pytorch.LastBatchPolicy.DROP: [4, 4],
             pytorch.LastBatchPolicy.PARTIAL: [4, 4, 2]}[policy]
    assert [[len(batch) for batch in epoch] for epoch in epochs] == [sizes] * 3
    assert epochs[0] != epochs[1]
    assert len(loader) == len(sizes)
    if policy is pytorch.LastBatchPolicy.PARTIAL:
        assert all(sorted(sum(epoch, [])) == list(range(10)) for epoch in epochs)


def test_a_data_set_goes_on_where_its_state_was_taken(numbered_files: list[str]) -> None:
    loader = loader_over(numbered_files, pytorch.LastBatchPolicy.PARTIAL)
    batches = iter(loader)
    next(batches)
    state = loader.dataset.state_dict()
    rest = [batch["label"].tolist() for batch in batches]
    resumed = loader_over(numbered_files, pytorch.LastBatchPolicy.PARTIAL)
    resumed.dataset.load_state_dict(state)
    assert [batch["label"].tolist() for batch in resumed] == rest
    assert len(rest) == 2


def test_a_broken_batch_does_not_end_a_data_set(numbered_broken_files: list[str]) -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def pictures() -> Any:
        jpegs, labels = fn.readers.file(files=numbered_broken_files, name="reader")
        return fn.decoders.image(jpegs), labels

    iterator = pytorch.DALIClassificationIterator(pictures(), reader_name="reader")
    batches = iter(pytorch.IterableDataset(iterator))
    assert next(batches)["label"].ravel().tolist() == [0, 1]
    with pytest.raises(SampleError):
        next(batches)
    assert [batch["label"].ravel().tolist() for batch in batches] == [[4, 5], [6, 7], [8, 9], [10, 11]]


def test_a_data_set_of_unknown_length_has_none() -> None:
    endless = pytorch.IterableDataset(pytorch.DALIClassificationIterator(classified(np.int32)))
    with pytest.raises(TypeError, match="not known"):
        len(endless)


def test_a_data_set_is_of_one_pipeline_and_no_worker(numbered_files: list[str]) -> None:
    pipes = [labels_of(numbered_files) for _ in range(2)]
    with pytest.raises(ValueError, match="this iterator has 2"):
        pytorch.IterableDataset(pytorch.DALIGenericIterator(pipes, ["label"], size=12))
    data_set = loader_over(numbered_files, pytorch.LastBatchPolicy.FILL).dataset
    with pytest.raises(RuntimeError, match="num_workers=0"):
        next(iter(torch.utils.data.DataLoader(data_set, batch_size=None, num_workers=1)))


@pytest.mark.parametrize("auto_reset", [False, True])
@pytest.mark.parametrize("epochs", [{"reader_name": "reader"}, {"size": 12}])
def test_a_data_set_that_rewinds_begins_its_epoch_anew(
    numbered_files: list[str], auto_reset: bool, epochs: dict[str, Any]
) -> None:
    def make(**named: Any) -> Any:
        iterator = pytorch.DALIGenericIterator(labels_of(numbered_files), ["label"], auto_reset=auto_reset, **epochs)
        return pytorch.IterableDataset(iterator, **named)

    wanted = [[batch["label"].ravel().tolist() for batch in data_set] for data_set in [make()] for _ in range(3)]
    rewound = make(rewind=True)
    for batches in wanted:
        for left in (0, 2, 1):  # a check, and validation that is cut short
            taken = itertools.islice(rewound, left)
            assert [batch["label"].ravel().tolist() for batch in taken] == batches[:left]
        assert [batch["label"].ravel().tolist() for batch in rewound] == batches
    next(iter(rewound))
    rewound.load_state_dict(rewound.state_dict())
    assert len(list(rewound)) == 2, "a state that was loaded is where the next pass begins"


def test_what_has_no_epochs_cannot_be_rewound() -> None:
    endless = pytorch.DALIClassificationIterator(classified(np.int32))
    with pytest.raises(ValueError, match="rewind=True needs an iterator with `reader_name` or `size`"):
        pytorch.IterableDataset(endless, rewind=True)


def test_a_trainer_that_counts_ends_an_epoch_without_asking_for_more(numbered_files: list[str]) -> None:
    for rewind in (False, True):
        iterator = pytorch.DALIGenericIterator(labels_of(numbered_files), ["label"], reader_name="reader")
        counted = pytorch.IterableDataset(iterator, rewind=rewind)
        passes = []
        for _ in range(3):
            steps = range(len(counted))  # which runs out first
            passes.append([batch["label"].ravel().tolist() for _, batch in zip(steps, counted)])
        assert [sorted(sum(labels, [])) for labels in passes] == [list(range(12))] * 3
        assert len({str(labels) for labels in passes}) == 3


def test_a_data_set_outlives_a_run_of_lightning(numbered_files: list[str]) -> None:
    data_set = loader_over(numbered_files, pytorch.LastBatchPolicy.FILL).dataset
    if hasattr(data_set, "_iterator"):
        data_set._iterator = None  # as Lightning does to whatever it was given: it takes it for a DataLoader's workers
    assert len(data_set) == 3 and len(list(data_set)) == 3


def test_accelerate_that_would_leave_shards_is_refused(
    numbered_files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class DataLoaderDispatcher:
        """As Accelerate's, which divides what its first rank reads."""

        def __init__(self, dataset: Any, ranks: int) -> None:
            self.dataset = dataset
            self.state = SimpleNamespace(num_processes=ranks)

    @pipeline_def(batch_size=2, num_threads=1)
    def shard(count: int) -> Any:
        return fn.readers.file(files=numbered_files, name="reader", num_shards=count)[1]

    for count, ranks, is_refused in ((2, 2, True), (1, 2, False), (2, 1, False)):
        iterator = pytorch.DALIGenericIterator(shard(count), ["label"], reader_name="reader")
        data_set = pytorch.IterableDataset(iterator)
        active = SimpleNamespace(active_dataloader=DataLoaderDispatcher(data_set, ranks))
        fake = SimpleNamespace(GradientState=lambda: active, DataLoaderDispatcher=DataLoaderDispatcher)
        monkeypatch.setitem(sys.modules, "accelerate.data_loader", fake)
        if is_refused:
            with pytest.raises(RuntimeError, match="do not prepare the loader"):
                iter(data_set)
        active.active_dataloader = None if is_refused else active.active_dataloader
        assert len(list(data_set)) == 12 // 2 // count


def test_a_state_of_all_ranks(numbered_files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    @pipeline_def(batch_size=2, num_threads=1, seed=5)
    def shard(rank: int, ranks: int) -> Any:
        return fn.readers.file(files=numbered_files, name="reader", random_shuffle=True, seed=3, shard_id=rank,
                               num_shards=ranks)[1]

    def make(rank: int, ranks: int) -> Any:
        iterator = pytorch.DALIGenericIterator(shard(rank, ranks), ["label"], reader_name="reader")
        return pytorch.IterableDataset(iterator, all_ranks=True)

    def be(rank: int, ranks: int) -> None:
        monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
        monkeypatch.setattr(torch.distributed, "get_rank", lambda: rank)
        monkeypatch.setattr(torch.distributed, "get_world_size", lambda: ranks)

    def gather(states: list[Any], _: Any) -> None:
        states[:] = [each._batches.state_dict() for each in two]

    def labels(batches: Any) -> list[int]:
        return [int(label) for batch in batches for label in batch["label"]]

    monkeypatch.setattr(torch.distributed, "all_gather_object", gather)
    two = [make(rank, 2) for rank in range(2)]
    seen = [labels(itertools.islice(data_set, 1)) for data_set in two]
    be(0, 2)
    state = two[0].state_dict()
    rest = [labels(data_set) for data_set in two]
    assert sorted(sum(seen + rest, [])) == list(range(12))
    for ranks in (2, 4):
        found = []
        for rank in range(ranks):
            be(rank, ranks)
            data_set = make(rank, ranks)
            data_set.load_state_dict(state)
            found.append(labels(data_set))
        assert found == rest if ranks == 2 else sorted(sum(found, [])) == sorted(sum(rest, []))
    monkeypatch.undo()
    alone = make(0, 1)
    alone.load_state_dict(state)
    assert sorted(labels(alone)) == sorted(sum(rest, []))
    alone.load_state_dict(alone.state_dict())


def test_torch_python_function_on_samples() -> None:
    def work(x: Any) -> Any:
        assert isinstance(x, torch.Tensor) and x.shape == (2, 3)
        return x.T * 2, x.sum().to(torch.int64)

    @pipeline_def(batch_size=3, num_threads=1)
    def make() -> Any:
        return tuple(torch_python_function(numbers(), function=work, num_outputs=2, output_layouts=["XY"]))

    turned, sums = make().run()
    assert turned.as_array().shape == (3, 3, 2) and turned.layout() == "XY"
    assert sums.as_array().tolist() == [0, 6, 12] and sums.dtype == types.INT64


def test_torch_python_function_object_on_batches() -> None:
    def work(batch: Any) -> Any:
        assert len(batch) == 3
        return [torch.cat([x, x]) for x in batch]

    double = pytorch.TorchPythonFunction(work, batch_processing=True)
    assert double.device == "cpu"

    @pipeline_def(batch_size=3, num_threads=1)
    def make() -> Any:
        return double(numbers())

    assert make().run()[0].as_array().shape == (3, 4, 3)
    with pytest.raises(TypeError, match="must be callable"):
        torch_python_function(function=3)


def test_writing_to_an_input_does_not_reach_other_operators() -> None:
    def overwrite(x: Any) -> Any:
        return x.fill_(-1).clone()

    @pipeline_def(batch_size=3, num_threads=1)
    def make() -> Any:
        data = numbers()
        return torch_python_function(data, function=overwrite), data

    written, kept = make().run()
    assert (written.as_array() == -1).all() and (kept.as_array()[2] == 2).all()


def test_types_and_tensors() -> None:
    assert pytorch.to_torch_type[types.FLOAT16] is torch.float16

    @pipeline_def(batch_size=3, num_threads=1)
    def make() -> Any:
        return numbers() + np.float32(0)

    tensor = make().run()[0].as_tensor()
    shared, copied = to_torch_tensor(tensor, False), to_torch_tensor(tensor, True)
    assert shared.data_ptr() == tensor.data_ptr() and copied.data_ptr() != tensor.data_ptr()
    assert torch.equal(shared, copied)


@pytest.mark.filterwarnings("error")  # PyTorch's, of memory that may not be written
def test_read_only_memory_is_copied() -> None:
    frozen = np.arange(4, dtype=np.uint8)
    frozen.flags.writeable = False
    tensor = TensorCPU(frozen)
    for copy in (to_torch_tensor(tensor, False), to_torch_tensor(tensor, True), ndd.as_tensor(frozen).torch()):
        copy[0] = 9
    assert frozen.tolist() == [0, 1, 2, 3]
    assert feed_ndarray(tensor, torch.zeros(4, dtype=torch.uint8)).tolist() == [0, 1, 2, 3]


Row = collections.namedtuple("Row", "image number")


class Samples(torch.utils.data.Dataset):  # type: ignore[misc, unused-ignore]
    """Arrays that go through a proxy, in the forms that data sets have."""

    def __init__(self, transform: Any, form: str = "tuple", count: int = 10) -> None:
        self._transform = transform
        self._form = form
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> Any:
        image = self._transform(np.full((4, 2), index, np.float32))
        if self._form == "dict":
            return {"image": image, "number": index}
        return Row(image, index) if self._form == "row" else (image, index)


@pipeline_def(batch_size=4, num_threads=1)
def doubled() -> Any:
    return fn.external_source(name="x") * 2


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("form", ["tuple", "dict", "row"])
def test_a_pipeline_behind_a_loader(workers: int, form: str) -> None:
    with DALIServer(doubled()) as server:
        loader = DataLoader(server, Samples(server.proxy, form), batch_size=4, num_workers=workers)
        for _ in range(2):
            batches = list(loader)
            images = [batch["image"] if form == "dict" else batch[0] for batch in batches]
            assert [image[:, 0, 0].tolist() for image in images] == [[0, 2, 4, 6], [8, 10, 12, 14], [16, 18]]
            assert all(isinstance(batch, Row) for batch in batches) == (form == "row")
    assert not any(thread.name.startswith("forebay-proxy") for thread in __import__("threading").enumerate())


def test_the_loader_starts_the_server_where_it_does_not_run() -> None:
    server = DALIServer(doubled(), deterministic=True)
    loader = DataLoader(server, Samples(server.proxy), batch_size=2, shuffle=False)
    assert [int(image[0, 0, 0]) for image, _ in loader] == [0, 4, 8, 12, 16]
    assert server._executor is None
    with pytest.raises(RuntimeError, match="not running"):
        server.produce_data(3)


def test_several_inputs_and_outputs_run_the_pipeline_once() -> None:
    runs: list[int] = []

    def count(x: np.ndarray) -> np.ndarray:
        runs.append(1)
        return x

    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        a, b = fn.external_source(name="a"), fn.external_source(name="b")
        return fn.python_function(a, function=count) + b, a - b

    class Pairs(torch.utils.data.Dataset):  # type: ignore[misc, unused-ignore]
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> Any:
            return server.proxy(a=np.int32(10 * index), b=torch.tensor(index, dtype=torch.int32))

    with DALIServer(make()) as server:
        ((sums, differences),) = list(DataLoader(server, Pairs(), batch_size=2))
    assert (sums.tolist(), differences.tolist(), len(runs)) == ([0, 11], [0, 9], 2)
    with pytest.raises(ValueError, match=r"takes the inputs \(a=..., b=...\); it was given \(int, b=...\)"):
        server.proxy(3, b=4)


def test_an_error_of_the_pipeline_reaches_the_loop() -> None:
    @pipeline_def(batch_size=4, num_threads=1)
    def failing() -> Any:
        def refuse(x: np.ndarray) -> np.ndarray:
            raise KeyError("refused")

        return fn.python_function(fn.external_source(name="x"), function=refuse)

    with DALIServer(failing()) as server, pytest.raises(Exception, match="refused"):
        list(DataLoader(server, Samples(server.proxy), batch_size=4))


def test_what_a_server_refuses() -> None:
    with pytest.raises(TypeError, match="runs a Pipeline, not int"):
        DALIServer(3)

    @pipeline_def(batch_size=1, num_threads=1)
    def without() -> Any:
        return fn.random.uniform()

    with pytest.raises(RuntimeError, match="no fn.external_source"):
        DALIServer(without())
    with DALIServer(doubled()) as server, pytest.raises(ValueError, match="5 samples is more than .* batch_size=4"):
        list(DataLoader(server, Samples(server.proxy), batch_size=5))


def test_an_evaluator_logs_times(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    loader = torch.utils.data.DataLoader(list(range(6)), batch_size=2)
    evaluator = LoaderEvaluator(loader, metrics_file=tmp_path / "metrics.json")
    assert evaluator.get_metrics() == {} and len(evaluator) == 3
    assert [batch.tolist() for batch in evaluator] == [[0, 1], [2, 3], [4, 5]]
    metrics = evaluator.get_metrics()
    assert metrics["mode"] == "log" and metrics["total_batches"] == 3
    assert 0 <= metrics["min_batch_time"] <= metrics["avg_batch_time"] <= metrics["max_batch_time"] <= metrics["total_time"]
    evaluator.save_metrics()
    assert json.loads((tmp_path / "metrics.json").read_text()) == metrics
    evaluator.print_summary()
    assert "3 batches" in capsys.readouterr().out


def test_an_evaluator_replays_what_it_kept() -> None:
    loader = torch.utils.data.DataLoader(list(range(8)), batch_size=2)
    evaluator = LoaderEvaluator(loader, mode="replay", num_cached_batches=2)
    assert [batch.tolist() for batch in evaluator] == [[4, 5], [6, 7], [4, 5], [6, 7]]
    with pytest.raises(RuntimeError, match="no batch"):
        LoaderEvaluator([], mode="replay")
    with pytest.raises(ValueError, match="'log' or 'replay'"):
        LoaderEvaluator(loader, mode="play")
    with pytest.raises(ValueError, match="file name"):
        LoaderEvaluator(loader).save_metrics()
