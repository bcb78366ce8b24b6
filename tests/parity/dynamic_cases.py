"""What scripts do with dynamic mode: each case is a function of the module and its `types`, and gives what JSON can
say. `record_dynamic.py` runs them with DALI, `test_dynamic_mode.py` with Forebay."""

from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

Case = Callable[[Any, Any], Any]
CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    CASES[function.__name__] = function
    return function


def about(value: Any) -> list[Any]:
    """Type, shape, layout and content of a tensor or a batch."""
    value.evaluate()
    if hasattr(value, "batch_size"):
        return [
            str(value.dtype), [list(shape) for shape in value.shape], value.layout,
            [np.array(one).tolist() for one in value],
        ]
    return [str(value.dtype), list(value.shape), value.layout, np.array(value).tolist()]


KINDS = (StopIteration, FileNotFoundError, KeyError, OverflowError, TypeError, ValueError, IndexError, RuntimeError)


def error_of(function: Callable[[], Any]) -> list[str]:
    """Which of Python's errors it raises: what `except` clauses catch it."""
    try:
        result = function()
        if hasattr(result, "evaluate"):
            result.evaluate()
    except Exception as error:
        return ["raises", *(kind.__name__ for kind in KINDS if isinstance(error, kind))]
    return ["raises nothing"]


def agrees(ours: Any, theirs: Any) -> bool:
    """Equal, but for errors: what is caught as one of theirs is caught as one of ours."""
    if isinstance(ours, list) and isinstance(theirs, list):
        if ours[:1] == theirs[:1] == ["raises"]:
            return set(theirs) <= set(ours)
        return len(ours) == len(theirs) and all(map(agrees, ours, theirs))
    return bool(ours == theirs)


def run_all(ndd: Any, types: Any) -> dict[str, Any]:
    return {name: function(ndd, types) for name, function in CASES.items()}


# --- tensors ----------------------------------------------------------------------------------------------------------

@case
def types_of_python_data(ndd, types):
    data = [1, 1.5, True, [1, 2], [1, 2.5], [[1, 2], [3, 4]], [2**31], [-1], [2**32 - 1]]
    return [about(ndd.tensor(each)) for each in data]


@case
def types_of_arrays(ndd, types):
    kinds = [np.uint8, np.int16, np.int64, np.float16, np.float32, np.float64, np.bool_]
    return [about(ndd.as_tensor(np.array([0, 1], kind))) for kind in kinds]


@case
def data_with_a_type(ndd, types):
    wanted = [ndd.uint8, "f32", "i16", types.FLOAT64, np.int64]
    return [about(ndd.tensor([1, 2], dtype=dtype)) for dtype in wanted]


@case
def arrays_with_another_type(ndd, types):
    array = np.float32([1.4, 300, -2])
    return [about(ndd.as_tensor(array, dtype=dtype)) for dtype in (ndd.uint8, ndd.int32, ndd.float64)]


@case
def layouts(ndd, types):
    picture = np.zeros((2, 3, 1), np.uint8)
    return [
        about(ndd.tensor(picture, layout="HWC")),
        about(ndd.as_tensor(ndd.as_tensor(picture, layout="HWC"), layout="CHW")),
    ]


@case
def facts_about_a_tensor(ndd, types):
    tensor = ndd.tensor(np.zeros((4, 5, 3), np.int16), layout="HWC")
    return [
        tensor.ndim, list(tensor.shape), tensor.size, tensor.nbytes, tensor.itemsize, str(tensor.device), tensor.layout,
    ]


@case
def items(ndd, types):
    return [
        ndd.tensor(3).item(), ndd.tensor([2.5]).item(), ndd.tensor([[True]]).item(),
        error_of(lambda: ndd.tensor([1, 2]).item()),
    ]


@case
def element_types(ndd, types):
    names = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bool bfloat16".split()
    found = [getattr(ndd, name) for name in names]
    return [
        [str(each), each.bits, each.bytes, each.exponent_bits, each.significand_bits, each.kind.name] for each in found
    ]


@case
def element_types_by_name(ndd, types):
    same = [ndd.dtype("u8") == ndd.uint8, ndd.dtype(types.FLOAT) == ndd.float32, ndd.dtype(np.float64) == ndd.float64]
    return [*same, ndd.uint8 == ndd.int8, int(ndd.type_id(ndd.float32)), ndd.dtype("f16") is ndd.float16]


@case
def what_is_no_tensor(ndd, types):
    return [error_of(lambda: ndd.tensor([[1, 2], [3]])), error_of(lambda: ndd.tensor([2**33]))]


# --- batches ----------------------------------------------------------------------------------------------------------

@case
def batches_of_lists(ndd, types):
    return [
        about(ndd.batch([[1, 2], [3]])), about(ndd.batch([1.5, 2])),
        about(ndd.as_batch([np.uint8([1]), np.uint8([2, 3])])),
    ]


@case
def batches_of_an_array(ndd, types):
    array = np.arange(12, dtype=np.int32).reshape(3, 2, 2)
    return [
        about(ndd.as_batch(array)), about(ndd.batch(array, layout="HW")), about(ndd.batch(array, dtype=ndd.float32)),
    ]


@case
def batches_of_tensors(ndd, types):
    one, two = ndd.tensor([1, 2], layout="X"), ndd.tensor([3], layout="X")
    return about(ndd.as_batch([one, two]))


@case
def facts_about_a_batch(ndd, types):
    batch = ndd.batch([np.zeros((2, 3), np.uint8), np.zeros((4, 5), np.uint8)], layout="HW")
    return [
        batch.batch_size, [list(shape) for shape in batch.shape], batch.ndim, str(batch.dtype), batch.layout,
        len(batch.tensors),
    ]


@case
def parts_of_a_batch(ndd, types):
    batch = ndd.batch([[1], [2, 2], [3, 3, 3], [4]])
    return [about(batch.select(1)), about(batch.tensors[-1]), [about(each) for each in batch]]


@case
def the_same_tensor_many_times(ndd, types):
    return [about(ndd.Batch.broadcast([1, 2], 3)), about(ndd.Batch.broadcast(np.float64(2.5), 2))]


@case
def batches_as_tensors(ndd, types):
    ragged = ndd.batch([[1, 2], [3]])
    even = ndd.batch(np.arange(6).reshape(3, 2), layout="X")
    return [about(ndd.as_tensor(even)), about(ndd.as_tensor(ragged, pad=True)), error_of(lambda: ndd.as_tensor(ragged))]


@case
def what_is_no_batch(ndd, types):
    return [
        error_of(lambda: ndd.batch([])), error_of(lambda: ndd.batch([None])), error_of(lambda: ndd.batch(np.int32(1))),
    ]


@case
def empty_batches(ndd, types):
    empty = ndd.batch([], dtype=ndd.float32)
    return [empty.batch_size, str(empty.dtype)]


# --- expressions ------------------------------------------------------------------------------------------------------

@case
def arithmetic(ndd, types):
    a, b = ndd.tensor(np.uint8([1, 200, 7])), ndd.tensor(np.int16([3, 100, -2]))
    made = (a + b, a - b, a * b, a / b, a // b, -b, a & 3, a | 4, a ^ a, a < b, a >= b, a == 7, a != b, abs(b))
    return [about(each) for each in made]


@case
def arithmetic_with_numbers(ndd, types):
    a = ndd.tensor(np.uint8([1, 2]))
    return [about(each) for each in (a + 1, 1 + a, a * 2.5, 2.5 - a, a / 2, 7 // a, 2**a, a**2, a + True)]


@case
def arithmetic_with_arrays(ndd, types):
    a = ndd.tensor(np.float32([1, 2]))
    return [about(a + np.float32([10, 20])), about(a * [2, 3]), about(a + np.float64(1))]


@case
def arithmetic_of_batches(ndd, types):
    batch = ndd.batch([[1, 2], [3]])
    return [about(batch + 1), about(batch * ndd.tensor(2.5)), about(batch + batch), about(ndd.math.max(batch, 2))]


@case
def arithmetic_that_fails(ndd, types):
    batch = ndd.batch([[1, 2], [3]])
    return [
        error_of(lambda: batch + ndd.batch([[1], [2], [3]])), error_of(lambda: ndd.tensor([1]) + 2**40),
        error_of(lambda: ndd.tensor([1, 2]) + ndd.tensor([1, 2, 3])),
    ]


@case
def functions(ndd, types):
    a = ndd.tensor([0.25, 1, 2.25])
    made = (ndd.math.sqrt(a), ndd.math.floor(a), ndd.math.clamp(a, 0.5, 2), ndd.math.pow(a, 2))
    return [about(each) for each in made]


@case
def subscripts(ndd, types):
    a = ndd.tensor(np.arange(24).reshape(2, 3, 4), layout="ABC")
    parts = (a[1], a[0, 1], a[:, 1:], a[..., -1], a[1, :, ::2], a[:], a[...], a[0][1], a[:, ::-1], a[1:, ..., 2:])
    return [about(part) for part in parts]


@case
def subscripts_by_tensors(ndd, types):
    a = ndd.tensor(np.arange(6).reshape(2, 3))
    return [about(a[ndd.tensor(1)]), about(a[:, ndd.tensor(1) :])]


@case
def subscripts_of_each_sample(ndd, types):
    batch = ndd.batch([[1, 2, 3], [4, 5, 6, 7]])
    return [
        about(batch.slice[1:]), about(batch.slice[0]), about(batch.slice[ndd.batch([2, 0])]),
        about(batch.slice[: ndd.batch([1, 2])]),
    ]


@case
def subscripts_that_fail(ndd, types):
    a = ndd.tensor([1, 2, 3])
    return [error_of(lambda: np.array(a[5])), error_of(lambda: a[0, 0])]


# --- calls ------------------------------------------------------------------------------------------------------------

@case
def calls_on_tensors_and_batches(ndd, types):
    picture = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    one = ndd.flip(ndd.tensor(picture, layout="HWC"))
    many = ndd.flip(ndd.batch([picture, picture], layout="HWC"), horizontal=ndd.batch([0, 1]))
    spread = ndd.cast(ndd.tensor([1, 2]), dtype=ndd.uint8, batch_size=2)
    return [about(one), about(many), about(spread)]


@case
def calls_on_arrays(ndd, types):
    picture = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    return [about(ndd.transpose(picture, perm=[2, 0, 1])), about(ndd.cast([1, 2, 300], dtype=types.UINT8))]


@case
def calls_without_inputs(ndd, types):
    return [
        about(ndd.zeros(shape=[2])), about(ndd.full(3, shape=[1, 2], batch_size=2)),
        about(ndd.ones(shape=[], dtype=ndd.uint8)),
    ]


@case
def joined(ndd, types):
    a, b = ndd.tensor([[1, 2]]), ndd.tensor([[3, 4]])
    return [about(ndd.cat(a, b, axis=0)), about(ndd.stack(a, b))]


@case
def calls_that_fail(ndd, types):
    a = ndd.tensor([1, 2])
    no_generator = len("three")  # not a constant, which DALI looks for in the text of the call
    return [
        error_of(lambda: ndd.flip(a, no_such_argument=1)),
        error_of(lambda: ndd.cat()),
        error_of(lambda: ndd.cat(ndd.batch([1, 2]), ndd.batch([1, 2, 3]))),
        error_of(lambda: ndd.cast(a, dtype=ndd.uint8, batch_size=2, device="tpu")),
        error_of(lambda: ndd.batch_permutation()),
        error_of(lambda: ndd.decoders.image(a)),
        error_of(lambda: ndd.random.uniform(rng=no_generator)),
    ]


@case
def modes(ndd, types):
    found = [ndd.EvalMode.current().name]
    for mode in (ndd.EvalMode.deferred, ndd.EvalMode.sync_cpu, ndd.EvalMode.sync_full, ndd.EvalMode.default):
        with mode:
            found += [ndd.EvalMode.current().name, about(ndd.tensor([1, 2]) + 1)]
    return found


@case
def contexts(ndd, types):
    with ndd.EvalContext(num_threads=2) as outer:
        inside = [outer.num_threads, ndd.EvalContext.current() is outer, about(ndd.tensor([1]) + 1)]
    return [
        *inside, ndd.EvalContext.current() is outer,
        error_of(lambda: ndd.EvalContext(num_threads=1, thread_pool=ndd.ThreadPool(2))),
    ]


@case
def devices(ndd, types):
    cpu = ndd.Device("cpu")
    return [
        str(cpu), repr(cpu), cpu == ndd.device("cpu"), ndd.device(None), error_of(lambda: ndd.Device("fpga")),
        cpu.device_type,
    ]


# --- random numbers ---------------------------------------------------------------------------------------------------

@case
def equal_seeds_draw_equal_numbers(ndd, types):
    def drawn(rng):
        return about(ndd.random.uniform(shape=[3], rng=rng, batch_size=2))

    first, second, third = (ndd.random.RNG(seed) for seed in (7, 7, 8))
    one, two = drawn(first), drawn(first)
    return [one == drawn(second), one == two, one == drawn(third)]


@case
def a_seed_for_the_thread(ndd, types):
    ndd.random.set_seed(5)
    one = about(ndd.random.normal(shape=[2]))
    two = about(ndd.random.normal(shape=[2]))
    ndd.random.set_seed(5)
    return [one == about(ndd.random.normal(shape=[2])), one == two, one[:2]]


@case
def generators(ndd, types):
    rng = ndd.random.RNG(1)
    rng.advance(3)
    copy = rng.clone()
    other = ndd.random.RNG(1)
    skipped = [other() for _ in range(3)]
    again = ndd.random.RNG(state=str(rng.state))
    drawn = rng()
    return [
        drawn == copy(), drawn == again(), drawn == other(), 0 <= drawn < 2**32, len(set(skipped)),
        error_of(lambda: ndd.random.RNG(1, state=copy.state)), error_of(lambda: rng.advance(-1)),
    ]


@case
def draws_within_their_range(ndd, types):
    numbers = np.array(ndd.random.uniform(range=(3, 4), shape=[1000], rng=ndd.random.RNG(3)))
    coins = np.array(ndd.random.coin_flip(probability=0.5, shape=[1000], rng=ndd.random.RNG(3)))
    return [bool(((numbers >= 3) & (numbers < 4)).all()), sorted(set(coins.tolist())), 400 < int(coins.sum()) < 600]


# --- readers and sources ----------------------------------------------------------------------------------------------

def _files(folder: str, count: int) -> list[str]:
    names = []
    for number in range(count):
        path = pathlib.Path(folder) / f"{number:02}.bin"
        path.write_bytes(bytes([number] * (number + 1)))
        names.append(str(path))
    return names


@case
def epochs_of_batches(ndd, types):
    with tempfile.TemporaryDirectory() as folder:
        reader = ndd.readers.File(files=_files(folder, 5), labels=[0, 10, 20, 30, 40])
        epochs = [
            [[about(data)[3], about(label)[3]] for data, label in reader.next_epoch(batch_size=2)] for _ in range(2)
        ]
        meta = reader.get_metadata()
        return [epochs, {key: int(value) for key, value in meta.items()}]


@case
def epochs_of_samples(ndd, types):
    with tempfile.TemporaryDirectory() as folder:
        reader = ndd.readers.File(files=_files(folder, 3))
        return [[[about(data)[3], about(label)[3]] for data, label in reader.next_epoch()] for _ in range(2)]


@case
def epochs_of_shards(ndd, types):
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for sticks in (False, True):
            reader = ndd.readers.File(files=_files(folder, 7), num_shards=3, shard_id=1, stick_to_shard=sticks)
            found.append([[about(label)[3] for _, label in reader.next_epoch(batch_size=2)] for _ in range(3)])
        return found


@case
def a_reader_gives_in_one_way(ndd, types):
    with tempfile.TemporaryDirectory() as folder:
        reader = ndd.readers.File(files=_files(folder, 3))
        list(reader.next_epoch(batch_size=1))
        return [error_of(lambda: list(reader.next_epoch())), error_of(lambda: list(reader.next_epoch(batch_size=2)))]


@case
def arguments_of_readers(ndd, types):
    with tempfile.TemporaryDirectory() as folder:
        return [
            error_of(lambda: ndd.readers.File(files=_files(folder, 3), no_such_argument=1)),
            error_of(lambda: list(ndd.readers.File(file_root=folder + "/absent").next_epoch(batch_size=1))),
        ]


@case
def sources(ndd, types):
    arrays = [np.full(2, i, np.int32) for i in range(3)]
    listed = ndd.ExternalSource(arrays)
    seen = [about(listed())[3] for _ in range(3)]
    called = ndd.ExternalSource(lambda: (np.zeros(2), np.ones(2)), num_outputs=2, dtype=ndd.float32)
    return [seen, error_of(listed), [about(each) for each in called()], about(ndd.ExternalSource(arrays)(batch_size=2))]


@case
def sources_that_go_on(ndd, types):
    quiet = ndd.ExternalSource([np.int32([1]), np.int32([2])], cycle="quiet")
    raising = ndd.ExternalSource([np.int32([1])], cycle="raise")
    return [
        [about(quiet())[3] for _ in range(5)], about(raising())[3], error_of(raising), about(raising())[3],
        error_of(lambda: ndd.ExternalSource([1], cycle="often")), error_of(lambda: ndd.ExternalSource(lambda x: x)()),
    ]


# --- states -----------------------------------------------------------------------------------------------------------

@case
def states_of_generators(ndd, types):
    with tempfile.TemporaryDirectory() as folder:
        rng, checkpoint = ndd.random.RNG(4), ndd.checkpoint.Checkpoint()
        checkpoint.register(rng, "rng")
        rng()
        checkpoint.collect()
        name = checkpoint.save(folder + "/state-{seq:03}.json")
        wanted = rng()
        other, loaded = ndd.random.RNG(9), ndd.checkpoint.Checkpoint()
        read = loaded.load(folder + "/state-{seq:03}.json")
        loaded.register(other, "rng")
        return [
            name == read, pathlib.Path(name).name, other() == wanted, loaded.names, len(loaded), loaded.is_loaded,
            checkpoint.is_complete,
        ]


@case
def mistakes_with_states(ndd, types):
    rng, checkpoint = ndd.random.RNG(4), ndd.checkpoint.Checkpoint()
    checkpoint.register(rng, "rng")
    return [
        error_of(lambda: checkpoint.register(rng, "other")), error_of(lambda: checkpoint.register(rng, "__op_x")),
        error_of(lambda: ndd.checkpoint.Checkpoint().serialize()), error_of(lambda: checkpoint.get_state("absent")),
        error_of(lambda: ndd.checkpoint.Checkpoint().load("/nonexistent/{seq}.json")),
        checkpoint.register(ndd.random.RNG(1)), "rng" in checkpoint,
    ]
