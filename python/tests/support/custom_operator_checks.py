"""What test_custom_operators.py runs, each check in a process of its own: a library, once loaded, stays.

    custom_operator_checks.py CHECK LIBRARY ARGUMENT...
"""

from __future__ import annotations

import inspect
import os
import pathlib
import sys
import threading
from typing import Any

import numpy as np
import pytest

import forebay
from forebay import Pipeline, fn, ops, pipeline_def, plugin_manager, types
from forebay import backend_impl

custom: Any = fn  # its modules of loaded libraries are no part of its stubs


def _arrays(output: Any) -> list[np.ndarray]:
    return [np.array(sample) for sample in output]


def _run(pipe: Pipeline, batches: int = 1) -> list[list[np.ndarray]]:
    """All samples, sample by sample, each a list of outputs."""
    rows: list[list[np.ndarray]] = []
    for _ in range(batches):
        rows += [list(row) for row in zip(*map(_arrays, pipe.run()))]
    return rows


def _counted(batch_size: int = 4, **settings: Any) -> Any:
    """A decorator: a pipeline definition with so many samples a batch."""
    return pipeline_def(**{"batch_size": batch_size, "num_threads": 3, "seed": 5, **settings})


def functions_and_classes(library: str) -> None:
    assert not hasattr(fn, "plugin_test")
    plugin_manager.load_library(library)
    scale = custom.plugin_test.scale
    parameters = inspect.signature(scale).parameters
    assert list(parameters) == ["data", "factor", "dtype", "device", "name"]
    assert parameters["factor"].default == 1.0
    assert "Multiplies by a number." in scale.__doc__ and ":param factor: By how much." in scale.__doc__
    assert "seed" in inspect.signature(custom.plugin_test.noise).parameters
    assert "plugin_test" in dir(fn) and dir(custom.plugin_test) == ["every_kind", "fails", "noise", "scale", "split"]
    with pytest.raises(AttributeError, match="did you mean 'plugin_test.scale'"):
        custom.plugin_test.scaly
    schema = backend_impl.GetSchema("plugin_test__EveryKind")
    assert schema.IsTensorArgument("sometimes") and not schema.IsArgumentOptional("needed")
    assert "plugin_test__Scale" in ops.cpu_ops()
    made = ops.python_op_factory("plugin_test__Scale")(factor=2.0)
    assert made.schema_name == "plugin_test__Scale"

    @_counted(batch_size=1)
    def doubled() -> Any:
        return made(types.Constant(np.array([1, 2], np.uint8)))

    assert _run(doubled())[0][0].tolist() == [2, 4]


def arguments_a_sample(library: str) -> None:
    plugin_manager.load_library(os.fsencode(library))
    plugin_manager.load_library(pathlib.Path(library))

    @_counted(batch_size=3)
    def scaled() -> Any:
        data = fn.external_source(lambda info: np.full((info.idx_in_batch + 1, 2), 10, np.uint8), batch=False, layout="HW")
        factor = fn.external_source(lambda info: np.float32(info.idx_in_batch), batch=False)
        first, second = custom.plugin_test.split(fn.stack(data, data), parts=2)
        return custom.plugin_test.scale(data, factor=factor, dtype=types.INT32), first, second

    (batch, first, _) = scaled().run()
    assert batch.layout() == "HW" and batch.dtype == types.INT32
    for index, sample in enumerate(_arrays(batch)):
        assert sample.shape == (index + 1, 2) and (sample == 10 * index).all()
        assert _arrays(first)[index].shape == (1, index + 1, 2)


def same_numbers_whatever_the_batch(library: str) -> None:
    plugin_manager.load_library(library)

    def numbers(batch_size: int, threads: int, **settings: Any) -> list[list[float]]:
        @_counted(batch_size=batch_size, num_threads=threads)
        def drawn() -> Any:
            return custom.plugin_test.noise(shape=[5], **settings)

        return [row[0].tolist() for row in _run(drawn(), 12 // batch_size)]

    expected = numbers(1, 1)
    assert len({tuple(row) for row in expected}) == 12
    assert numbers(4, 3) == numbers(12, 2) == expected
    assert numbers(4, 1, seed=9) != expected


def checkpoints(library: str) -> None:
    plugin_manager.load_library(library)

    @_counted(enable_checkpointing=True)
    def drawn() -> Any:
        return custom.plugin_test.noise(shape=fn.random.uniform(range=(1, 6), dtype=types.INT32, shape=[1]))

    pipe = drawn()
    pipe.run()
    saved = pipe.checkpoint()
    expected = _run(pipe, 2)
    again = _run(drawn(checkpoint=saved), 2)
    assert all((a == b).all() for one, other in zip(expected, again) for a, b in zip(one, other))


def conditionals(library: str) -> None:
    plugin_manager.load_library(library)

    @_counted(enable_conditionals=True)
    def branched() -> Any:
        index = fn.external_source(lambda info: np.uint8(info.idx_in_batch), batch=False)
        if index % 2 == 0:
            out = custom.plugin_test.scale(index, factor=10.0)
        else:
            out = fn.cast(index, dtype=types.FLOAT)
        return out

    assert [float(row[0]) for row in _run(branched())] == [0, 1, 20, 3]


def debug_mode(library: str) -> None:
    @_counted(debug=True)
    def scaled() -> Any:
        return custom.plugin_test.scale(types.Constant(np.array([3], np.uint8)), factor=2.0)

    @_counted(debug=True)
    def copied() -> Any:
        return fn.copy(types.Constant(np.array([3], np.uint8)))

    copied().run()
    plugin_manager.load_library(library)
    assert _arrays(scaled().run()[0])[0].tolist() == [6]


def saving(library: str, file: str) -> None:
    plugin_manager.load_library(library)

    @_counted()
    def scaled() -> Any:
        return custom.plugin_test.scale(types.Constant(np.array([3], np.uint8)), factor=2.0, name="two")

    data = scaled().serialize(filename=file)
    assert data == scaled().serialize()
    assert _run(Pipeline.deserialize(data))[0][0].tolist() == [6]


def reading_what_was_saved(library: str, file: str) -> None:
    with pytest.raises(RuntimeError, match=r"'plugin_test.scale' is of the library 'libforebay_good.so', which is not loaded"):
        Pipeline.deserialize(filename=file)
    plugin_manager.load_library(library)
    assert _run(Pipeline.deserialize(filename=file))[0][0].tolist() == [6]


def errors(library: str) -> None:
    plugin_manager.load_library(library)

    def failing(how: str, **settings: Any) -> Pipeline:
        @_counted(**settings)
        def failed() -> Any:
            index = fn.external_source(lambda info: np.full(info.idx_in_epoch % 3, 1, np.uint8), batch=False)
            return custom.plugin_test.fails(index, how=how, name="tap")

        return failed()

    for how, text in {
        "exception": "the operator threw: a tap was left open", "status": "the bytes are broken",
        "number": "no std::exception", "in output_spec": "no spec today", "in parallel": "item 3",
    }.items():
        with pytest.raises(forebay.SampleError, match=text) as raised:
            failing(how).run()
        assert raised.value.operator == "tap" and raised.value.position == 0
    with pytest.raises(forebay.SampleError) as raised:
        failing("memory").run()
    assert isinstance(raised.value.__cause__, MemoryError)
    assert len(_run(failing("no way"))) == 4


def arguments_that_are_refused(library: str) -> None:
    plugin_manager.load_library(library)

    @_counted()
    def scaled(**arguments: Any) -> Any:
        return custom.plugin_test.scale(types.Constant(np.array([3], np.uint8)), **arguments)

    with pytest.raises(ValueError, match="plugin_test.scale: factor is -2, which is negative"):
        scaled(factor=-2).build()
    with pytest.raises(TypeError, match="no argument 'fctor'; did you mean 'factor'"):
        scaled(fctor=1).build()
    with pytest.raises(TypeError, match="'dtype' is the same for all samples"):
        scaled(dtype=fn.random.coin_flip()).build()
    with pytest.raises((TypeError, ValueError), match="factor"):
        scaled(factor="much").build()
    with pytest.raises(TypeError, match="takes 1 inputs, not 0"):
        custom.plugin_test.scale()


def within_a_memory_limit(library: str) -> None:
    plugin_manager.load_library(library)

    def numbers(**settings: Any) -> list[list[float]]:
        @_counted(batch_size=8, num_threads=4, **settings)
        def drawn() -> Any:
            return fn.reductions.sum(custom.plugin_test.noise(shape=[20000]))

        return [row[0].tolist() for row in _run(drawn(), 3)]

    assert numbers(memory_limit=700_000) == numbers()
    with pytest.raises(forebay.SampleError, match="memory"):
        numbers(memory_limit=100_000)


def lies(library: str) -> None:
    plugin_manager.load_library(library)
    for lie, text in {"negative": "negative extent", "overflow": "any machine can address", "throw": "thrown across"}.items():
        @_counted()
        def lying() -> Any:
            return custom.lying.output(lie=lie)

        with pytest.raises(forebay.SampleError, match=text):
            lying().run()


def loading_from_threads(library: str) -> None:
    found: list[Any] = []

    def load() -> None:
        plugin_manager.load_library(library)
        found.append(custom.plugin_test.scale)

    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(map(id, found))) == 1


def loading_in_a_forked_child(library: str) -> None:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            arguments_a_sample(library)
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    arguments_a_sample(library)


def loaded_before_a_fork(library: str) -> None:
    plugin_manager.load_library(library)
    loading_in_a_forked_child(library)


def names_that_are_taken(folder: str) -> None:
    both = "a name cannot be an operator and a folder of operators"
    for name, text in {
        "resize": "Forebay itself has 'resize'", "re_size": "Forebay itself has 'resize'", "resize_mine": both,
        "readers": both, "generate": "the name 'generate' is taken", "compose": "the name 'Compose' is taken",
        "external_source": "the name 'external_source' is taken",
        "dl_function": "the name 'DLTensorPythonFunction' is taken",
    }.items():
        with pytest.raises(ValueError, match=text):
            plugin_manager.load_library(os.path.join(folder, f"lib{name}.so"))
    plugin_manager.load_library(os.path.join(folder, "libreaders_mine.so"))

    @_counted()
    def copied() -> Any:
        return custom.readers.mine(types.Constant(np.array([3], np.uint8)))

    assert _run(copied())[0][0].tolist() == [3]
    assert fn.readers.file is not None and ops.readers.Mine is not None  # type: ignore[attr-defined]


def folders(folder: str) -> None:
    with pytest.raises(RuntimeError, match="Invalid location"):
        plugin_manager.load_directory(os.path.join(folder, "absent"))
    plugin_manager.load_directory(folder)
    assert custom.found.below and custom.found.as_for_dali
    assert not hasattr(custom.found, "other_name")


def files_that_are_no_libraries(folder: str) -> None:
    text = os.path.join(folder, "text.so")
    pathlib.Path(text).write_text("no library")
    with pytest.raises(RuntimeError, match=r"text\.so.*cannot be loaded"):
        plugin_manager.load_library(text)
    with pytest.raises(FileNotFoundError, match="absent"):
        plugin_manager.load_library(os.path.join(folder, "absent.so"))
    with pytest.raises(RuntimeError, match="absent"):
        plugin_manager.load_library(os.path.join(folder, "absent.so"))
    with pytest.raises(TypeError):
        plugin_manager.load_library(None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no name of a file"):
        plugin_manager.load_library("a\0b")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
