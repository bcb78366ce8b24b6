"""Runs the scripts of this folder, unmodified, with Forebay behind the name `nvidia.dali`."""

from __future__ import annotations

import importlib.util
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

HERE = pathlib.Path(__file__).parent
SCRIPTS = sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith(("test_", "conftest")))


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """21 photographs of three classes."""
    root = tmp_path_factory.mktemp("photos")
    random = np.random.default_rng(0)
    for number in range(21):
        folder = root / f"class{number % 3}"
        folder.mkdir(exist_ok=True)
        small = Image.fromarray(random.integers(0, 255, (5, 5, 3), dtype=np.uint8))
        small.resize((48 + number % 4 * 16, 48), Image.Resampling.BICUBIC).save(folder / f"{number}.jpg")
    return root


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("script", SCRIPTS)
def test_script(script: str, photos: pathlib.Path) -> None:
    path = HERE / f"{script}.py"
    if "import torch" in path.read_text() and importlib.util.find_spec("torch") is None:
        pytest.skip(f"{script}: PyTorch is absent")
    result = run("-m", "forebay.compat", str(path), str(photos))
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""


def test_nothing_takes_the_name_otherwise(photos: pathlib.Path) -> None:
    code = "import forebay, sys; assert 'nvidia.dali' not in sys.modules; import nvidia.dali"
    if importlib.util.find_spec("nvidia") is None:
        assert "ModuleNotFoundError" in run("-c", code).stderr


def test_words_of_the_program() -> None:
    assert run("-m", "forebay.compat").returncode == 2
    assert "usage" in run("-m", "forebay.compat", "--help").stdout
    assert "no such file" in run("-m", "forebay.compat", "/nowhere.py").stderr


def test_what_is_not_offered_says_so() -> None:
    code = "import forebay.compat; forebay.compat.install(); import nvidia.dali.plugin.nothing"
    assert "nvidia.dali.plugin.nothing is not offered by Forebay" in run("-c", code).stderr


MODULES = """
from nvidia.dali import backend_impl, data_node, plugin_manager, sysconfig, tensors
import nvidia.dali.backend_impl as b
import nvidia.dali.fn.experimental.decoders
from nvidia.dali.tensors import TensorListCPU, TensorListGPU

assert b.GetSchema("readers__File").Name() == "readers__File" and b.TryGetSchema("nothing") is None
assert "Resize" in b.RegisteredCPUOps() and b.TensorListCPU is TensorListCPU
assert sysconfig.get_include_flags() == ["-I" + sysconfig.get_include_dir()]
refused = [lambda: plugin_manager.load_library(__file__), lambda: b.GetSchema("nothing")]
for call in refused:
    try:
        call()
    except (KeyError, RuntimeError) as error:
        print(type(error).__name__, error)
    else:
        raise AssertionError(call)
"""


def test_modules_that_scripts_import(tmp_path: pathlib.Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(MODULES)
    result = run("-m", "forebay.compat", str(script))
    assert result.returncode == 0, result.stderr
    assert "script.py' cannot be loaded" in result.stdout
    assert "'nothing' not registered" in result.stdout
