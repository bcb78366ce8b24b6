"""OpenBLAS is opened by the first product of matrices, with no threads of its own, and children of a fork multiply."""

import os
import subprocess
import sys

OPENS = """
import ctypes, os
import numpy

libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p

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
before, said = threads(), libc.getenv(b"OPENBLAS_NUM_THREADS")
product = nd.dot(ones, ones)
assert float(product.asnumpy()[5, 7]) == 64.0
assert mapped() > of_numpy
assert threads() == before, (before, threads())
assert libc.getenv(b"OPENBLAS_NUM_THREADS") == said
print(said)
"""

# Each child is forked while a thread of its parent opens the library, somewhat later each time.
FORKS = """
import os, signal, threading, time
from forebay import nd

def product():
    ones = nd.ones((8, 8))
    return float(nd.dot(ones, ones).asnumpy()[0, 0])

for late in range(20):
    parent = os.fork()
    if parent == 0:
        signal.alarm(60)
        opening = threading.Thread(target=product)
        opening.start()
        time.sleep(late * 0.00015)
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            os._exit(product() != 8.0)
        _, state = os.waitpid(child, 0)
        opening.join()
        os._exit(state != 0)
    assert os.waitpid(parent, 0)[1] == 0, late
"""


def run(program: str, **variables: str) -> str:
    """With the environment of a user who says nothing to BLAS but `variables`."""
    said = ("OPENBLAS_", "GOTO_", "OMP_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(said)}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], env={**environment, **variables}, timeout=240,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_product_opens_it() -> None:
    assert run(OPENS) == "None\n"


def test_what_a_user_says_of_threads_stays_said() -> None:
    assert run(OPENS, OPENBLAS_NUM_THREADS="4") == "b'4'\n"


def test_children_that_are_forked_while_it_is_opened_multiply() -> None:
    run(FORKS)
