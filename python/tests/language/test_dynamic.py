"""Dynamic mode: calls are asynchronous, what goes wrong is told where one looks, and arrays and pictures mix."""

from __future__ import annotations

import collections.abc
import contextlib
import gc
import inspect
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import forebay
import forebay.dynamic as ndd
from forebay import nd, types


@pytest.fixture(autouse=True)
def nothing_is_left() -> collections.abc.Iterator[None]:
    """What a test left unread is told to nobody else."""
    yield
    with contextlib.suppress(Exception):
        nd.waitall()


def line() -> int:
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno


def numbers(count: int = 1000) -> ndd.Tensor:
    """Large enough that an array does not keep it in itself."""
    return ndd.tensor(np.arange(count, dtype=np.float32))


# --- errors where one looks -------------------------------------------------------------------------------------------

def test_what_goes_wrong_is_told_by_who_looks_with_the_line_that_caused_it() -> None:
    bad, where = ndd.decoders.image(ndd.tensor(np.arange(99, dtype=np.uint8))), line()
    later = ndd.flip(bad) + 1
    for value in (bad, later, later):
        with pytest.raises(RuntimeError, match=rf"task 'decoders.image' \(pushed at test_dynamic.py:{where}\): "):
            np.asarray(value)
    with pytest.raises(RuntimeError, match=f":{where}"):
        _ = later.shape
    with pytest.raises(RuntimeError, match=f":{where}"):
        later.evaluate()


def test_an_error_names_the_sample(photos: pathlib.Path) -> None:
    files = [path.read_bytes() for path in sorted(photos.rglob("*.jpg"))[:3]]
    files[1] = b"no picture"
    images = ndd.decoders.image(ndd.batch([np.frombuffer(each, np.uint8) for each in files]))
    with pytest.raises(RuntimeError, match="sample 1: "):
        images.evaluate()


def test_an_error_of_an_operator_on_the_batch_names_the_sample_alike() -> None:
    rows = ndd.batch([np.zeros(2, np.uint8)] * 3)
    with pytest.raises(RuntimeError, match=r"\): sample 1: indices\[1\] is 9"):
        ndd.permute_batch(rows, indices=[0, 9, 1]).evaluate()
    with pytest.raises(RuntimeError, match=r"\): sample 0: .*5"):
        ndd.normalize(rows, axes=[5]).evaluate()
    with pytest.raises(RuntimeError, match=r"\): (?!sample).*axis 5"):
        ndd.normalize(rows.select(0), axes=[5]).evaluate()


@pytest.mark.parametrize("make", [ndd.tensor, ndd.as_tensor])
def test_bytes_are_tensors_and_never_written(make: collections.abc.Callable[..., ndd.Tensor], photos: pathlib.Path) -> None:
    content = bytes(range(65, 68))
    tensor = make(content)
    assert (tensor.dtype, tensor.shape) == (ndd.uint8, (3,)) and make(content, dtype=ndd.int32).dtype == ndd.int32
    np.asarray(tensor)[0] = 0
    assert content == b"ABC"
    assert make(b"").shape == (0,)
    files = [path.read_bytes() for path in sorted(photos.rglob("*.jpg"))[:2]]
    of_arrays = ndd.decoders.image(ndd.batch([np.frombuffer(each, np.uint8) for each in files]))
    for one, other in zip(ndd.decoders.image(ndd.batch(files)).tensors, of_arrays.tensors):
        assert np.array_equal(one, other)


def test_mistakes_in_a_call_are_told_at_once() -> None:
    tensor = numbers()
    with pytest.raises(TypeError, match="ndd.flip has no argument 'horizontl'; did you mean 'horizontal'"):
        ndd.flip(tensor, horizontl=1)
    with pytest.raises(TypeError, match="ndd.flip takes 1 inputs, not 0"):
        ndd.flip()
    with pytest.raises(TypeError, match="ndd.one_hot: .*the same for all samples"):
        ndd.one_hot(tensor, num_classes=tensor)
    with pytest.raises(ValueError, match="Inconsistent batch size: 3 != 2"):
        ndd.cat(ndd.batch([1, 2]), ndd.batch([1, 2, 3]))
    with pytest.raises(AttributeError, match="did you mean 'flip'"):
        _ = ndd.flipp  # type: ignore[attr-defined]


def test_other_calls_go_on_after_an_error() -> None:
    ndd.decoders.image(ndd.tensor(np.arange(99, dtype=np.uint8)))
    assert (ndd.tensor([1, 2]) + 1)[0].item() == 2


def test_a_deferred_call_has_the_line_of_the_call() -> None:
    with ndd.EvalMode.deferred:
        bad, where = ndd.decoders.image(ndd.tensor(np.arange(99, dtype=np.uint8))), line()
    with pytest.raises(RuntimeError, match=rf"\(pushed at test_dynamic.py:{where}\)"):
        bad.evaluate()


def test_synchronous_calls_raise_at_once() -> None:
    broken = ndd.tensor(np.arange(99, dtype=np.uint8))
    for mode in (ndd.EvalMode.sync_cpu, ndd.EvalMode.sync_full):
        with mode, pytest.raises(RuntimeError, match="decoders.image"):
            ndd.decoders.image(broken)


def test_a_call_on_memory_of_the_user_has_run_when_it_returns() -> None:
    array = np.zeros(1000, np.float32)
    sums = []
    for i in range(50):
        array[:] = i
        sums.append(ndd.as_tensor(array) + 1)
    assert [float(each[999].item()) for each in sums] == [i + 1 for i in range(50)]
    with pytest.raises(RuntimeError):
        ndd.decoders.image(np.arange(99, dtype=np.uint8))


def test_a_tensor_is_a_copy_and_as_tensor_is_none() -> None:
    array = np.zeros(1000, np.float32)
    copy, view = ndd.tensor(array), ndd.as_tensor(array)
    forwarded = ndd.reshape(view, shape=[10, 100])
    array[0] = 7
    assert copy[0].item() == 0
    assert view[0].item() == 7
    assert forwarded[0, 0].item() == 0


# --- asynchronous -----------------------------------------------------------------------------------------------------

def test_deferred_calls_whose_results_nobody_wants_do_not_run() -> None:
    with ndd.EvalMode.deferred:
        result = ndd.decoders.image(ndd.tensor(np.arange(99, dtype=np.uint8)))
        kept = ndd.tensor([1, 2]) + 1
        del result
    assert kept[1].item() == 3


def test_a_context_enqueues_what_was_deferred() -> None:
    with ndd.EvalContext():
        with ndd.EvalMode.deferred:
            results = [ndd.tensor([number]) * 2 for number in range(5)]
    assert [each.item() for each in results] == [0, 2, 4, 6, 8]


def test_a_context_is_active_on_one_thread() -> None:
    context = ndd.EvalContext()
    refused = []

    def enter() -> None:
        try:
            with context:
                pass
        except RuntimeError as error:
            refused.append(str(error))

    with context:
        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
    assert refused == ["An EvalContext cannot be active in two threads simultaneously."]
    with context:
        pass


def test_a_long_chain_of_calls() -> None:
    total = ndd.tensor(np.zeros(10, np.int32))
    for _ in range(3000):
        total = total + 1
    assert np.asarray(total).tolist() == [3000] * 10


def test_calls_that_nobody_waits_for_hold_bounded_memory() -> None:
    peak = run_script("""
import resource
import numpy as np, forebay.dynamic as ndd
from forebay import nd
block = np.zeros(1 << 20, np.uint8)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(2000):  # 2 GB of copies, each wanted by one call
    ndd.cast(ndd.tensor(block), dtype=ndd.float64)
nd.waitall()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
""")
    assert int(peak) < 1 << 20  # KiB


def test_threads_share_tensors_and_have_their_own_generators() -> None:
    shared = numbers()
    results: dict[int, list[float]] = {}

    def work(number: int) -> None:
        ndd.random.set_seed(number)
        drawn = ndd.random.uniform(shape=[4])
        for _ in range(50):
            drawn = drawn + shared[:4] * 0
        results[number] = np.asarray(drawn).tolist()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(8):
        ndd.random.set_seed(number)
        assert results[number] == np.asarray(ndd.random.uniform(shape=[4])).tolist()


def test_results_are_freed() -> None:
    value = numbers() + 1
    gone = weakref.ref(value)
    value.evaluate()
    del value
    gc.collect()
    assert gone() is None


SCRIPT = """
import os, sys
import numpy as np
import forebay.dynamic as ndd
before = ndd.tensor(np.arange(5, dtype=np.int32)) + 1
before.evaluate()
child = os.fork()
if child == 0:
    fresh = (ndd.tensor([1, 2]) * 3)[1].item()
    os._exit(0 if fresh == 6 else 1)
_, status = os.waitpid(child, 0)
assert status == 0, status
print(np.asarray(before + 1).tolist())
"""


def run_script(script: str, **environment: str) -> str:
    command = [sys.executable, "-c", script]
    environment = {**os.environ, **environment}
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_after_a_fork_the_child_calls_operators_of_its_own() -> None:
    assert run_script(SCRIPT) == "[2, 3, 4, 5, 6]\n"


def test_the_interpreter_ends_while_calls_are_under_way() -> None:
    assert run_script("""
import numpy as np, forebay.dynamic as ndd
kept = [ndd.gaussian_blur(ndd.tensor(np.zeros((400, 400, 3), np.uint8), layout="HWC"), sigma=5.0) for _ in range(50)]
print("done")
""") == "done\n"


def test_in_the_naive_engine_a_call_runs_before_it_returns() -> None:
    assert run_script("""
import numpy as np, forebay.dynamic as ndd
assert (ndd.tensor([1, 2]) + 1)[0].item() == 2
try:
    ndd.decoders.image(ndd.tensor(np.arange(9, dtype=np.uint8)))
except RuntimeError:
    print("raised")
""", FOREBAY_ARRAY_ENGINE="naive") == "raised\n"


# --- arrays -----------------------------------------------------------------------------------------------------------

def test_arrays_are_inputs_without_a_copy_and_in_order() -> None:
    array = nd.zeros((1000,))
    before = forebay.bytes_copied()
    sums = []
    for number in range(20):
        array[:] = number
        sums.append(ndd.as_tensor(array) + 1)
    assert [float(np.asarray(each)[999]) for each in sums] == [number + 1 for number in range(20)]
    assert forebay.bytes_copied() - before < 1000


def test_arrays_and_numbers_in_one_expression() -> None:
    array = nd.arange(4)
    tensor = ndd.tensor([10, 20, 30, 40])
    assert np.asarray(tensor + array).tolist() == [10, 21, 32, 43]
    assert np.asarray(array + tensor).tolist() == [10, 21, 32, 43]
    assert isinstance(array + tensor, ndd.Tensor)


def test_an_array_as_samples() -> None:
    batch = ndd.as_batch(nd.arange(12).reshape((3, 2, 2)), layout="HW")
    assert batch.batch_size == 3
    assert batch.shape == [(2, 2)] * 3
    assert batch.layout == "HW"
    assert np.asarray(ndd.flip(batch).select(2)).tolist() == [[9, 8], [11, 10]]


def test_a_result_becomes_an_array_without_a_copy() -> None:
    result = numbers() * 2
    assert result.shape == (1000,)
    before = forebay.bytes_copied()
    array = result.as_nd()
    array += 1
    assert float(array[3].asscalar()) == 7
    assert forebay.bytes_copied() - before < 1000
    assert result[3].item() == 7  # it is the array now


def test_a_batch_becomes_an_array_with_the_samples_first() -> None:
    batch = ndd.cast(ndd.batch(np.arange(6, dtype=np.uint8).reshape(3, 2)), dtype=ndd.float32)
    assert batch.as_nd().asnumpy().tolist() == [[0, 1], [2, 3], [4, 5]]
    with pytest.raises(ValueError):
        (ndd.batch([[1], [2, 3]]) + 1).as_nd()


def test_an_array_with_a_promised_shape_is_there_at_once_and_carries_the_error() -> None:
    array = (numbers() + 1).as_nd((1000,))
    assert float((array * 2)[1].asscalar()) == 4
    wrong = (numbers() + 1).as_nd((10,))
    with pytest.raises(ValueError, match="promised as"):
        (wrong * 2).asnumpy()
    bad = ndd.decoders.image(ndd.tensor(np.arange(99, dtype=np.uint8))).as_nd((1, 1, 3), "uint8")
    with pytest.raises(RuntimeError, match="decoders.image"):
        bad.wait_to_read()


def test_an_error_of_an_array_is_that_of_a_call_on_it() -> None:
    bad, where = nd.ones(1 << 46), line()
    with pytest.raises(MemoryError, match=f"test_dynamic.py:{where}"):
        (ndd.as_tensor(bad)[:3] + 1).evaluate()


# --- random numbers ---------------------------------------------------------------------------------------------------

def test_the_first_draw_is_that_of_a_pipeline_with_the_seed() -> None:
    pipe = forebay.Pipeline(batch_size=4, num_threads=1, seed=11)
    with pipe:
        pipe.set_outputs(forebay.fn.random.normal(shape=[3]))
    (want,) = pipe.run()
    got = ndd.random.normal(shape=[3], rng=ndd.random.RNG(11), batch_size=4)
    assert np.asarray(got).tobytes() == want.as_array().tobytes()


def test_a_sample_does_not_depend_on_the_size_of_its_batch() -> None:
    drawn = [ndd.random.uniform(shape=[2], rng=ndd.random.RNG(1), batch_size=size) for size in (2, 9)]
    small, large = map(np.asarray, drawn)
    assert small.tolist() == large[:2].tolist()


def test_different_calls_and_operators_draw_different_numbers() -> None:
    rng = ndd.random.RNG(3)
    draws = [np.asarray(ndd.random.uniform(shape=[8], rng=rng)).tolist() for _ in range(4)]
    assert len({tuple(each) for each in draws}) == 4


@pytest.mark.parametrize("state", ["", "12", "xyz:1", "0:1", "00000000000000ff:-1", b"1:1", None])
def test_what_is_no_state_of_a_generator(state: object) -> None:
    with pytest.raises(ValueError):
        ndd.random.RNG().set_state(state)


# --- batches ----------------------------------------------------------------------------------------------------------

def test_parts_of_a_batch_are_batches() -> None:
    batch = ndd.batch([[1], [2, 2], [3, 3, 3], [4]]) + 0
    for chosen, places in (([3, 0], [3, 0]), (slice(1, 3), [1, 2]), (..., [0, 1, 2, 3])):
        part = batch.select(chosen)
        assert isinstance(part, ndd.Batch)
        assert [np.asarray(each).tolist() for each in part] == [np.asarray(batch.select(i)).tolist() for i in places]
    assert [each.shape for each in batch.tensors[::2]] == [(1,), (3,)]
    assert batch.tensors[1:3].as_batch(copy=True).shape == [(2,), (3,)]
    with pytest.raises(IndexError):
        batch.select(4)
    assert (batch.select([1, 1]) * ndd.batch([2, 3])).shape == [(2,), (2,)]


# --- small things -----------------------------------------------------------------------------------------------------

def test_representations() -> None:
    assert repr(ndd.tensor([[1, 2], [3, 4]], layout="HW")) == (
        'Tensor(\n    [[1 2]\n     [3 4]],\n    dtype=i32,\n    device="cpu",\n    layout="HW",\n    shape=(2, 2))'
    )
    assert repr(ndd.batch([[1], [2, 3]])) == (
        'Batch(\n    [[1],\n    [2 3]],\n    dtype=i32,\n    device="cpu",\n    num_samples=2,\n    shape=[(1,), (2,)])'
    )


def test_numbers_of_tensors() -> None:
    assert int(ndd.tensor(3)) == 3
    assert float(ndd.tensor(2.5)) == 2.5
    assert [10, 20, 30][ndd.tensor(1)] == 20
    assert ndd.tensor([1, 2])[0] == 1
    assert not ndd.tensor(0)
    with pytest.raises(ValueError, match="truth value"):
        bool(ndd.tensor([1, 2]))
    with pytest.raises(TypeError):
        hash(ndd.tensor(1))


def test_memory_goes_out_without_a_copy() -> None:
    result = numbers() + 1
    before = forebay.bytes_copied()
    first, second = np.asarray(result), np.from_dlpack(result)
    assert np.shares_memory(first, second)
    assert forebay.bytes_copied() == before


def test_devices() -> None:
    tensor = numbers()
    assert tensor.cpu() is tensor
    assert tensor.device == ndd.Device.CPU
    for function in (tensor.gpu, lambda: ndd.flip(tensor, device="gpu"), lambda: ndd.tensor([1], device="gpu")):
        with pytest.raises(NotImplementedError, match="run on the CPU"):
            function()
    with ndd.Device("gpu:1") as device:
        assert ndd.Device.current() is device
    assert ndd.Device.current() == ndd.Device.CPU


def test_element_types_are_pickled_and_make_tensors() -> None:
    for dtype in (ndd.uint8, ndd.bfloat16, ndd.bool):
        assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert ndd.float32([1, 2]).dtype == ndd.float32
    assert ndd.float32 == types.FLOAT


def test_where_a_sample_was_read(photos: pathlib.Path) -> None:
    root = str(photos)
    batches = ndd.readers.File(file_root=root).next_epoch(batch_size=5)
    jpegs, _ = next(batches)
    names = ndd.get_property(jpegs, key="source_info")
    assert all(bytes(np.asarray(name)).decode().startswith(root) for name in names)
    assert bytes(np.asarray(ndd.get_property(jpegs.select(2), key="source_info"))).decode().endswith(".jpg")


def test_pictures_from_files(photos: pathlib.Path) -> None:
    paths = sorted(photos.rglob("*.jpg"))[:4]
    one, many = ndd.imread(paths[0]), ndd.imread([str(path) for path in paths])
    assert np.asarray(one).tobytes() == np.asarray(many.select(0)).tobytes()
    assert many.batch_size == 4
    with pytest.raises(FileNotFoundError):
        ndd.imread(str(photos / "absent.jpg")).evaluate()
    with pytest.raises(TypeError, match="path"):
        ndd.imread(3)
