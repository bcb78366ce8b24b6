"""The examples of `examples/frameworks`: what each needs, how it is run, and what it must print.

    framework_examples.py [--write]    runs those whose framework is installed, and shows what each prints, or writes it
                                       to docs/examples.md; what the page says of the others stays
"""

from __future__ import annotations

import ast
import importlib.util
import os
import pathlib
import re
import sys
import tempfile
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "frameworks"
PAGE = ROOT / "docs" / "examples.md"
BEGIN, END = "<!-- what tests/interop/framework_examples.py writes -->", "<!-- its end -->"
MXNET = pathlib.Path(os.environ.get("FOREBAY_MXNET_PYTHON", ROOT / ".peers" / "mxnet" / "bin" / "python"))
PHOTOS = 128
SECONDS = 240
QUIET = {"OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}

sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "tests" / "interop")]

from programs import run_program  # noqa: E402


@dataclass(frozen=True)
class Example:
    """A script and the framework that it needs."""

    script: str
    framework: str
    arguments: str = f"--photos {PHOTOS}"
    module: str = ""  # of Python, that runs the script
    python: pathlib.Path = pathlib.Path(sys.executable)
    shares_process: bool = False  # with the tests, which have imported the framework already
    trains: bool = True  # and prints its epochs

    @property
    def name(self) -> str:
        return f"{self.script}, by {self.module}" if self.module else self.script

    @property
    def command(self) -> str:
        """As a user types it in the root."""
        by = f"-m {self.module} " if self.module else ""
        return f"python {by}examples/frameworks/{self.script} {self.arguments}"

    @property
    def about(self) -> str:
        """The first paragraph of its docstring."""
        text = ast.get_docstring(ast.parse((FOLDER / self.script).read_text())) or ""
        return "\n".join(textwrap.wrap(text.partition("\n\n")[0], 120))

    def is_installed(self) -> bool:
        if str(self.python) != sys.executable:
            return self.python.exists()
        return importlib.util.find_spec(self.framework) is not None

    def run(self, folder: pathlib.Path) -> str:
        """What it prints, run in a folder that holds the pictures. RuntimeError where it fails."""
        by = ["-m", self.module] if self.module else []
        command = [str(self.python), *by, str(FOLDER / self.script), *self.arguments.split()]
        ran = run_program(command, SECONDS, {**os.environ, **self._environment(folder)}, folder)
        if ran.returncode != 0:
            raise RuntimeError(f"{self.command}: exit status {ran.returncode}\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    def _environment(self, folder: pathlib.Path) -> Mapping[str, str]:
        if str(self.python) == sys.executable:
            return QUIET
        found = importlib.util.find_spec("forebay")  # and nothing else of what is installed beside it
        assert found is not None and found.origin is not None
        link = folder / "modules" / "forebay"
        if not link.exists():
            link.parent.mkdir()
            link.symlink_to(pathlib.Path(found.origin).parent)
        return {**QUIET, "PYTHONPATH": str(link.parent)}


EXAMPLES = [
    Example("train_torch.py", "torch", shares_process=True),
    Example("train_lightning.py", "lightning", shares_process=True),
    Example("train_accelerate.py", "accelerate", shares_process=True),
    Example("train_torch_proxy.py", "torch"),
    Example("train_torch_function.py", "torch", shares_process=True),
    Example("measure_loader.py", "torch", shares_process=True, trains=False),
    Example("train_jax.py", "jax"),
    Example("train_tensorflow.py", "tensorflow"),
    Example("train_paddle.py", "paddle"),
    Example("train_mxnet.py", "mxnet", "demo/photos", python=MXNET),
    Example("train_mxnet.py", "numpy", "demo/photos", module="forebay.compat"),
]


def make_pictures(folder: pathlib.Path) -> None:
    """Where the examples look for them that are run in the folder."""
    from make_photos import make_photos

    make_photos(folder / "demo" / "photos", PHOTOS)


def masked(text: str) -> str:
    """Without the numbers that differ between machines: measured times, losses, shares."""
    return re.sub(r"\d+\.\d+|\d+%", "#", text)


def section(example: Example, printed: str) -> str:
    return f"## {example.name}\n\n{example.about}\n\n```\n$ {example.command}\n{printed.rstrip()}\n```\n"


def sections() -> dict[str, str]:
    """Those that the page has, by their titles."""
    text = PAGE.read_text().partition(BEGIN)[2].partition(END)[0]
    return {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in text.split("\n## ")[1:]}


def main() -> None:
    found = sections()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_pictures(folder)
        for example in EXAMPLES:
            if example.is_installed():
                found[example.name] = section(example, example.run(folder))
                print(found[example.name])
    if "--write" in sys.argv[1:]:
        head, _, rest = PAGE.read_text().partition(BEGIN)
        body = "\n".join(found[example.name] for example in EXAMPLES if example.name in found)
        PAGE.write_text(f"{head}{BEGIN}\n\n{body}\n{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()
