"""Files of arrays and of parameters between Forebay and MXNet 1.9.1, both ways, where MXNet is installed."""

from __future__ import annotations

import os
import pathlib
import subprocess
from typing import Any

import numpy as np
import pytest
from forebay import nd
from forebay.gluon import nn

ROOT = pathlib.Path(__file__).resolve().parents[2]
MXNET = pathlib.Path(os.environ.get("FOREBAY_MXNET_PYTHON", ROOT / ".peers" / "mxnet" / "bin" / "python"))

pytestmark = pytest.mark.skipif(not MXNET.exists(), reason="MXNet is absent")

TYPES = ["float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool"]


def under_mxnet(code: str, folder: pathlib.Path) -> None:
    run = subprocess.run([str(MXNET), "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=folder, timeout=300)
    assert run.returncode == 0, run.stderr


def values(dtype: str) -> np.ndarray:
    return (np.arange(6).reshape(2, 3) % 5).astype(dtype)


def test_mxnet_reads_what_forebay_writes(tmp_path: pathlib.Path) -> None:
    nd.save(tmp_path / "named", {f"arg:{dtype}": nd.array(values(dtype)) for dtype in TYPES})
    nd.save(tmp_path / "list", [nd.ones((1,)), nd.zeros((2, 1, 3, 1))])
    under_mxnet(
        "import mxnet as mx, numpy as np\n"
        "named = mx.nd.load('named')\n"
        f"assert list(named) == ['arg:' + d for d in {TYPES}]\n"
        "for name, array in named.items():\n"
        "    assert array.dtype == np.dtype(name[4:]).type, name\n"
        "    assert (array.asnumpy() == (np.arange(6).reshape(2, 3) % 5).astype(array.dtype)).all(), name\n"
        "assert [array.shape for array in mx.nd.load('list')] == [(1,), (2, 1, 3, 1)]\n",
        tmp_path,
    )


def test_forebay_reads_what_mxnet_writes(tmp_path: pathlib.Path) -> None:
    under_mxnet(
        "import mxnet as mx, numpy as np\n"
        "make = lambda d: mx.nd.array((np.arange(6).reshape(2, 3) % 5).astype(d), dtype=d)\n"
        f"mx.nd.save('named', {{d: make(d) for d in {TYPES}}})\n"
        "mx.nd.save('list', [mx.nd.ones((4,))])\n"
        "mx.nd.save('sparse', [mx.nd.ones((2, 2)).tostype('csr')])\n"
        "with mx.util.np_shape(True):\n"
        "    mx.nd.save('numpy', [mx.nd.zeros((0, 3)), mx.nd.array([3.0]).reshape(())])\n",
        tmp_path,
    )
    named = nd.load(tmp_path / "named")
    assert isinstance(named, dict) and list(named) == TYPES
    for dtype, array in named.items():
        assert array.dtype == np.dtype(dtype).type and (array.asnumpy() == values(dtype)).all()
    assert nd.load(tmp_path / "list")[0].asnumpy().tolist() == [1, 1, 1, 1]
    assert [array.shape for array in nd.load(tmp_path / "numpy")] == [(0, 3), ()]
    with pytest.raises(NotImplementedError, match="csr"):
        nd.load(tmp_path / "sparse")


NET = """
net = nn.HybridSequential()
net.add(nn.Dense(3, activation='relu'), nn.BatchNorm(), nn.Dense(2))
net.initialize()
"""


def test_parameters_go_both_ways(tmp_path: pathlib.Path) -> None:
    """A network computes the same in either library with the parameters of the other."""
    scope: dict[str, Any] = {"nn": nn}
    exec(NET, scope)
    net = scope["net"]
    x = np.linspace(-1, 1, 8).reshape(2, 4).astype("float32")
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "ours.npy", net(nd.array(x)).asnumpy())
    net.save_parameters(str(tmp_path / "ours.params"))
    under_mxnet(
        "import numpy as np\nfrom mxnet import nd\nfrom mxnet.gluon import nn\n" + NET + "x = nd.array(np.load('x.npy'))\n"
        "net.load_parameters('ours.params')\n"
        "assert np.allclose(net(x).asnumpy(), np.load('ours.npy'), atol=1e-6)\n"
        "net.initialize(force_reinit=True)\n"
        "np.save('theirs.npy', net(x).asnumpy())\n"
        "net.save_parameters('theirs.params')\n",
        tmp_path,
    )
    net.load_parameters(str(tmp_path / "theirs.params"))
    found = net(nd.array(x)).asnumpy()
    assert np.allclose(found, np.load(tmp_path / "theirs.npy"), atol=1e-6)
