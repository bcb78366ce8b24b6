"""Scripts under `python -m forebay.compat` whose external sources run in worker processes of every kind."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

SCRIPT = """
import sys

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import pipeline_def


class Source:
    \"\"\"Is pickled by its name, which the worker has to find.\"\"\"

    def __call__(self, info):
        return np.full(2, factor() * info.idx_in_epoch, np.int32)


def factor():
    return int(types.DALIDataType.UINT16) * 10


@pipeline_def(batch_size=3, num_threads=1, device_id=None, py_num_workers=2, py_start_method=sys.argv[1])
def pipeline():
    return fn.external_source(source=Source(), parallel=True, batch=False)


if __name__ == "__main__":
    pipe = pipeline()
    pipe.build()
    print([pipe.run()[0].as_array()[:, 0].tolist() for _ in range(2)], sys.argv[1:], __name__)
"""


@pytest.mark.parametrize("method", ("fork", "spawn", "forkserver"))
def test_workers_run_the_script(tmp_path: pathlib.Path, method: str) -> None:
    script = tmp_path / "a script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "forebay.compat", str(script), method]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == f"[[0, 10, 20], [30, 40, 50]] ['{method}'] __main__"


def test_a_script_fails_as_it_would_alone(tmp_path: pathlib.Path) -> None:
    script = tmp_path / "broken.py"
    script.write_text("import sys\n\nprint(__file__)\nsys.exit(3)\n")
    command = [sys.executable, "-m", "forebay.compat", str(script)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (result.returncode, result.stdout.strip()) == (3, str(script))
