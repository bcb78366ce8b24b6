"""What a pipeline was told about DALI's executors can be asked back; sinks; the graph as a picture."""

from __future__ import annotations

import pathlib
import warnings
from typing import Any

import numpy as np
import pytest

from forebay import Pipeline, fn, pipeline_def
from forebay.pipeline import OperatorConcurrency, StreamPolicy
from forebay.plugin.numpy import NumpyIterator


def test_the_defaults_are_dalis() -> None:
    pipe = Pipeline(3, 2)
    facts = ["exec_pipelined", "exec_async", "exec_dynamic", "exec_separated", "set_affinity", "enable_memory_stats"]
    assert [getattr(pipe, name) for name in facts] == [True, True, True, False, False, False]
    assert (pipe.stream_policy, pipe.concurrency, pipe.max_streams, pipe.default_cuda_stream_priority) == (None, None, -1, 0)
    assert (pipe.cpu_queue_size, pipe.gpu_queue_size, pipe.py_num_workers, pipe.py_start_method) == (2, 2, 1, "fork")


def test_what_was_given_is_what_is_told() -> None:
    queues = {"cpu_size": 3, "gpu_size": 4}
    pipe = Pipeline(
        3, 2, prefetch_queue_depth=queues, exec_pipelined=False, set_affinity=True, enable_memory_stats=True,
        stream_policy=StreamPolicy.SINGLE, concurrency=OperatorConcurrency.FULL, py_num_workers=5, py_start_method="spawn",
    )
    assert (pipe.exec_separated, pipe.cpu_queue_size, pipe.gpu_queue_size) == (True, 3, 4)
    assert (pipe.exec_pipelined, pipe.exec_dynamic, pipe.set_affinity, pipe.enable_memory_stats) == (False, None, True, True)
    assert (pipe.stream_policy, pipe.concurrency) == (StreamPolicy.SINGLE, OperatorConcurrency.FULL)
    assert (pipe.py_num_workers, pipe.py_start_method) == (5, "spawn")
    assert pipe.prefetch_queue_depth == queues
    assert Pipeline(1, exec_async=False).exec_dynamic is None
    assert Pipeline(1, exec_dynamic=False).exec_dynamic is False
    assert Pipeline(1, exec_pipelined=False, prefetch_queue_depth=4).prefetch_queue_depth == 4


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"stream_policy": "single"}, TypeError, "must be one of StreamPolicy"),
        ({"concurrency": 1}, TypeError, "must be one of OperatorConcurrency"),
        ({"exec_async": False, "prefetch_queue_depth": {"cpu_size": 1, "gpu_size": 1}}, ValueError, "separate queues"),
    ],
)
def test_what_is_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Pipeline(1, **arguments)


@pytest.mark.parametrize(("name", "value"), [("max_streams", -1), ("default_cuda_stream_priority", 0)])
def test_what_is_deprecated_warns(name: str, value: int) -> None:
    with pytest.warns(Warning, match=f"`{name}` is deprecated"):
        pipe = Pipeline(1, **{name: 3})
    assert getattr(pipe, name) == value
    with pytest.warns(Warning, match="use `max_batch_size`"):
        assert pipe.batch_size == 1
    with pytest.warns(Warning, match="use `exec_dynamic`"):
        assert not Pipeline(1, experimental_exec_dynamic=False).exec_dynamic


def test_the_warning_is_about_the_line_of_the_caller() -> None:
    class Own(Pipeline):
        def __init__(self) -> None:
            super().__init__(1, max_streams=1)

    @pipeline_def(batch_size=1, num_threads=1, max_streams=1)
    def decorated() -> Any:
        return fn.external_source(name="data")

    makers: list[Any] = [Own, lambda: Pipeline(1, max_streams=1), decorated, lambda: decorated(debug=True)]
    makers += [lambda: Pipeline(1, experimental_exec_dynamic=False)]
    for make in makers:
        with pytest.warns(Warning) as noted:
            make()
        assert [warning.filename for warning in noted] == [__file__]
    with pytest.warns(DeprecationWarning, match="fill_last_batch") as noted:
        NumpyIterator(small(), ["a", "b"], fill_last_batch=True, prepare_first_batch=False)
    assert noted[0].filename == __file__


@pipeline_def(batch_size=2, num_threads=1)
def small() -> Any:
    data = fn.external_source(name="data")
    return fn.resize(data, size=[2.0, 2.0], name='a "resize"'), data + 1


def test_run_takes_a_stream_and_inputs() -> None:
    pipe = small()
    batch = [np.zeros((4, 4, 3), np.uint8)] * 2
    first, second = pipe.run(None, data=batch)
    assert first.as_array().shape == (2, 2, 2, 3) and int(second.as_array().max()) == 1
    pipe.feed_input("data", batch, cuda_stream=None)
    pipe.enable_api_check(False)
    pipe.schedule_run()
    assert len(pipe.share_outputs(cuda_stream=None)) == 2
    pipe.feed_input("data", batch)
    pipe.schedule_run()
    assert len(pipe.outputs(None)) == 2
    assert pipe.input_feed_count(input_name="data") == 2
    assert (pipe.executor_statistics(), pipe.output_stream()) == ({}, None)
    assert pipe.external_source_shm_statistics() == {"capacities": [], "per_sample_capacities": []}


def test_a_sink_is_computed_though_no_output_needs_it() -> None:
    seen: list[int] = []

    def note(value: np.ndarray) -> np.ndarray:
        seen.append(int(value))
        return value

    @pipeline_def(batch_size=3, num_threads=1, prefetch_queue_depth=1)
    def make(sinks: bool) -> Any:
        numbers = fn.external_source(lambda i: [np.int32(10 * i + k) for k in range(3)])
        noted = fn.python_function(numbers, function=note, preserve=False)
        if sinks:
            Pipeline.current().add_sink(noted + 0)
        return numbers

    make(False).run()
    assert seen == []
    pipe = make(True)
    assert pipe.num_outputs == 1
    assert pipe.run()[0].as_array().tolist() == [0, 1, 2]
    pipe.close()
    assert seen[:3] == [0, 1, 2]
    with pytest.raises(TypeError, match="takes a DataNode, not int"):
        Pipeline(1).add_sink(3)  # type: ignore[arg-type]


def test_the_graph_as_a_picture(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "graph.dot"
    small().save_graph_to_dot_file(str(path))
    plain = path.read_text()
    assert plain.startswith("digraph") and 'label="a \\"resize\\""' in plain and "color" not in plain
    with pytest.warns(DeprecationWarning, match="show_ids"):
        small().save_graph_to_dot_file(str(path), show_tensors=True, use_colors=True, show_ids=True)
    full = path.read_text()
    assert 'color="blue"' in full and "t0_0" in full and full.count("->") > plain.count("->")


def test_a_seed_without_random_numbers_warns() -> None:
    def write() -> Any:
        fn.random.uniform(seed=1)
        fn.python_function(fn.cast(np.ones(1), dtype=np.int32, seed=1), function=np.copy, seed=1)
        return np.ones(1)

    with pytest.warns(DeprecationWarning) as noted:
        pipeline_def(write, batch_size=1, num_threads=1)()
    assert [str(warning.message).partition(" ")[0] for warning in noted] == ["fn.cast", "fn.python_function"]


@pytest.mark.parametrize(
    ("source", "message"),
    [([[np.ones(1)]], "has to give the same data again"), (lambda: [np.ones(1)], "has to find its place")],
)
def test_checkpoints_of_sources_with_a_state_warn(source: Any, message: str) -> None:
    @pipeline_def(batch_size=1, num_threads=1, enable_checkpointing=True)
    def reading(source: Any) -> Any:
        return fn.external_source(source)

    with pytest.warns(UserWarning, match=message):
        reading(source)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reading(lambda index: [np.ones(1)])


def test_a_pipeline_is_empty_where_its_data_has_ended() -> None:
    @pipeline_def(batch_size=1, num_threads=1, prefetch_queue_depth=2)
    def reading() -> Any:
        return fn.external_source([[np.int32(0)], [np.int32(1)]], cycle="raise")

    pipe = reading()
    for _ in range(2):
        pipe.schedule_run()
        assert [int(pipe.share_outputs()[0].at(0)) for _ in range(2)] == [0, 1]
        assert pipe.empty()
        pipe.schedule_run()
        with pytest.raises(StopIteration):
            pipe.share_outputs()
        assert pipe.empty()
        pipe.reset()
