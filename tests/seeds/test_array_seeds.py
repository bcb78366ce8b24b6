"""Runs the scripts of `arrays/`, unmodified, with Forebay behind the names `mxnet` and `d2lzh`, and where MXNet is installed
(`tools/peers.sh`) with MXNet itself."""

from __future__ import annotations

import gzip
import importlib.util
import os
import pathlib
import re
import struct
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
MXNET = pathlib.Path(os.environ.get("FOREBAY_MXNET_PYTHON", ROOT / ".peers" / "mxnet" / "bin" / "python"))

# The sizes that the tutorial has are seconds of work; these are as telling for values and printed form.
SMALL = {
    "asynchronous_computation": {"SEED_SIDE": "300"},
    "memory_of_training": {"SEED_BATCHES": "50", "SEED_BATCH_SIZE": "32"},
    "memory_of_inference": {"SEED_BATCHES": "10", "SEED_SIDE": "128"},
    "automatic_parallelism": {"SEED_SIDE": "200"},
}
TIME = r"time: \d+\.\d{4} sec"
EXPECTED = {
    "asynchronous_computation": [
        rf"Workloads are queued\. {TIME}",
        r"sum = \n\[6[\d.e+]+\]\n<NDArray 1 @cpu\(0\)>",
        rf"Workloads are finished\. {TIME}",
        r"values: \(300, 300\) float32 norm: float32",
        rf"synchronous\. {TIME}",
        rf"asynchronous\. {TIME}",
        r"\n\[\[2\. 3\. 4\.\]\n \[2\. 3\. 4\.\]\]\n<NDArray 2x3 @cpu\(0\)>",
        r"2\.0 True",
    ],
    "memory_of_training": [
        r"batch 50, time \d\.\d+ sec",
        r"increased memory: -?\d+\.\d+ MB",
        r"mean loss: 0\.\d{4}",
        r"last loss: 0\.\d{4}",
    ],
    "memory_of_inference": [r"increased memory: -?\d+\.\d+ MB", r"same: True"],
    "automatic_parallelism": [
        rf"Run on CPU\. {TIME}",
        rf"Then copy to CPU\. {TIME}",
        rf"Run and copy in parallel\. {TIME}",
        r"same: True\non the CPU: \{'cpu\(0\)'\}",
    ],
    "linear_regression_scratch": [r"epoch 3, loss 0\.000\d+", "found w and b"],
    "linear_regression_concise": [r"\(10, 2\) \(10,\)", r"epoch 3, loss: 0\.000\d+", "found w and b"],
    "softmax_regression_scratch": [
        r"\[\[5\. 7\. 9\.\]\]\n<NDArray 1x3 @cpu\(0\)> \n\[\[ 6\.\]\n \[15\.\]\]",
        r"\[0\.1 0\.5\]\n<NDArray 2 @cpu\(0\)>\n0\.5",
        r"epoch 4, loss 0\.\d+, train acc [01]\.\d+, test acc [01]\.\d+",
        "learned",
    ],
    "perceptron": [r"epoch 4, loss 0\.\d+, train acc", "learned"],
    "lenet": [
        r"conv0 output shape:\t \(1, 6, 24, 24\)",
        r"dense2 output shape:\t \(1, 10\)",
        r"training on cpu\(0\)",
        r"test acc \d\.\d+, time \d+\.\d sec",
        "learned",
    ],
}

# Makes `d2lzh` of the file that Forebay has of it, with MXNet behind it.
WITH_MXNET = """
import importlib.util, os, runpy, sys, types, warnings
warnings.simplefilter("ignore")
import mxnet
mxnet.gluon.utils.check_sha1 = lambda *names: True  # our own files instead of a download
sys.modules["forebay"] = types.ModuleType("forebay")
sys.modules["forebay.compat"] = types.ModuleType("forebay.compat")
sys.modules["forebay.compat"].mxnet = mxnet
spec = importlib.util.spec_from_file_location("d2lzh", sys.argv[1])
sys.modules["d2lzh"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["d2lzh"])
mxnet.random.seed(1)
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""

# The bars of a seven-segment digit: row, column, height, width.
BARS = [(3, 8, 3, 12), (4, 6, 9, 3), (4, 19, 9, 3), (12, 8, 3, 12), (14, 6, 9, 3), (14, 19, 9, 3), (21, 8, 3, 12)]
DIGITS = ["1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010", "1111111", "1111011"]


def digits(count: int, seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Drawn digits, moved, of varied brightness and noisy."""
    random = np.random.default_rng(seed)
    images = random.integers(0, 40, (count, 28, 28))
    labels = random.integers(0, 10, count)
    for image, label in zip(images, labels, strict=True):
        for bar, is_on in zip(BARS, DIGITS[label], strict=True):
            if is_on == "1":
                row, column = np.add(bar[:2], random.integers(-1, 2, 2))
                image[row : row + bar[2], column : column + bar[3]] += random.integers(120, 215)
    return images.clip(0, 255).astype("uint8"), labels.astype("uint8")


@pytest.fixture(scope="session")
def images(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder in MNIST's format."""
    folder = tmp_path_factory.mktemp("digits")
    for part, count, seed in (("train", 3000, 1), ("t10k", 500, 2)):
        for name, values in zip(("images-idx3", "labels-idx1"), digits(count, seed), strict=True):
            header = struct.pack(f">I{values.ndim}I", 0x800 + values.ndim, *values.shape)
            (folder / f"{part}-{name}-ubyte.gz").write_bytes(gzip.compress(header + values.tobytes(), 1))
    return folder


def run(script: str, images: pathlib.Path, *command: str) -> str:
    environment = os.environ | SMALL.get(script, {})
    arguments = [*command, str(HERE / "arrays" / f"{script}.py"), str(images)]
    result = subprocess.run(arguments, capture_output=True, text=True, timeout=600, env=environment)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def check(script: str, printed: str) -> None:
    position = 0
    for pattern in EXPECTED[script]:
        found = re.compile(pattern).search(printed, position)
        assert found, f"{pattern} is not in\n{printed[position:]}"
        position = found.end()


def test_every_script_is_here() -> None:
    assert {path.stem for path in (HERE / "arrays").glob("*.py")} == set(EXPECTED)


@pytest.mark.parametrize("script", EXPECTED)
def test_script(script: str, images: pathlib.Path) -> None:
    printed = run(script, images, sys.executable, "-m", "forebay.compat")
    check(script, printed)
    if script == "automatic_parallelism":
        assert "No GPU: there is no gpu(0) here" in printed


@pytest.mark.nightly  # it shows that what the scripts are expected to print is MXNet's
@pytest.mark.skipif(not MXNET.exists(), reason="MXNet is absent")
@pytest.mark.parametrize("script", EXPECTED)
def test_script_under_mxnet(script: str, images: pathlib.Path, tmp_path: pathlib.Path) -> None:
    runner = tmp_path / "runner.py"
    runner.write_text(WITH_MXNET)
    specification = importlib.util.find_spec("forebay.compat.d2lzh")
    assert specification is not None and specification.origin is not None
    check(script, run(script, images, str(MXNET), str(runner), specification.origin))


def in_compat(code: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", "import forebay.compat; forebay.compat.install()\n" + code], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_memory_stays_bounded() -> None:
    """What 60 batches of 4 MiB take at most that are made and used without waiting, by the pool's own count."""
    printed = in_compat(
        "from mxnet import nd\n"
        "from mxnet.gluon import nn\n"
        "from forebay import memory\n"
        "net = nn.Dense(1)\n"
        "net.initialize()\n"
        "net(nd.ones((1024, 1024))).wait_to_read()\n"
        "held = memory.statistics()['host']['in_use_bytes']\n"
        "for _ in range(60):\n"
        "    y = net(nd.ones((1024, 1024)))\n"
        "nd.waitall()\n"
        "print(memory.statistics()['host']['peak_bytes'] - held)\n"
    )
    assert 4 << 20 <= int(printed) < 60 << 20


@pytest.mark.parametrize(("engine", "place"), [("NaiveEngine", "call"), ("ThreadedEnginePerDevice", "wait")])
def test_the_engine_that_mxnets_variable_names(engine: str, place: str, tmp_path: pathlib.Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import mxnet as mx\n"
        "place = 'call'\n"
        "try:\n"
        "    x = mx.nd.ones(1 << 46)\n"
        "    place = 'wait'\n"
        "    x.wait_to_read()\n"
        "except MemoryError:\n"
        "    print(place)\n"
    )
    result = subprocess.run(
        [sys.executable, "-m", "forebay.compat", str(script)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"MXNET_ENGINE_TYPE": engine},
    )
    assert (result.stdout, result.stderr) == (f"{place}\n", "")


@pytest.mark.parametrize("names", ["mxnet", "d2lzh", "d2l"])
def test_nothing_takes_the_name_otherwise(names: str) -> None:
    if importlib.util.find_spec(names) is not None:
        pytest.skip(f"{names} is installed")
    result = subprocess.run(
        [sys.executable, "-c", f"import forebay; import {names}"], capture_output=True, text=True
    )
    assert "ModuleNotFoundError" in result.stderr


def test_names_of_mxnet() -> None:
    in_compat(
        "import mxnet as mx\n"
        "from mxnet import autograd, context, gluon, init, initializer, lr_scheduler, metric, nd, optimizer\n"
        "from mxnet.gluon import data as gdata, loss as gloss, nn, utils\n"
        "from mxnet.ndarray import NDArray\n"
        "from mxnet.gluon.data.vision import transforms\n"
        "import mxnet.ndarray as F\n"
        "assert mx.nd is nd is F and initializer is init and mx.__version__ == '1.9.1'\n"
        "assert mx.cpu() == context.cpu(0) and mx.context.num_gpus() == 0\n"
        "mx.random.seed(1); a = mx.nd.random.uniform(shape=(3,)); mx.random.seed(1)\n"
        "assert mx.test_utils.same(a, nd.random.uniform(shape=(3,)))\n"
        "import d2lzh as d2l; from d2l import mxnet as other\n"
        "assert d2l.try_gpu() == mx.cpu() == d2l.try_all_gpus()[0] and other.sgd is d2l.sgd\n"
    )


def test_errors_are_mxnets() -> None:
    in_compat(
        "import mxnet as mx\n"
        "def fails(kind, call):\n"
        "    try:\n"
        "        call()\n"
        "    except mx.base.MXNetError as error:\n"
        "        assert isinstance(error, kind), error\n"
        "    else:\n"
        "        raise AssertionError('no error')\n"
        "fails(ValueError, lambda: mx.nd.ones((2, 3)) + mx.nd.ones((4,)))\n"
        "fails(ValueError, lambda: mx.nd.dot(mx.nd.ones((2, 3)), mx.nd.ones((2, 3))))\n"
        "fails(RuntimeError, lambda: mx.nd.ones((1,), ctx=mx.gpu()))\n"
        "fails(FileNotFoundError, lambda: mx.nd.load('/nowhere.params'))\n"
        "dense = mx.gluon.nn.Dense(1); dense.initialize()\n"
        "fails(RuntimeError, lambda: dense.weight.data())\n"
    )


def test_what_is_not_offered_says_so() -> None:
    printed = in_compat(
        "import mxnet as mx\n"
        "for get in (lambda: mx.sym, lambda: mx.np, lambda: mx.nothing):\n"
        "    try: get()\n"
        "    except AttributeError as error: print(error)\n"
        "try: import mxnet.module\n"
        "except ModuleNotFoundError as error: print(error)\n"
    )
    assert printed.splitlines() == [
        "mxnet.sym (symbols) is not offered by Forebay",
        "mxnet.np (NumPy's interface) is not offered by Forebay",
        "mxnet.nothing is not offered by Forebay",
        "mxnet.module is not offered by Forebay",
    ]
