"""How far a script that waits for nothing runs ahead of its arrays."""

import subprocess
import sys

import pytest

MEBIBYTE = 1 << 20

TRAINING = """
import resource, sys
from forebay import nd

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

waits = sys.argv[1] == "waits"
model = nd.zeros((1024, 1024))
for warm_up in range(2):
    model += nd.ones((1024, 1024))
model.wait_to_read()
before = peak()
for batch in range(60):
    model += nd.ones((1024, 1024))
    if waits:
        model.wait_to_read()
model.wait_to_read()
assert model[0, 0].asscalar() == 62
print(peak(), before)
"""

CROWD = """
from forebay import nd
x = nd.zeros((1,))
for i in range(100000):
    x = x + 1
print(x.asscalar())
"""


def run(script: str, *arguments: str, **environment: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", script, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("workers", ["1", "2", "4"])
def test_training_without_waiting_takes_little_more_memory(workers: str) -> None:
    waited, _ = map(int, run(TRAINING, "waits", FOREBAY_ARRAY_WORKERS=workers).split())
    free, _ = map(int, run(TRAINING, "runs", FOREBAY_ARRAY_WORKERS=workers).split())
    assert free <= 1.1 * waited + 8 * 1024, "in KiB: 60 batches are 240 MiB"


def test_the_limit_can_be_lifted_and_the_result_is_the_same() -> None:
    run(TRAINING, "runs", FOREBAY_ARRAY_RUN_AHEAD="0")


@pytest.mark.parametrize("workers", ["1", "3"])
def test_many_more_operations_than_may_be_queued(workers: str) -> None:
    assert float(run(CROWD, FOREBAY_ARRAY_WORKERS=workers)) == 100000
