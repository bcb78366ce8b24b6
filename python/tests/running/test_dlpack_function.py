"""fn.dl_tensor_python_function: capsules in, capsules out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from forebay import fn, ops, pipeline_def, types


class Capsule:
    """What NumPy takes, of a capsule."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def array_of(capsule: Any) -> np.ndarray:
    assert type(capsule).__name__ == "PyCapsule"
    return np.from_dlpack(Capsule(capsule))


def run(**arguments: Any) -> list[Any]:
    @pipeline_def(batch_size=3, num_threads=1)
    def make() -> Any:
        data = fn.external_source(lambda i: [np.full((2, 2), k, np.int32) for k in range(3)], layout="HW")
        outputs = fn.dl_tensor_python_function(data, **arguments)
        return tuple(outputs) if isinstance(outputs, list) else outputs

    return [batch.as_array() for batch in make().run()]


def test_samples() -> None:
    (got,) = run(function=lambda capsule: (array_of(capsule) + 5).__dlpack__())
    assert got[:, 0, 0].tolist() == [5, 6, 7] and got.shape == (3, 2, 2)


def test_several_outputs_and_objects_that_export() -> None:
    first, second = run(
        function=lambda capsule: [np.array([1.5]), (array_of(capsule) * 2).__dlpack__()], num_outputs=2
    )
    assert first.tolist() == [[1.5]] * 3 and second[2, 1, 1] == 4


def test_batches() -> None:
    def work(batch: Any) -> Any:
        arrays = [array_of(capsule) for capsule in batch]
        return [(each + len(arrays)).__dlpack__() for each in arrays]

    (got,) = run(function=work, batch_processing=True)
    assert got[:, 1, 0].tolist() == [3, 4, 5]


def test_for_what_it_does_only() -> None:
    seen: list[int] = []

    @pipeline_def(batch_size=3, num_threads=1)
    def make() -> Any:
        data = fn.external_source(lambda i: [np.int32(k) for k in range(3)])
        fn.dl_tensor_python_function(data, function=lambda capsule: seen.append(int(array_of(capsule))), num_outputs=0)
        return data

    pipe = make()
    pipe.run()
    pipe.close()
    assert seen[:3] == [0, 1, 2]


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="must be callable, not int"):
        run(function=3)
    with pytest.raises(NotImplementedError, match="CPU only"):
        run(function=abs, device="gpu")


def test_as_an_object() -> None:
    work = ops.DLTensorPythonFunction(function=lambda capsule: (array_of(capsule) - 1).__dlpack__())

    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        return work(fn.external_source(lambda: [np.array([1], np.float32), np.array([2], np.float32)]))

    batch = make().run()[0]
    assert batch.as_array().tolist() == [[0], [1]] and batch.dtype == types.FLOAT
