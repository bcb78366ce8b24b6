"""Data sets of TensorFlow as inputs of a pipeline: epochs, states, and what breaks or ends."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from forebay import fn, pipeline_def  # noqa: E402
from forebay.plugin.base_iterator import LastBatchPolicy  # noqa: E402
from forebay.plugin.tf.experimental import DALIDatasetWithInputs, Input  # noqa: E402


@pipeline_def(batch_size=2, num_threads=1, enable_checkpointing=True)
def passing() -> Any:
    return fn.copy(fn.external_source(name="x"))


def numbers(count: int) -> Any:
    return tf.data.Dataset.from_tensor_slices(np.arange(count, dtype=np.int32))


def over(pipeline: Any, inputs: Any, **named: Any) -> Any:
    dtypes = (tf.int32,) * pipeline.num_outputs if pipeline.num_outputs > 1 else tf.int32
    return DALIDatasetWithInputs(pipeline, input_datasets=inputs, output_dtypes=dtypes, **named)


def passed(dataset: Any) -> list[list[int]]:
    return [batch[0].numpy().ravel().tolist() for batch in dataset]


def test_a_state_that_is_loaded_amid_a_pass_ends_with_its_epoch() -> None:
    dataset = over(passing(), {"x": numbers(6)}, size=6)
    steps = iter(dataset)
    next(steps)
    dataset.load_state_dict(dataset.state_dict())
    assert [batch[0].numpy().tolist() for batch in steps] == [[2, 3], [4, 5]]
    del steps
    assert [passed(dataset) for _ in range(2)] == [[[0, 1], [2, 3], [4, 5]]] * 2


def test_each_epoch_begins_with_the_first_of_the_inputs() -> None:
    for policy, wanted in (
        (LastBatchPolicy.DROP, [[0, 1], [2, 3]]), (LastBatchPolicy.PARTIAL, [[0, 1], [2, 3], [4]]),
    ):
        dataset = over(passing(), {"x": numbers(5)}, size=5, last_batch_policy=policy)
        assert [passed(dataset) for _ in range(3)] == [wanted] * 3


@pipeline_def(batch_size=2, num_threads=1)
def beside_a_source(batches: int) -> Any:
    def source(info: Any) -> np.ndarray:
        if info.iteration == batches:
            raise StopIteration
        return np.int32(info.idx_in_epoch)

    return fn.copy(fn.external_source(name="x")), fn.external_source(source, batch=False)


@pytest.mark.parametrize("named", [{}, {"size": 20}])
def test_a_source_that_ends_before_the_inputs(named: Any) -> None:
    pipeline = beside_a_source(2)
    dataset = over(pipeline, {"x": numbers(20)}, **named)
    for _ in range(3):
        pairs = [(x.numpy().tolist(), y.numpy().tolist()) for x, y in dataset]
        assert pairs == [([0, 1], [0, 1]), ([2, 3], [2, 3])]
        assert dataset.state_dict()["epochs"]["fed"] == 2
    steps = iter(dataset)
    next(steps)
    assert dataset.state_dict()["epochs"]["fed"] == 1


@pipeline_def(batch_size=2, num_threads=1, seed=1, enable_checkpointing=True)
def beside_a_reader(files: list[str], shard: int = 0, shards: int = 1) -> Any:
    labels = fn.readers.file(files=files, labels=list(range(len(files))), name="r", shard_id=shard, num_shards=shards)[1]
    return fn.copy(fn.external_source(name="x")), labels


@pytest.fixture
def files(tmp_path: pathlib.Path) -> list[str]:
    for number in range(12):
        (tmp_path / f"{number}.bin").write_bytes(b"x")
    return [str(tmp_path / f"{number}.bin") for number in range(12)]


def test_a_state_without_the_place_of_the_inputs_is_refused_and_changes_nothing(files: list[str]) -> None:
    def make(shard: int = 0, shards: int = 1, **named: Any) -> Any:
        return over(beside_a_reader(files, shard, shards, **named), {"x": numbers(12)}, reader_name="r")

    dataset = make()
    steps = iter(dataset)
    next(steps)
    state = dataset.state_dict()
    for fed in (None, -1, "2", True):
        epochs = {**state["epochs"], "fed": fed}
        with pytest.raises(ValueError, match="no valid 'fed'"):
            dataset.load_state_dict({**state, "epochs": epochs})
    states = []
    for shard in range(3):
        rank = make(shard, 3)
        next(iter(rank))
        states.append(rank.state_dict())
    with pytest.raises(RuntimeError, match="'x' cannot go on with another number of shards"):
        dataset.load_state_dict(states)
    assert [batch.numpy().ravel().tolist() for batch in next(steps)] == [[2, 3], [2, 3]]
    plain = beside_a_reader(files)
    plain.run(x=np.zeros((2,), np.int32))
    with pytest.raises(ValueError, match="does not say what the inputs"):
        make(checkpoint=plain.checkpoint())


def refusing(refused: int, count: int = 8) -> Any:
    """One of its elements is broken."""

    def check(number: Any) -> Any:
        with tf.control_dependencies([tf.debugging.assert_none_equal(number, refused, message="is refused")]):
            return tf.identity(number)

    return numbers(count).map(check)


def ragged(refused: int) -> Any:
    return refusing(refused).map(lambda number: tf.repeat(number, 1 + number % 1))


@pipeline_def(batch_size=2, num_threads=1)
def pairs_of_inputs() -> Any:
    return fn.copy(fn.external_source(name="a")), fn.copy(fn.external_source(name="b"))


def batches_of(refused: int) -> Any:
    return Input(refusing(refused // 2, 4).map(lambda number: tf.stack([2 * number, 2 * number + 1])), batch=True)


@pytest.mark.parametrize("breaking", ["a", "b"])
@pytest.mark.parametrize("broken", [refusing, ragged, batches_of])
@pytest.mark.parametrize("refused", [2, 3])
def test_inputs_stay_beside_each_other_past_a_broken_element(breaking: str, broken: Any, refused: int) -> None:
    def make() -> Any:
        inputs = {"a": numbers(8), "b": numbers(8), breaking: broken(refused)}
        return over(pairs_of_inputs(), inputs, size=8)

    dataset = make()
    states = []
    for _ in range(2):
        steps = iter(dataset)
        found: list[Any] = []
        while True:
            try:
                found.append([batch.numpy().ravel().tolist() for batch in next(steps)])
            except StopIteration:
                break
            except tf.errors.OpError as error:
                assert "is refused" in str(error)
                found.append(None)
            states.append(dataset.state_dict())
        assert found == [[[0, 1]] * 2, None, [[4, 5]] * 2, [[6, 7]] * 2]
        del steps
    resumed = make()
    resumed.load_state_dict(states[2])
    assert [batch.numpy().ravel().tolist() for batch in next(iter(resumed))] == [[6, 7]] * 2
