"""Iterators that give JAX arrays, and functions on them; over several devices, which JAX makes of the CPU."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import Any

os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4".strip()

import numpy as np
import pytest

jax = pytest.importorskip("jax")

from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

import forebay  # noqa: E402
from forebay import fn, pipeline_def  # noqa: E402
from forebay.plugin.base_iterator import LastBatchPolicy  # noqa: E402
from forebay.plugin.jax import DALIGenericIterator, data_iterator  # noqa: E402
from forebay.plugin.jax.fn import jax_function  # noqa: E402
from photographs import make_photo  # noqa: E402

pytestmark = pytest.mark.skipif(jax.device_count() != 4, reason="JAX was started with other devices")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("numbered")
    for number in range(16):
        make_photo(folder / f"{number}.jpg", number, 16, 16)
    (folder / "list.txt").write_text("".join(f"{number}.jpg {number}\n" for number in range(16)))
    return str(folder)


def labels(root: str, shard_id: int = 0, num_shards: int = 1) -> Any:
    return fn.readers.file(
        file_root=root, file_list=f"{root}/list.txt", name="r", shard_id=shard_id, num_shards=num_shards,
        pad_last_batch=True, stick_to_shard=True,
    )[1]


def sharding() -> NamedSharding:
    return NamedSharding(Mesh(np.array(jax.devices()), ("batch",)), PartitionSpec("batch"))


@pipeline_def(batch_size=4, num_threads=1)
def counting(count: int = 3) -> Any:
    def source(info: Any) -> np.ndarray:
        if info.iteration == count:
            raise StopIteration
        return np.full((16,), info.idx_in_epoch, np.float32)

    return fn.external_source(source, batch=False) + np.float32(0)  # an operator makes the batch one piece


def test_batches_are_arrays_over_the_same_memory() -> None:
    class Kept(DALIGenericIterator):
        def _advance(self) -> Any:
            self.taken = super()._advance()
            return self.taken

    iterator = Kept(counting(), ["x"])
    batch = next(iterator)
    assert isinstance(batch["x"], jax.Array) and batch["x"].shape == (4, 16)
    assert np.shares_memory(np.from_dlpack(batch["x"]), iterator.taken[0][0][0].as_array())
    kept = [batch["x"], *(each["x"] for each in iterator)]
    assert [float(jax.numpy.max(array)) for array in kept] == [3, 7, 11]
    assert float(jax.jit(lambda x: x.sum())(kept[0])) == 16 * 6


def test_several_pipelines_are_stacked() -> None:
    batch = next(DALIGenericIterator([counting(), counting()], ["x"], size=24))
    assert batch["x"].shape == (2, 4, 16)
    assert next(DALIGenericIterator(counting(), ["x"], pmap_compatible=True))["x"].shape == (1, 4, 16)


def test_a_sharding_makes_one_array_of_several_pipelines() -> None:
    iterator = DALIGenericIterator([counting() for _ in range(4)], ["x"], size=48, sharding=sharding())
    x = next(iterator)["x"]
    assert x.shape == (16, 16) and x.sharding == sharding()
    assert [shard.device for shard in x.addressable_shards] == jax.devices()


def test_data_iterator_gives_each_device_its_shard(root: str) -> None:
    @data_iterator(output_map=["y"], reader_name="r", sharding=sharding(), auto_reset=True)
    def make(shard_id: int, num_shards: int) -> Any:
        return labels(root, shard_id, num_shards)

    iterator = make(batch_size=8)
    for _ in range(2):
        epoch = [np.asarray(batch["y"]).ravel().tolist() for batch in iterator]
        assert epoch == [[0, 1, 4, 5, 8, 9, 12, 13], [2, 3, 6, 7, 10, 11, 14, 15]]
    assert next(make(batch_size=8))["y"].sharding == sharding()


def by_axes(spec: PartitionSpec, devices: Any = None) -> NamedSharding:
    """Over a mesh of two by two."""
    found = np.array(jax.devices() if devices is None else devices)
    return NamedSharding(Mesh(found.reshape(2, -1), ("batch", "model")), spec)


@pytest.mark.parametrize(
    ("axes", "of_devices"),
    [("batch", [0, 0, 1, 1]), ("model", [0, 1, 0, 1]), (("batch", "model"), [0, 1, 2, 3]),
     (("model", "batch"), [0, 2, 1, 3]), (None, [0, 0, 0, 0])],
)
def test_a_shard_goes_to_all_devices_that_a_mesh_has_for_it(root: str, axes: Any, of_devices: list[int]) -> None:
    shards = max(of_devices) + 1

    @data_iterator(output_map=["y"], reader_name="r", sharding=by_axes(PartitionSpec(axes)))
    def make(shard_id: int, num_shards: int) -> Any:
        assert num_shards == shards
        return labels(root, shard_id, num_shards)

    iterator = make(batch_size=8, enable_checkpointing=True)
    assert len(iterator._pipes) == shards  # each shard is read once
    each = 8 // shards
    wanted = [[16 // shards * shard + place for shard in range(shards) for place in range(each)]]
    batch = next(iterator)["y"]
    assert [np.asarray(batch).ravel().tolist()] == wanted
    held = {shard.device: np.asarray(shard.data).ravel().tolist() for shard in batch.addressable_shards}
    assert [held[device][0] * shards // 16 for device in jax.devices()] == of_devices
    rest = [np.asarray(other["y"]).ravel().tolist() for other in make(batch_size=8, checkpoints=iterator.checkpoints())]
    assert rest == [np.asarray(other["y"]).ravel().tolist() for other in iterator]


def test_a_mesh_of_some_devices_has_all_of_the_data(root: str) -> None:
    some = by_axes(PartitionSpec("batch", None), jax.devices()[2:])
    for named in ({"sharding": some}, {"devices": jax.devices()[2:]}):
        iterator = data_iterator(labels, ["y"], reader_name="r", **named)(root, batch_size=8)
        found = [int(label) for batch in iterator for label in np.asarray(batch["y"]).ravel()]
        assert sorted(found) == list(range(16))


def test_a_batch_is_divided_by_the_devices_that_share_it(root: str) -> None:
    some = by_axes(PartitionSpec(("batch", "model")), jax.devices()[2:])
    for named in ({"sharding": some}, {"devices": jax.devices()[2:]}):
        (pipe, other) = data_iterator(labels, ["y"], reader_name="r", **named)(root, batch_size=8)._pipes
        assert (pipe.max_batch_size, other.max_batch_size) == (4, 4)


@pipeline_def(batch_size=4, num_threads=1)
def drawn() -> Any:
    return fn.random.uniform(range=(0.0, 1.0), shape=[16])  # which copies nothing


def test_copies_to_other_devices_of_the_host_are_counted() -> None:
    for axes, devices, wanted in (("batch", 4, 2 + 1), (None, 4, 3), ("batch", 2, 1)):
        some = by_axes(PartitionSpec(axes), jax.devices()[:devices])
        pipelines = [drawn() for _ in range(2 if axes else 1)]
        iterator = DALIGenericIterator(pipelines, ["x"], size=12 * len(pipelines), sharding=some)
        before = forebay.bytes_copied()
        batch = next(iterator)["x"]
        assert len({shard.data.unsafe_buffer_pointer() for shard in batch.addressable_shards}) == devices
        assert forebay.bytes_copied() - before == wanted * 4 * 16 * 4
    iterator = DALIGenericIterator([drawn(), drawn()], ["x"], size=24)
    iterator._devices = jax.devices()[:2]
    before = forebay.bytes_copied()
    next(iterator)
    assert forebay.bytes_copied() - before == 3 * 4 * 16 * 4


PROCESS = """
import sys, jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from forebay import fn, pipeline_def
from forebay.plugin.jax import DALIGenericIterator

jax.distributed.initialize(sys.argv[1], 2, int(sys.argv[2]))

@pipeline_def(batch_size=4, num_threads=1)
def drawn():
    return fn.random.uniform(range=(0.0, 1.0), shape=[3])

mesh = Mesh(np.array(sorted(jax.devices(), key=lambda each: each.id)).reshape(2, -1), ("process", "device"))
alone = NamedSharding(mesh, PartitionSpec(("process", "device")))
DALIGenericIterator([drawn() for _ in jax.local_devices()], ["x"], size=64, sharding=alone)
common = NamedSharding(mesh, PartitionSpec("device"))
try:
    DALIGenericIterator([drawn() for _ in jax.local_devices()], ["x"], size=64, sharding=common)
except ValueError as error:
    assert "give the pipelines a `seed`" in str(error), error
else:
    raise SystemExit("is not refused")
seeded = DALIGenericIterator([drawn(seed=3) for _ in jax.local_devices()], ["x"], size=64, sharding=common)
print("drew", [np.asarray(shard.data).tolist() for shard in next(seeded)["x"].addressable_shards], flush=True)
"""


def test_processes_that_share_a_shard_need_a_seed() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    command = [sys.executable, "-c", PROCESS, address]
    ranks = [
        subprocess.Popen([*command, str(rank)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    try:
        ended = [rank.communicate(timeout=120) for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()
    drew = [[line for line in out.splitlines() if line.startswith("drew")] for out, _ in ended]
    assert drew[0] and drew[0] == drew[1], [errors for _, errors in ended]


def test_a_sharding_that_divides_samples_is_refused() -> None:
    with pytest.raises(ValueError, match="divides axis 1; batches are divided along axis 0"):
        DALIGenericIterator(counting(), ["x"], sharding=by_axes(PartitionSpec("batch", "model")))


def test_data_iterator_over_devices_is_for_pmap(root: str) -> None:
    @data_iterator(output_map=["y"], reader_name="r", devices=jax.devices()[:2])
    def make(shard_id: int, num_shards: int) -> Any:
        return labels(root, shard_id, num_shards)

    batch = next(make(batch_size=8))["y"]
    assert batch.shape == (2, 4, 1)
    assert batch.devices() == set(jax.devices()[:2])
    assert np.asarray(jax.pmap(lambda y: y.sum(), devices=jax.devices()[:2])(batch)).tolist() == [6, 38]


def test_data_iterator_of_one_pipeline_and_its_checkpoints(root: str) -> None:
    @data_iterator(output_map=["y"], reader_name="r")
    def make() -> Any:
        return labels(root)

    iterator = make(batch_size=4, enable_checkpointing=True)
    next(iterator)
    saved = iterator.checkpoints()
    rest = [np.asarray(batch["y"]).ravel().tolist() for batch in iterator]
    resumed = make(batch_size=4, enable_checkpointing=True, checkpoints=saved)
    assert [np.asarray(batch["y"]).ravel().tolist() for batch in resumed] == rest
    assert rest[0] == [4, 5, 6, 7]


def test_jax_function_gets_and_gives_batches() -> None:
    @jax.jit
    def doubled(x: Any) -> Any:
        assert x.shape == (4, 16)
        return x * 2, x.sum(axis=1)

    @pipeline_def(batch_size=4, num_threads=1)
    def make() -> Any:
        data = fn.external_source(lambda i: [np.full(16, i + k, np.float32) for k in range(4)])
        return tuple(jax_function(doubled, num_outputs=2, output_layouts=["X", ""])(data))

    twice, sums = make().run()
    np.testing.assert_array_equal(twice.as_array()[:, 0], [0, 2, 4, 6])
    np.testing.assert_array_equal(sums.as_array(), [0, 16, 32, 48])
    assert twice.layout() == "X"


def test_jax_function_as_a_decorator_and_its_errors() -> None:
    @jax_function
    def summed(x: Any) -> Any:
        return x.sum()

    @pipeline_def(batch_size=2, num_threads=1)
    def make(sizes: Any) -> Any:
        return summed(fn.external_source(lambda: [np.zeros(size, np.float32) for size in sizes]))

    with pytest.raises((ValueError, RuntimeError), match="must have one shape"):
        make([1, 2]).run()
    with pytest.raises((ValueError, RuntimeError), match=r"gave \(\) for a batch of 2"):
        make([2, 2]).run()
    with pytest.raises(TypeError, match="at least one input"):
        summed()
    with pytest.raises(TypeError, match="must be a jax.sharding.Sharding"):
        jax_function(summed, sharding=3)
    with pytest.raises(NotImplementedError, match="this one has 4"):
        jax_function(summed, sharding=sharding())


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: DALIGenericIterator(counting(), ["x"], last_batch_policy=LastBatchPolicy.PARTIAL), ValueError, "PARTIAL"),
        (lambda: DALIGenericIterator(counting(), ["x"], sharding="x"), TypeError, "must be a jax.sharding.Sharding"),
        (lambda: DALIGenericIterator(counting(), ["x"], sharding=sharding()), ValueError, "4 devices of this process for 1"),
        (lambda: DALIGenericIterator(counting(), ["x", "x"]), ValueError, "twice"),
        (lambda: data_iterator(labels, ["x"], sharding=sharding(), devices=jax.devices()), ValueError, "either"),
        (lambda: data_iterator(labels, ["x"], sharding=sharding())("root"), TypeError, "needs `batch_size`"),
        (
            lambda: data_iterator(labels, ["x"], sharding=sharding())("root", batch_size=8, checkpoints=["a"]),
            RuntimeError,
            "1 checkpoints were given for 4 devices",
        ),
    ],
)
def test_what_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


class TestPeekable:
    """Iterators that can be looked into ahead."""

    def make(self, *arguments: Any, **named: Any) -> Any:
        clu = pytest.importorskip("forebay.plugin.jax.clu", exc_type=ImportError)
        return clu.DALIGenericPeekableIterator(*arguments, **named)

    def test_what_was_looked_at_comes_next(self) -> None:
        iterator = self.make(counting(), ["x"])
        assert iterator.element_spec["x"].shape == (4, 16)
        assert float(iterator.peek()["x"].max()) == 3
        assert float(iterator.peek_async().result()["x"].max()) == 3
        assert [float(batch["x"].max()) for batch in iterator] == [3, 7, 11]

    def test_a_change_of_shape_is_an_error(self) -> None:
        @pipeline_def(batch_size=2, num_threads=1)
        def growing() -> Any:
            return fn.external_source(lambda i: [np.zeros(i + 1, np.float32)] * 2)

        iterator = self.make(growing(), ["x"])
        next(iterator)
        with pytest.raises(ValueError, match="the output 'x' has changed"):
            next(iterator)

    def test_padding_is_told(self) -> None:
        iterator = self.make(counting(), ["x"], size=10)
        masks = [iterator.is_nonpadding.tolist() for _ in iterator]
        assert masks == [[True] * 4, [True] * 4, [True, True, False, False]]
        pipelines = [counting(), counting()]
        sharded = self.make(pipelines, ["x"], size=20, sharding=by_axes(PartitionSpec("batch")))
        masks = [np.asarray(sharded.is_nonpadding).tolist() for _ in sharded]
        assert masks == [[True] * 8, [True] * 8, [True] * 4 + [False] * 4]

    def test_a_state_is_before_what_was_only_looked_at(self, root: str) -> None:
        clu = pytest.importorskip("forebay.plugin.jax.clu", exc_type=ImportError)
        make = clu.peekable_data_iterator(lambda: labels(root), output_map=["y"], reader_name="r")
        iterator = make(batch_size=4, enable_checkpointing=True)
        next(iterator)
        iterator.peek()
        state, checkpoints = iterator.state_dict(), iterator.checkpoints()
        rest = [batch["y"].ravel().tolist() for batch in iterator]
        assert len(rest) == len(iterator) - 1
        resumed = make(batch_size=4, enable_checkpointing=True)
        resumed.peek()
        resumed.load_state_dict(state)
        assert [batch["y"].ravel().tolist() for batch in resumed] == rest
        again = make(batch_size=4, enable_checkpointing=True, checkpoints=checkpoints)
        assert [batch["y"].ravel().tolist() for batch in again] == rest
