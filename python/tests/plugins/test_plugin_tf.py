"""Pipelines as data sets of TensorFlow, and data sets as their inputs."""

from __future__ import annotations

import gc
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

import forebay  # noqa: E402
from forebay import Pipeline, fn, pipeline_def  # noqa: E402
from forebay.plugin import tf as plugin  # noqa: E402
from forebay.plugin.base_iterator import LastBatchPolicy  # noqa: E402
from forebay.plugin.tf import DALIDataset  # noqa: E402
from forebay.plugin.tf.experimental import DALIDatasetWithInputs, Input  # noqa: E402
from photographs import make_photo  # noqa: E402


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("numbered")
    for number in range(6):
        make_photo(folder / f"{number}.jpg", number, 16, 24)
    (folder / "list.txt").write_text("".join(f"{number}.jpg {number}\n" for number in range(6)))
    return str(folder)


@pipeline_def(batch_size=2, num_threads=1, seed=1)
def pictures(root: str) -> Any:
    jpegs, labels = fn.readers.file(file_root=root, file_list=str(pathlib.Path(root) / "list.txt"), name="r")
    return fn.decoders.image(jpegs), labels


def test_batches_of_a_reader(root: str) -> None:
    dataset = DALIDataset(
        pictures(root), batch_size=3, output_shapes=((3, 24, 16, 3), (None, 1)), output_dtypes=(tf.uint8, tf.int32),
        device_id=None,
    )
    assert isinstance(dataset, tf.data.Dataset)
    assert [spec.shape.as_list() for spec in dataset.element_spec] == [[3, 24, 16, 3], [None, 1]]
    batches = [(images.numpy(), labels.numpy().ravel().tolist()) for images, labels in dataset.take(3)]
    assert [labels for _, labels in batches] == [[0, 1, 2], [3, 4, 5], [0, 1, 2]]
    wanted = pictures(root, batch_size=3).run()[0].as_array()
    np.testing.assert_array_equal(batches[0][0], wanted)


def test_each_iterator_starts_anew_and_they_run_at_a_time(root: str) -> None:
    dataset = DALIDataset(pictures(root), output_dtypes=(tf.uint8, tf.int32))
    first, second = iter(dataset), iter(dataset)
    assert next(first)[1].numpy().ravel().tolist() == [0, 1]
    assert next(first)[1].numpy().ravel().tolist() == [2, 3]
    assert next(second)[1].numpy().ravel().tolist() == [0, 1]


def test_under_a_compiled_step_and_keras_like_map(root: str) -> None:
    dataset = DALIDataset(pictures(root), output_dtypes=(tf.uint8, tf.int32)).map(lambda image, label: (image[:, :2], label))

    @tf.function
    def total(images: Any) -> Any:
        return tf.reduce_sum(tf.cast(images, tf.int64))

    sums = [int(total(images)) for images, _ in dataset.prefetch(2).take(2)]
    wanted = pictures(root)
    assert sums == [int(wanted.run()[0].as_array()[:, :2].astype(np.int64).sum()) for _ in range(2)]


def test_an_iterator_that_is_dropped_closes_its_pipeline(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Any] = []
    monkeypatch.setattr(Pipeline, "close", lambda self: closed.append(self))
    dataset = DALIDataset(pictures(root), output_dtypes=(tf.uint8, tf.int32))
    for _ in range(2):
        iterator = iter(dataset)
        next(iterator)
        del iterator
        gc.collect()
    assert len(closed) == 2


@pipeline_def(batch_size=3, num_threads=1)
def counting() -> Any:
    def source(info: Any) -> np.ndarray:
        if info.iteration == 2:
            raise StopIteration
        return np.float32(info.idx_in_epoch)

    return fn.external_source(source, batch=False)


def test_a_source_that_ends_is_an_epoch() -> None:
    dataset = DALIDataset(counting(), output_dtypes=tf.float32, output_shapes=(3,))
    for _ in range(2):
        assert [batch.numpy().tolist() for (batch,) in dataset] == [[0, 1, 2], [3, 4, 5]]
    assert len(list(dataset.repeat(2))) == 4


def test_a_pipeline_with_a_source_has_one_iterator_at_a_time() -> None:
    dataset = DALIDataset(counting(), output_dtypes=tf.float32)
    first = iter(dataset)
    next(first)
    with pytest.raises(Exception, match="one iterator at a time"):
        next(iter(dataset))


@pipeline_def(batch_size=2, num_threads=1)
def adding() -> Any:
    return fn.external_source(name="a") + fn.external_source(name="b")


def test_data_sets_as_inputs() -> None:
    samples = tf.data.Dataset.from_tensor_slices(np.arange(10, dtype=np.int32).reshape(5, 2))
    batches = tf.data.Dataset.from_tensor_slices(np.full((4, 2, 2), 100, np.int32))
    dataset = DALIDatasetWithInputs(
        adding(), input_datasets={"a": samples, "b": Input(batches, batch=True)}, output_dtypes=tf.int32
    )
    for _ in range(2):
        got = [batch.numpy()[:, 0].tolist() for (batch,) in dataset.take(2)]
        assert got == [[100, 102], [104, 106]]


def test_samples_of_different_shapes_as_inputs() -> None:
    def generate() -> Any:
        for size in range(1, 5):
            yield np.full(size, size, np.float32)

    ragged = tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec([None], tf.float32))

    @pipeline_def(batch_size=2, num_threads=1)
    def padded() -> Any:
        return fn.pad(fn.external_source(name="x"), shape=[4])

    dataset = DALIDatasetWithInputs(
        padded(), input_datasets={"x": Input(ragged, layout="A")}, output_dtypes=tf.float32, output_shapes=(None, 4)
    )
    got = [batch.numpy().sum(axis=1).tolist() for (batch,) in dataset]
    assert got == [[1, 4], [9, 16]]


def test_a_wrong_type_or_shape_is_an_error(root: str) -> None:
    with pytest.raises(Exception, match="is uint8; `output_dtypes` says float32"):
        next(iter(DALIDataset(pictures(root), output_dtypes=(tf.float32, tf.int32))))
    with pytest.raises(Exception, match=r"output 0 of the pipeline has the shape \(2, 24, 16, 3\); `output_shapes` says"):
        next(iter(DALIDataset(pictures(root), output_dtypes=(tf.uint8, tf.int32), output_shapes=((2, 9, 9, 3), (2, 1)))))
    with pytest.raises(Exception, match="2 outputs; `output_dtypes` has 1"):
        next(iter(DALIDataset(pictures(root), output_dtypes=tf.uint8)))


def sequence_of(dataset: Any, seen: list[list[int]]) -> Any:
    """The labels as what a network of one input learns; `seen` gets what TensorFlow takes."""

    def note(labels: Any) -> Any:
        seen.append(labels.numpy().ravel().tolist())
        return labels

    def learnt(_: Any, labels: Any) -> Any:
        (noted,) = tf.py_function(note, [labels], [tf.int32])
        noted.set_shape(labels.shape)
        values = tf.cast(noted, tf.float32)
        return values, values

    return dataset.map(learnt)


def network() -> Any:
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    return model


SHAPES = ((None, 24, 16, 3), (None, 1))
DTYPES = (tf.uint8, tf.int32)


def test_a_pass_of_fit_is_an_epoch(root: str) -> None:
    @pipeline_def(batch_size=4, num_threads=1, seed=1)
    def shuffled() -> Any:
        jpegs, labels = fn.readers.file(file_root=root, file_list=f"{root}/list.txt", name="r", random_shuffle=True)
        return fn.decoders.image(jpegs), labels

    dataset = DALIDataset(
        shuffled(), output_shapes=SHAPES, output_dtypes=DTYPES, reader_name="r", last_batch_policy=LastBatchPolicy.PARTIAL
    )
    assert len(dataset) == 2
    seen: list[list[int]] = []
    history = network().fit(sequence_of(dataset, seen), epochs=3, verbose=0).history["loss"]
    assert len(history) == 3
    assert [len(batch) for batch in seen] == [4, 2] * 3
    epochs = [seen[place] + seen[place + 1] for place in (0, 2, 4)]
    assert sorted(epochs[0]) == [0, 1, 2, 3, 4, 5]
    assert len({tuple(epoch) for epoch in epochs}) > 1  # each is shuffled anew


@pytest.mark.parametrize("named", [{}, {"reader_name": "r"}])
def test_a_state_of_what_fit_has_taken(root: str, named: Any) -> None:
    dataset = DALIDataset(pictures(root), output_shapes=SHAPES, output_dtypes=DTYPES, **named)
    seen: list[list[int]] = []
    network().fit(sequence_of(dataset, seen), epochs=1, steps_per_epoch=2, verbose=0)
    assert seen == [[0, 1], [2, 3]]
    state = dataset.state_dict()
    resumed = DALIDataset(pictures(root), output_shapes=SHAPES, output_dtypes=DTYPES, **named)
    resumed.load_state_dict(state)
    assert next(iter(resumed))[1].numpy().ravel().tolist() == [4, 5]


def test_states_of_data_sets_without_epochs(root: str) -> None:
    dataset = DALIDataset(pictures(root, enable_checkpointing=True), output_dtypes=DTYPES)
    assert dataset.state_dict() == dataset.state_dict()
    list(dataset.take(2))
    gc.collect()
    (checkpoint,) = dataset.checkpoints()
    assert next(iter(dataset))[1].numpy().ravel().tolist() == [0, 1]  # iterators begin at the start
    going_on = DALIDataset(pictures(root, checkpoint=checkpoint), output_dtypes=DTYPES)
    assert next(iter(going_on))[1].numpy().ravel().tolist() == [4, 5]
    with pytest.raises(ValueError, match="enable_checkpointing=True"):
        DALIDataset(pictures(root), output_dtypes=DTYPES).checkpoints()
    with pytest.raises(ValueError, match="not the state of an iterator"):
        dataset.load_state_dict({})


def test_a_data_set_with_epochs_has_one_iterator_at_a_time(root: str) -> None:
    dataset = DALIDataset(pictures(root), output_dtypes=DTYPES, reader_name="r")
    first = iter(dataset)
    next(first)
    with pytest.raises(Exception, match="has epochs, so it has one iterator at a time"):
        next(iter(dataset))


@pytest.mark.parametrize("named", [{}, {"size": 10}])
def test_inputs_go_on_from_a_state(named: Any) -> None:
    samples = tf.data.Dataset.from_tensor_slices(np.arange(20, dtype=np.int32).reshape(10, 2))
    batches = tf.data.Dataset.from_tensor_slices(np.full((5, 2, 2), 100, np.int32))

    def make() -> Any:
        inputs = {"a": samples, "b": Input(batches, batch=True)}
        return DALIDatasetWithInputs(adding(), input_datasets=inputs, output_dtypes=tf.int32, **named)

    dataset = make()
    states, wanted = [], []
    for (batch,) in dataset:
        wanted.append(batch.numpy()[:, 0].tolist())
        states.append(dataset.state_dict())
    assert wanted == [[100 + 4 * place, 102 + 4 * place] for place in range(5)]
    for place, state in enumerate(states, 1):
        resumed = make()
        resumed.load_state_dict(state)
        rest = wanted[place:] or (wanted if named else [])  # behind the last batch of an epoch comes the next one
        assert [batch.numpy()[:, 0].tolist() for (batch,) in resumed] == rest


def test_batches_of_inputs_are_not_copied() -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def passing() -> Any:
        return fn.external_source(name="x") + np.float32(1)

    data = tf.data.Dataset.from_tensor_slices(np.zeros((6, 1000), np.float32))
    dataset = DALIDatasetWithInputs(passing(), input_datasets={"x": data}, output_dtypes=tf.float32)
    before = forebay.bytes_copied()
    assert [float(batch.numpy().sum()) for (batch,) in dataset] == [2000.0] * 3
    assert forebay.bytes_copied() == before


@pytest.mark.parametrize("offset", [0, 16])
def test_memory_is_taken_as_it_lies_where_it_is_aligned(offset: int) -> None:
    memory = np.arange(2000, dtype=np.uint8)
    first = -memory.ctypes.data % 64 + offset
    batch = memory[first : first + 1280].reshape(2, 640)

    @pipeline_def(batch_size=2, num_threads=1)
    def given() -> Any:
        return fn.external_source(lambda: batch, no_copy=True)

    steps = iter(DALIDataset(given(), output_dtypes=tf.uint8))
    before = forebay.bytes_copied()
    (taken,) = next(steps)
    np.testing.assert_array_equal(taken.numpy(), batch)
    assert forebay.bytes_copied() - before == (1280 if offset else 0)
    assert (np.asarray(memoryview(taken)).ctypes.data == batch.ctypes.data) == (offset == 0)


def test_a_pipeline_that_cannot_be_made_anew_keeps_its_batch_size() -> None:
    with pytest.raises(ValueError, match="batch_size=3, not 4"):
        DALIDataset(counting(), output_dtypes=tf.float32, batch_size=4)
    assert next(iter(DALIDataset(counting(), output_dtypes=tf.float32, batch_size=3)))[0].shape == (3,)


def test_a_data_set_is_not_pickled(root: str) -> None:
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(DALIDataset(pictures(root), output_dtypes=DTYPES))


DATA = tf.data.Dataset.from_tensors(np.int32(1))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: DALIDatasetWithInputs(adding(), output_dtypes=tf.int32), ValueError, r"nothing for .*\['a', 'b'\]"),
        (lambda: DALIDatasetWithInputs(adding(), input_datasets={"c": DATA}, output_dtypes=tf.int32), ValueError, "'c'"),
        (lambda: DALIDatasetWithInputs(adding(), input_datasets={"a": 3}, output_dtypes=tf.int32), TypeError, "not int"),
        (lambda: DALIDatasetWithInputs(adding(), input_datasets=[DATA], output_dtypes=tf.int32), TypeError, "by name"),
        (lambda: DALIDatasetWithInputs(adding(), input_datasets={1: DATA}, output_dtypes=tf.int32), TypeError, "1 is none"),
        (lambda: DALIDataset(adding(), input_datasets={}, output_dtypes=tf.int32), TypeError, "takes no `input_datasets`"),
        (lambda: DALIDataset(counting(), output_dtypes="int32"), TypeError, "must be a tf.DType"),
        (lambda: DALIDataset(counting()), TypeError, "must be a tf.DType"),
        (lambda: DALIDataset(counting(), output_dtypes=tf.int32, dtypes=tf.int32), ValueError, "give `output_dtypes`"),
        (
            lambda: DALIDataset(counting(), output_dtypes=(tf.float32,), output_shapes=((1,), (2,))),
            ValueError,
            "2 shapes for 1 outputs",
        ),
    ],
)
def test_what_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_older_names_and_facts(root: str) -> None:
    dataset = DALIDataset(counting(), dtypes=[tf.float32], shapes=[(3,)])
    assert next(iter(dataset))[0].shape == (3,)
    assert plugin.dataset_compatible_tensorflow() and plugin.dataset_inputs_compatible_tensorflow()
    assert plugin.dataset_distributed_compatible_tensorflow()
    assert plugin.serialize_pipeline(pictures(root)) == pictures(root).serialize()
    with pytest.raises(AttributeError, match="TensorFlow 1's graphs; use DALIDataset"):
        plugin.DALIIterator
