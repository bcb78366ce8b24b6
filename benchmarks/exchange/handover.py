"""Nanoseconds of one hand-over by DLPack, beside NumPy and PyTorch in the same process.

    python benchmarks/exchange/handover.py [--json]

By `__dlpack__`: making the capsule and dropping it. By the C exchange API: the function that the capsule
`__dlpack_c_exchange_api__` holds, and the deleter, called from C (a few lines that this program compiles).
"""

from __future__ import annotations

import argparse
import ctypes
import json
import pathlib
import subprocess
import tempfile
import timeit
from typing import Any

import numpy as np

from forebay import TensorCPU, interop

# The first fields of the ABI are all that is needed: {version, prev, allocator, from_object}.
LOOP = r"""
#include <stdint.h>
#include <time.h>
typedef struct Managed { uint32_t version[2]; void* context; void (*deleter)(struct Managed*); } Managed;
typedef struct { uint32_t version[2]; void* previous; void* allocate; int (*from_object)(void*, Managed**); } Api;
double nanoseconds(Api* api, void* object, long count) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (long i = 0; i < count; ++i) {
    Managed* managed;
    if (api->from_object(object, &managed) != 0) return -1;
    managed->deleter(managed);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  return ((end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec)) / count;
}
"""
COUNT = 100_000
ROUNDS = 7


def compiled_loop() -> Any:
    folder = pathlib.Path(tempfile.mkdtemp())
    source = folder / "loop.c"
    source.write_text(LOOP)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", folder / "loop.so", source], check=True)
    function = ctypes.PyDLL(str(folder / "loop.so")).nanoseconds
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_void_p, ctypes.py_object, ctypes.c_long]
    return function


def by_c_api(loop: Any, producer: Any) -> float | None:
    capsule = getattr(type(producer), "__dlpack_c_exchange_api__", None)
    if capsule is None:
        return None
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    api = pointer(capsule, b"dlpack_exchange_api")
    return min(loop(api, producer, COUNT) for _ in range(ROUNDS))


def by_method(producer: Any) -> float:
    timer = timeit.Timer("producer.__dlpack__(max_version=(1, 3))", globals={"producer": producer})
    return min(timer.repeat(ROUNDS, COUNT)) / COUNT * 1e9


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    values = np.zeros((16, 16), np.float32)
    producers = {"forebay.TensorCPU": TensorCPU(values), "forebay.interop.Array": interop.array(values), "numpy": values}
    try:
        import torch

        producers["torch"] = torch.zeros(16, 16)
    except ImportError:
        pass
    loop = compiled_loop()
    found = {name: {"__dlpack__": by_method(it), "C API": by_c_api(loop, it)} for name, it in producers.items()}
    if as_json:
        print(json.dumps(found))
        return
    print(f"{'ns a hand-over':<24}{'__dlpack__':>12}{'C API':>12}")
    for name, row in found.items():
        api = "-" if row["C API"] is None else f"{row['C API']:.0f}"
        print(f"{name:<24}{row['__dlpack__']:>12.0f}{api:>12}")


if __name__ == "__main__":
    main()
