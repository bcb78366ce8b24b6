"""Modules and names that scripts written for DALI import, of this package and under DALI's name."""

from __future__ import annotations

import builtins
import importlib
import subprocess
import sys
from typing import Any

import pytest

import forebay
from forebay import _conditionals, backend, backend_impl, fn, ops, pipeline_def, types
from forebay.graph.data_node import DataNode


NAMES = {
    "_conditionals": "conditionals_enabled register_data_nodes apply_conditional_split",
    "auto_aug.core._augmentation": "Augmentation",
    "auto_aug.core.decorator": "augmentation",
    "backend": "GetSchema TryGetSchema OpSchema OpSpec RegisteredCPUOps RegisteredGPUOps RegisteredMixedOps",
    "backend_impl": "TensorCPU TensorListCPU GetSchema OpSpec",
    "data_node": "DataNode newaxis",
    "external_source": "ExternalSource external_source",
    "ops": "Reload",
    "ops._registry": "cpu_ops gpu_ops mixed_ops register_cpu_op",
    "plugin.base_iterator": "_DaliBaseIterator",
    "sysconfig": "get_include_dir",
}
SCRIPT = """
import importlib, sys
from forebay import compat
compat.install()
for line in sys.argv[1:]:
    module, *names = line.split()
    loaded = importlib.import_module(f"nvidia.dali.{module}")
    print([f"{module}.{name}" for name in names if not hasattr(loaded, name)])
"""


def test_modules_have_their_names() -> None:
    """In a process of its own, as install() is for good."""
    lines = [f"{module} {names}" for module, names in NAMES.items()]
    run = subprocess.run([sys.executable, "-c", SCRIPT, *lines], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["[]"] * len(NAMES)


def test_the_package_has_what_scripts_take_from_it() -> None:
    assert forebay.StreamPolicy is forebay.pipeline.StreamPolicy
    assert forebay.OperatorConcurrency is forebay.pipeline.OperatorConcurrency
    assert forebay.__cuda_version__ == backend.GetCudaVersion() == -1  # type: ignore[attr-defined, unused-ignore]
    assert ops.Reload() is None  # type: ignore[func-returns-value]


def test_schemas() -> None:
    assert backend.TryGetSchema("Nonsense") is None
    with pytest.raises(KeyError, match="not registered"):
        backend_impl.GetSchema("Nonsense")
    old = backend.GetSchema("CoinFlip")
    assert (old.IsDeprecated(), old.DeprecatedInFavorOf()) == (True, "random__CoinFlip")
    assert backend.GetSchema("Resize").GetArgumentType("interp_type") == types.INTERP_TYPE


def test_whether_conditionals_are_enabled() -> None:
    seen = []

    def write() -> Any:
        seen.append(_conditionals.conditionals_enabled())
        return types.Constant(1)

    for enabled in (False, True):
        pipeline_def(write, batch_size=1, num_threads=1, enable_conditionals=enabled)()
    assert (seen, _conditionals.conditionals_enabled()) == ([False, True], False)


@pytest.mark.parametrize(
    ("plugin", "needed"),
    [("pytorch", "torch"), ("jax", "jax"), ("numba", "numba"), ("tf", "tensorflow"), ("paddle", "paddle")],
)
def test_a_plugin_says_by_name_what_is_not_installed(plugin: str, needed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == needed or name.startswith(f"{needed}."):
            raise ModuleNotFoundError(f"No module named '{needed}'", name=needed)
        return real(name, *rest, **more)

    for name in [name for name in sys.modules if name.startswith(f"forebay.plugin.{plugin}")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModuleNotFoundError, match="install the package") as caught:
        importlib.import_module(f"forebay.plugin.{plugin}")
    assert caught.value.name == needed


def test_a_node_made_by_hand() -> None:
    node = DataNode("abc", "gpu")
    assert (node.name, node.device, node.source, node.index) == ("abc", "gpu", None, 0)
    with pytest.raises(RuntimeError, match="'abc' was made by hand"):
        fn.copy(node)
