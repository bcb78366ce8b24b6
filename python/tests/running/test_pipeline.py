"""Pipelines: arguments, running, metadata, saving."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import forebay
from forebay import Pipeline, fn, pipeline_def, types
from forebay.graph.pipeline_arguments import parse_bytes

from sample_pipelines import augmented, labels_only


def test_main_job(photos: pathlib.Path) -> None:
    pipe = augmented(str(photos), batch_size=8)
    images, labels = pipe.run()
    assert images.shape() == [(3, 24, 24)] * 8
    assert (images.dtype, images.layout(), labels.dtype) == (types.FLOAT, "CHW", types.INT32)
    assert set(labels.as_array().ravel()) <= {0, 1, 2}
    assert images[0].source_info().endswith(".jpg")
    assert pipe.epoch_size("reader") == 37
    assert pipe.reader_meta("reader") == {
        "epoch_size": 37, "epoch_size_padded": 37, "number_of_shards": 1, "shard_id": 0, "pad_last_batch": 0,
        "stick_to_shard": 0,
    }
    assert pipe.epoch_size() == {"reader": 37}
    with pytest.raises(KeyError):
        pipe.reader_meta("nobody")


def test_steady_state_copies_nothing(photos: pathlib.Path) -> None:
    pipe = augmented(str(photos), batch_size=8, prefetch_queue_depth=1)
    for _ in range(3):
        pipe.run()
    before = forebay.bytes_copied()
    outputs = [pipe.run() for _ in range(4)]
    arrays = [images.as_array() for images, _ in outputs]
    assert forebay.bytes_copied() == before
    assert arrays[0].shape == (8, 3, 24, 24)


def test_batches_can_be_kept(photos: pathlib.Path) -> None:
    pipe = augmented(str(photos), batch_size=4)
    kept = [pipe.run()[0].as_array() for _ in range(12)]
    copies = [array.copy() for array in kept]
    for _ in range(12):
        pipe.run()
    pipe.close()
    for array, copy in zip(kept, copies):
        np.testing.assert_array_equal(array, copy)


def test_arguments_of_the_decorator_and_the_call(photos: pathlib.Path) -> None:
    @pipeline_def
    def bare(root: str, seed_of_mine: int = 3) -> Any:
        return fn.readers.file(file_root=root)[1]

    pipe = bare(str(photos), batch_size=5, num_threads=1, device_id=0, seed=-1, seed_of_mine=4)
    assert len(pipe.run()[0]) == 5
    assert pipe.seed >= 0
    with pytest.raises(TypeError, match="neither.*did you mean 'batch_size'"):
        bare(str(photos), batch_sise=3)
    with pytest.raises(TypeError, match="pipeline_def has no argument 'batch_sise'; did you mean 'batch_size'"):
        pipeline_def(batch_sise=3)
    assert bare.__name__ == "bare"


def test_a_function_may_take_arguments_of_the_pipeline() -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def make(device_id: int) -> Any:
        return types.Constant(np.int32([device_id]))

    assert make(device_id=4).run()[0].as_array().ravel().tolist() == [4, 4]


def test_the_older_ways_to_write_a_pipeline(photos: pathlib.Path) -> None:
    pipe = Pipeline(batch_size=3, num_threads=1, device_id=None, seed=0)
    with pipe:
        assert Pipeline.current() is pipe
        _, labels = fn.readers.file(file_root=str(photos), name="r")
        pipe.set_outputs(labels, 1.5)
    assert Pipeline.current() is None
    pipe.build()
    labels, number = pipe.run()
    assert number.as_array().tolist() == [1.5] * 3

    class Simple(Pipeline):
        def __init__(self) -> None:
            super().__init__(batch_size=2, num_threads=1, device_id=0)
            self.step = 0

        def define_graph(self) -> Any:
            self.source = fn.external_source(name="x")
            return self.source

        def iter_setup(self) -> None:
            self.feed_input(self.source, [np.int32(self.step)] * 2)
            self.step += 1

    simple = Simple()
    assert [int(simple.run()[0].at(0)) for _ in range(3)] == [0, 1, 2]


def test_schedule_share_release(photos: pathlib.Path) -> None:
    one, other = labels_only(str(photos), batch_size=4), labels_only(str(photos), batch_size=4)
    for _ in range(3):
        one.schedule_run()
        shared = one.share_outputs()[0].as_array()
        one.release_outputs()
        np.testing.assert_array_equal(shared, other.run()[0].as_array())
    assert not one.empty()  # the first call has started as many as are kept ready
    one.share_outputs()
    assert one.empty()
    with pytest.raises(RuntimeError, match="schedule_run"):
        one.share_outputs()


def test_an_output_may_be_given_twice(photos: pathlib.Path) -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        labels = fn.readers.file(file_root=str(photos))[1]
        return labels, labels

    first, second = make().run()
    np.testing.assert_array_equal(first.as_array(), second.as_array())


def test_promised_outputs() -> None:
    def make(**arguments: Any) -> Pipeline:
        with Pipeline(batch_size=1, num_threads=1, **arguments) as pipe:
            pipe.set_outputs(types.Constant(np.zeros((2, 2), np.float32)))
        return pipe

    make(output_dtype=types.FLOAT, output_ndim=2).run()
    with pytest.raises(RuntimeError, match="promised"):
        make(output_dtype=[types.UINT8]).run()
    with pytest.raises(RuntimeError):
        make(output_ndim=3).run()
    with pytest.raises(RuntimeError, match="2 entries for 1"):
        make(output_ndim=[2, 2])


def test_promised_layouts() -> None:
    def make(layout: Any) -> Pipeline:
        with Pipeline(batch_size=1, num_threads=1, output_layout=layout) as pipe:
            pipe.set_outputs(types.Constant(np.zeros((2, 2), np.uint8), layout="HW"), np.float32([1]))
        return pipe

    for right in (None, ["HW", None], ("HW", ""), ["HW", ""]):
        make(right).run()
    assert make(["HW", None]).output_layout() == ["HW", None]
    for wrong in ("HW", [None, "X"], ["WH", None], "HWCDEFGHIJK"):
        with pytest.raises(RuntimeError, match="output . was promised with the layout"):
            make(wrong).run()
    with pytest.raises(RuntimeError, match="output 0 was promised with the layout 'WH' and has 'HW'"):
        Pipeline.deserialize(make(["WH", None]).serialize()).run()
    with pytest.raises(RuntimeError, match="output_layout has 1 entries for 2"):
        make(["HW"])


@pytest.mark.parametrize(("promise", "error"), [
    ({"output_layout": 3}, TypeError), ({"output_layout": ["HW", 3]}, TypeError), ({"output_ndim": "2"}, TypeError),
    ({"output_ndim": -1}, ValueError), ({"output_dtype": types.NO_TYPE}, ValueError), ({"output_dtype": 99}, ValueError),
])
def test_promises_are_checked_when_given(promise: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(promise)) if promise != {"output_dtype": 99} else "99"):
        Pipeline(batch_size=1, **promise)


def test_a_missing_root_is_said_to_be_missing(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="gone: there is no such folder"):
        labels_only(tmp_path / "gone", batch_size=1).build()
    with pytest.raises(FileNotFoundError, match="is a file, not a folder"):
        labels_only(next(photos.rglob("*.jpg")), batch_size=1).build()
    with pytest.raises(FileNotFoundError, match="no subfolders; their names are the labels"):
        labels_only(photos / "class0", batch_size=1).build()


def test_wrong_arguments() -> None:
    for arguments in ({"batch_size": 0}, {"batch_size": 1, "num_threads": 0}, {"batch_size": 1, "on_error": "hide"}):
        with pytest.raises(ValueError):
            Pipeline(**arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="batch_size"):
        Pipeline().build()
    with pytest.raises(ValueError, match="prefetch"):
        Pipeline(batch_size=1, prefetch_queue_depth=0)
    with pytest.raises(NotImplementedError, match="set_outputs"):
        Pipeline(batch_size=1).build()
    with pytest.raises(FileNotFoundError):
        labels_only("/nowhere/at/all", batch_size=1).build()


def test_bytes_in_words() -> None:
    assert parse_bytes("256MiB") == 256 << 20
    assert parse_bytes("4 GB") == 4 * 10**9
    assert parse_bytes("1.5GiB") == 3 << 29
    assert parse_bytes(77) == 77
    assert parse_bytes(None) == 0
    for wrong in ("many", "3 stones", "-1"):
        with pytest.raises(ValueError):
            parse_bytes(wrong)


def test_memory_limit_and_accounts(photos: pathlib.Path) -> None:
    pipe = augmented(str(photos), batch_size=4, memory_limit="64MiB")
    kept = [pipe.run() for _ in range(20)]
    accounts = pipe.memory()
    assert accounts["limit"] == 64 << 20
    assert accounts["peak_working"] <= 64 << 20
    assert len(kept) == 20


@pytest.mark.parametrize("on_error", ["skip", "replace", "raise"])
@pytest.mark.parametrize("keeps", [False, True])
def test_no_policy_leaves_out_what_the_memory_limit_refuses(on_error: str, keeps: bool) -> None:
    sizes = np.full((6, 1), 1000, np.int32)
    sizes[3] = 64 << 20

    @pipeline_def(batch_size=2, num_threads=2, on_error=on_error, memory_limit="16MiB")
    def make() -> Any:
        made = fn.zeros(shape=fn.external_source([sizes[:2], sizes[2:4], sizes[4:]], cycle=True), dtype=types.UINT8)
        return fn.keep(made, where=True) if keeps else made

    pipe = make()
    for _ in range(2):
        assert pipe.run()[0].shape() == [(1000,)] * 2
        with pytest.raises(RuntimeError, match="67108864|64.0 MiB|64 MiB"):
            pipe.run()
        assert pipe.run()[0].shape() == [(1000,)] * 2


def test_saving_and_loading(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    pipe = augmented(str(photos), batch_size=4)
    data = pipe.serialize(filename=str(tmp_path / "pipe"))
    loaded = Pipeline.deserialize(data)
    from_file = Pipeline.deserialize(filename=str(tmp_path / "pipe"), num_threads=1)
    wanted = pipe.run()[0].as_array()
    np.testing.assert_array_equal(loaded.run()[0].as_array(), wanted)
    np.testing.assert_array_equal(from_file.run()[0].as_array(), wanted)
    assert from_file.num_threads == 1
    pipe.save_graph_to_dot_file(str(tmp_path / "graph.dot"))
    assert "readers.file" in (tmp_path / "graph.dot").read_text() or "reader" in (tmp_path / "graph.dot").read_text()
    with pytest.raises(ValueError):
        Pipeline.deserialize()


def test_explain_names_the_stages(photos: pathlib.Path) -> None:
    pipe = augmented(str(photos), batch_size=8)
    for _ in range(5):
        pipe.run()
    explanation = pipe.explain()
    assert explanation.bottleneck in ("loader", "consumer", "unknown")
    assert str(explanation)
    assert explanation.to_json().startswith("{")


def test_replay_gives_a_sample_again(photos: pathlib.Path) -> None:
    pipe = augmented(str(photos), batch_size=8)
    batches = [(pipe.run()[0].as_array().copy(), pipe.delivered()) for _ in range(7)]
    for images, samples in (batches[0], batches[6]):
        for place in (0, 5):
            who = samples[place]
            image, _ = pipe.replay(who["position"], who["epoch"])
            np.testing.assert_array_equal(image.as_array(), images[place])


def test_closed_pipelines_say_so(photos: pathlib.Path) -> None:
    pipe = labels_only(str(photos), batch_size=2)
    pipe.run()
    pipe.close()
    with pytest.raises(RuntimeError, match="closed"):
        pipe.run()
    with pytest.raises(RuntimeError, match="built"):
        with pipe:
            fn.random.coin_flip()


@pytest.mark.parametrize("broken", [2, 7])
def test_who_keeps_nothing_is_told_what_was_skipped(tmp_path: pathlib.Path, broken: int) -> None:
    for number in range(9):
        (tmp_path / str(number)).write_bytes(b"" if number < broken else b"whole")

    @pipeline_def(batch_size=4, num_threads=2, on_error="skip")
    def make() -> Any:
        return fn.keep(fn.readers.file(files=[str(tmp_path / str(number)) for number in range(9)])[0], where=False)

    with pytest.raises(RuntimeError, match="let no sample through for 2 epochs") as error:
        make().run()
    assert ("these and others were skipped" in str(error.value)) is (broken > 5)
    assert ("these were skipped" in str(error.value)) is (broken <= 5)


def test_permute_batch_and_keep(photos: pathlib.Path) -> None:
    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def make() -> Any:
        labels = fn.readers.file(file_root=str(photos))[1]
        return fn.permute_batch(labels, indices=[3, 2, 1, 0]), labels

    permuted, labels = make().run()
    np.testing.assert_array_equal(permuted.as_array(), labels.as_array()[::-1])

    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def filtered() -> Any:
        labels = fn.readers.file(file_root=str(photos))[1]
        kept = fn.keep(labels, where=labels != 1)
        return kept[0] if isinstance(kept, list) else kept

    (output,) = filtered().run()
    assert len(output) == 4 and 1 not in output.as_array()


@pytest.mark.parametrize("on_error", ["skip", "replace", "raise"])
def test_where_nothing_can_be_read_behind_keep(tmp_path: pathlib.Path, on_error: str) -> None:
    files = [tmp_path / f"{number}.jpg" for number in range(9)]
    for file in files:
        file.write_bytes(b"not a picture")

    @pipeline_def(batch_size=2, num_threads=2, on_error=on_error)
    def make() -> Any:
        contents, _ = fn.readers.file(files=[str(file) for file in files])
        return fn.keep(fn.decoders.image(contents), where=True)

    pipe = make()
    for _ in range(3):
        with pytest.raises(RuntimeError) as raised:
            pipe.run()
        named = [file for file in files if str(file) in str(raised.value)]
        assert len(named) == (5 if on_error == "skip" else 1), raised.value


def test_the_size_of_a_padded_epoch(photos: pathlib.Path) -> None:
    pipe = labels_only(str(photos), batch_size=4, num_shards=5, pad_last_batch=True)
    assert (pipe.epoch_size("reader"), pipe.epoch_size()) == (40, {"reader": 40})


@pytest.mark.parametrize(
    "arguments, error, words",
    [
        ({"memory_limit": 1e9}, TypeError, "memory_limit=1000000000.0 must be an integer or text"),
        ({"memory_limit": "lots"}, ValueError, "memory_limit='lots' is not a number of bytes"),
        ({"memory_limit": -1}, ValueError, "memory_limit=-1 must be at least 0"),
        ({"prefetch_queue_depth": 0}, ValueError, "prefetch_queue_depth=0 must be at least 1"),
        ({"prefetch_queue_depth": 2.0}, TypeError, "prefetch_queue_depth=2.0 must be an integer"),
        ({"batch_size": 2.0}, TypeError, "batch_size=2.0 must be an integer, not float"),
        ({"num_threads": "2"}, TypeError, "num_threads='2' must be an integer, not str"),
        ({"seed": 1.5}, TypeError, "seed=1.5 must be an integer"),
        ({"device_id": "0"}, TypeError, "device_id='0' must be an integer"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Pipeline(**arguments)


def test_integers_of_numpy_are_taken() -> None:
    two = np.int64(2)
    pipe = Pipeline(batch_size=two, num_threads=two, seed=two, prefetch_queue_depth=two, memory_limit=two)
    assert (pipe.max_batch_size, pipe.num_threads, pipe.seed, pipe._memory_limit) == (2, 2, 2, 2)


def test_what_is_no_state_is_refused() -> None:
    for wrong, error in ((None, TypeError), ({}, ValueError), ({"version": 1}, ValueError)):
        with pytest.raises(error, match="state_dict"):
            Pipeline(batch_size=1).load_state_dict(wrong)  # type: ignore[arg-type]
    for content, wanted in ((b"garbage", ValueError), (b"[]", ValueError), (b'{"a": 1}', ValueError), (5, TypeError)):
        with pytest.raises(wanted, match=r"serialize\(\)"):
            Pipeline.deserialize(content)  # type: ignore[arg-type]


@pytest.mark.parametrize("depth, batches", [(1, 1), (3, 3), ({"cpu_size": 2, "gpu_size": 5}, 5)])
def test_batches_to_feed_first(depth: Any, batches: int) -> None:
    with Pipeline(batch_size=2, num_threads=1, prefetch_queue_depth=depth) as pipe:
        pipe.set_outputs(fn.external_source(name="x"))
    assert pipe.input_feed_count("x") == batches
    with pytest.raises(KeyError, match="no external_source named 'y'"):
        pipe.input_feed_count("y")
    for number in range(batches):
        pipe.feed_input("x", np.full((2, 1), number))
    for number in range(batches):
        assert pipe.run()[0].as_array().tolist() == [[number], [number]]
        pipe.feed_input("x", np.full((2, 1), -1))


def test_who_the_samples_are_is_a_sequence() -> None:
    pipe = Pipeline(batch_size=4, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(fn.random.uniform())
    pipe.run()
    delivered = pipe._delivered
    places = [sample.index_in_batch for sample in delivered]
    assert places == [0, 1, 2, 3]
    assert (delivered[-1].index_in_batch, delivered[-4].index_in_batch) == (3, 0)
    assert [sample.index_in_batch for sample in delivered[-1:0:-2]] == [3, 1]
    assert delivered[4:] == []
    for place in (4, -5):
        with pytest.raises(IndexError):
            delivered[place]
