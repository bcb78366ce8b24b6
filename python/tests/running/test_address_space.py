"""Without memory a process gets errors of Python: it does not abort, and it does not wait for ever."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys
import forebay
from forebay import fn, nd, pipeline_def

folder, more_bytes = sys.argv[1], int(sys.argv[2]) << 20

@pipeline_def(batch_size=8, num_threads=2)
def photos():
    jpegs, labels = fn.readers.file(file_root=folder, random_shuffle=True)
    return fn.resize(fn.decoders.image(jpegs), size=(1200, 1200)), labels

def use_arrays():
    kept = []
    for number in range(64):
        kept.append(nd.ones((1 << 20,)) * number)
        kept[-1].wait_to_read()

def use_products():
    factors = [nd.ones((300, 300)) for _ in range(8)]
    for product in [nd.dot(factor, factor) for factor in factors]:
        assert product.asnumpy()[0, 0] == 300
    sys.stdout.write("products")

def use_pipeline():
    pipeline = photos()
    kept = [pipeline.run() for _ in range(8)]

if sys.argv[3] == "products after a small one":
    assert nd.dot(nd.ones((8, 8)), nd.ones((8, 8))).asnumpy()[0, 0] == 8
with open("/proc/self/statm") as statm:
    taken_bytes = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken_bytes + more_bytes,) * 2)
try:
    {"arrays": use_arrays, "pipeline": use_pipeline, "products": use_products}[sys.argv[3].split()[0]]()
except (MemoryError, OSError, RuntimeError) as error:
    sys.stdout.write("an error of Python: " + type(error).__name__)
sys.stdout.flush()
"""


@pytest.mark.parametrize("more_mebibytes", [1, 4, 12, 24, 40, 56, 72, 96])
@pytest.mark.parametrize("use", ["arrays", "pipeline"])
def test_no_limit_of_memory_aborts(photos: pathlib.Path, use: str, more_mebibytes: int) -> None:
    command = [sys.executable, "-c", PROGRAM, str(photos), str(more_mebibytes), use]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert ended.returncode >= 0, f"ended by signal {-ended.returncode}: {ended.stderr[-2000:]}"
    assert "an error of Python" in ended.stdout or "MemoryError" in ended.stderr, ended.stderr[-2000:]


@pytest.mark.parametrize(
    "use, more_mebibytes, is_enough",
    [
        ("products", 32, False),
        ("products", 150, None),
        ("products", 400, True),
        ("products after a small one", 32, True),
        ("products after a small one", 150, True),
    ],
)
def test_products_end_where_memory_for_their_buffers_is_short(
    photos: pathlib.Path, use: str, more_mebibytes: int, is_enough: bool | None
) -> None:
    """OpenBLAS takes 128 MiB for each product that is under way, and asks for ever where it gets none.

    Of a small one it takes nothing, on CPUs with AVX-512: there is a buffer for the others all the same.
    """
    command = [sys.executable, "-c", PROGRAM, str(photos), str(more_mebibytes), use]
    kernels_of_this_cpu = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env=kernels_of_this_cpu
    )
    assert ended.returncode >= 0, f"ended by signal {-ended.returncode}: {ended.stderr[-2000:]}"
    assert "an error of Python" in ended.stdout or "MemoryError" in ended.stderr or ended.stdout == "products", ended.stderr
    assert is_enough is None or (ended.stdout == "products") is is_enough
