"""OpenBLAS is opened by the first product of matrices, with no threads of its own."""

import subprocess
import sys

PROGRAM = """
import os
import numpy

def mapped():
    with open("/proc/self/maps") as maps:
        return {line.split()[-1] for line in maps if "blas" in line}

def threads():
    return len(os.listdir("/proc/self/task"))

of_numpy = mapped()
from forebay import nd
ones = nd.ones((64, 64))
ones.wait_to_read()
assert mapped() == of_numpy, mapped() - of_numpy
before = threads()
product = nd.dot(ones, ones)
assert float(product.asnumpy()[5, 7]) == 64.0
assert mapped() > of_numpy
assert threads() <= before, (before, threads())
assert "OPENBLAS_NUM_THREADS" not in os.environ
"""


def test_the_first_product_opens_it() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, timeout=120)
