"""Programs that know nothing of Forebay write to a mounted bucket and read what they wrote: tables, checkpoints, copies."""

from __future__ import annotations

import collections.abc
import importlib.util
import pathlib
import shutil

import pytest
from mounted_bucket import mounted_bucket, run_script

from mounted import contents, run

LONGEST_SCRIPT_S = 200

PANDAS = """
import sys
import numpy
import pandas

table = pandas.DataFrame({"number": range(200_000), "draw": numpy.random.default_rng(1).random(200_000)})
table.to_parquet(sys.argv[1] + "/table.parquet")
table.to_csv(sys.argv[1] + "/table.csv", index=False)
pandas.testing.assert_frame_equal(pandas.read_parquet(sys.argv[1] + "/table.parquet"), table)
pandas.testing.assert_frame_equal(pandas.read_csv(sys.argv[1] + "/table.csv"), table)
"""

PYARROW = """
import sys
import pyarrow
import pyarrow.dataset

table = pyarrow.table({"part": [number % 3 for number in range(3000)], "number": range(3000)})
pyarrow.dataset.write_dataset(table, sys.argv[1] + "/set", format="parquet", partitioning=["part"])
read = pyarrow.dataset.dataset(sys.argv[1] + "/set", partitioning=["part"])
assert read.count_rows() == 3000
assert sorted(read.to_table(filter=pyarrow.dataset.field("part") == 1)["number"].to_pylist()) == list(range(1, 3000, 3))
"""

DUCKDB = """
import sys
import duckdb

folder = sys.argv[1]
duckdb.sql(f"copy (select range as number from range(100000)) to '{folder}/table.parquet'")
duckdb.sql(f"copy (select range as number, range % 4 as part from range(1000)) to '{folder}/parts' "
           "(format parquet, partition_by (part))")
assert duckdb.sql(f"select sum(number) from '{folder}/table.parquet'").fetchall() == [(4999950000,)]
assert duckdb.sql(f"select count(*) from read_parquet('{folder}/parts/*/*.parquet') where part = 2").fetchall() == [(250,)]
"""

NUMPY = """
import sys
import numpy

arrays = {"a": numpy.arange(1_000_000), "b": numpy.ones((3, 4), numpy.float32)}
numpy.savez(sys.argv[1] + "/arrays.npz", **arrays)
numpy.save(sys.argv[1] + "/a.npy", arrays["a"])
with numpy.load(sys.argv[1] + "/arrays.npz") as read:
    assert all((read[name] == arrays[name]).all() for name in arrays)
assert (numpy.load(sys.argv[1] + "/a.npy", mmap_mode="r") == arrays["a"]).all()
"""

TORCH = """
import os
import sys
import torch

state = {"weights": torch.arange(8_000_000), "step": 3}
for epoch in range(2):
    torch.save(state, sys.argv[1] + "/new.pt")
    os.replace(sys.argv[1] + "/new.pt", sys.argv[1] + "/last.pt")
    read = torch.load(sys.argv[1] + "/last.pt", mmap=epoch == 1)
    assert read["step"] == 3 and torch.equal(read["weights"], state["weights"])
assert os.listdir(sys.argv[1]) == ["last.pt"]
"""

CHECKPOINT = """
import sys
import torch
import torch.distributed.checkpoint as checkpoint

model = torch.nn.Linear(1000, 300)
optimizer = torch.optim.Adam(model.parameters())
for step in range(2):
    model(torch.ones(4, 1000)).sum().backward()
    optimizer.step()
    checkpoint.save({"model": model.state_dict(), "step": step}, checkpoint_id=f"{sys.argv[1]}/step{step}")
other = torch.nn.Linear(1000, 300)
state = {"model": other.state_dict(), "step": 0}
checkpoint.load(state, checkpoint_id=sys.argv[1] + "/step1")
assert state["step"] == 1 and torch.equal(state["model"]["weight"], model.weight)
"""

TENSORFLOW = """
import sys
import tensorflow as tf

with tf.io.TFRecordWriter(sys.argv[1] + "/data.tfrecord") as writer:
    for number in range(100):
        writer.write(str(number).encode())
assert [record.numpy() for record in tf.data.TFRecordDataset(sys.argv[1] + "/data.tfrecord")] == [
    str(number).encode() for number in range(100)]
model = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(2)])
model.save(sys.argv[1] + "/model.keras")
assert (tf.keras.models.load_model(sys.argv[1] + "/model.keras").get_weights()[0] == model.get_weights()[0]).all()
checkpoint = tf.train.Checkpoint(model=model)
assert tf.train.Checkpoint(model=model).restore(checkpoint.save(sys.argv[1] + "/checkpoint/one"))
"""

SCRIPTS = {"pandas": PANDAS, "pyarrow": PYARROW, "duckdb": DUCKDB, "numpy": NUMPY, "torch": TORCH,
           "torch.distributed.checkpoint": CHECKPOINT, "tensorflow": TENSORFLOW}


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> collections.abc.Iterator[pathlib.Path]:
    """An empty bucket, mounted through the host's cache."""
    folder = tmp_path_factory.mktemp("files")
    with mounted_bucket(folder, longest_s=len(SCRIPTS) * LONGEST_SCRIPT_S) as (_, path):
        yield path


@pytest.mark.parametrize("library", SCRIPTS)
def test_a_library_reads_what_it_wrote(bucket: pathlib.Path, library: str) -> None:
    if importlib.util.find_spec(library.split(".")[0]) is None:
        pytest.skip(f"{library} is absent")
    (bucket / library).mkdir()
    run_script(SCRIPTS[library], bucket / library, LONGEST_SCRIPT_S)


def test_rsync_brings_a_tree_there_and_back(bucket: pathlib.Path, tmp_path: pathlib.Path) -> None:
    if shutil.which("rsync") is None:
        pytest.skip("rsync is not installed")
    tree = tmp_path / "tree"
    for number in range(50):
        (tree / f"folder{number % 5}").mkdir(parents=True, exist_ok=True)
        (tree / f"folder{number % 5}" / f"{number}.bin").write_bytes(bytes([number]) * number * 1000)
    run("rsync", "-a", f"{tree}/", f"{bucket}/rsync")
    (tree / "folder0" / "0.bin").write_bytes(b"changed")
    (tree / "folder1" / "1.bin").unlink()
    run("rsync", "-a", "--delete", f"{tree}/", f"{bucket}/rsync")
    run("rsync", "-a", f"{bucket}/rsync/", tmp_path / "back")
    assert contents(tmp_path / "back") == contents(tree)
