"""The examples of `examples/frameworks`: the loss falls, and docs/examples.md shows what they print."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pathlib
import re
import runpy
import subprocess
import sys

import framework_examples
import pytest
from framework_examples import EXAMPLES, FOLDER, QUIET, SECONDS, Example
from programs import run_program


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("frameworks")
    framework_examples.make_pictures(made)
    return made


def printed_here(
    example: Example, folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr(sys, "argv", [example.script, *example.arguments.split()])
    torch = importlib.import_module("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # which wait for each other where the host has much to do
    try:
        runpy.run_path(str(FOLDER / example.script), run_name="__main__")
    finally:
        torch.set_num_threads(threads)
    return capsys.readouterr().out


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
@pytest.mark.filterwarnings("ignore")
def test_an_example(
    example: Example, folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not example.is_installed():
        pytest.skip(f"{example.framework} is not installed")
    shares = example.shares_process
    printed = printed_here(example, folder, monkeypatch, capsys) if shares else example.run(folder)
    epochs = re.findall(r"^epoch \d: .*loss ([0-9.]+),", printed, re.MULTILINE)
    assert bool(epochs) == example.trains, printed
    assert not example.trains or float(epochs[-1]) < 0.8 * float(epochs[0]), printed
    found, shown = framework_examples.section(example, printed), framework_examples.sections()[example.name]
    assert framework_examples.masked(found) == framework_examples.masked(shown), (
        "docs/examples.md is not up to date: run python tests/interop/framework_examples.py --write"
    )


def with_two_ranks(folder: pathlib.Path, script: pathlib.Path) -> subprocess.CompletedProcess[str]:
    if importlib.util.find_spec("accelerate") is None:
        pytest.skip("accelerate is not installed")
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    path = os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")])
    command = [*launcher, str(script), "demo/photos"]
    return run_program(command, SECONDS, {**os.environ, **QUIET, "PYTHONPATH": path}, folder)


@pytest.mark.nightly
def test_accelerate_with_two_ranks(folder: pathlib.Path) -> None:
    ran = with_two_ranks(folder, FOLDER / "train_accelerate.py")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.findall(r"epoch (\d): 128 images", ran.stdout) == ["1", "2", "3", "4"], ran.stdout
    assert "from the checkpoint amid epoch 4: 2 of 4 steps again, the same losses" in ran.stdout


PREPARED = """
import accelerate, torch, sys
from train_accelerate import batches_of

accelerator = accelerate.Accelerator(cpu=True)
for ranks in (1, accelerator.num_processes):  # each reads all, then each its shard
    batches = batches_of("demo/photos", accelerator.process_index % ranks, ranks)
    assert accelerator.prepare(batches) is batches
    loader = accelerator.prepare(torch.utils.data.DataLoader(batches, batch_size=None))
    try:
        print(sum(len(batch["label"]) for batch in loader), "of them")
    except RuntimeError as refused:
        print(f"rank {accelerator.process_index}: {refused}")
"""


@pytest.mark.nightly
def test_accelerate_that_would_leave_shards_is_refused(folder: pathlib.Path) -> None:
    (folder / "prepared.py").write_text(PREPARED)
    ran = with_two_ranks(folder, folder / "prepared.py")
    assert ran.returncode == 0 and ran.stdout.count("64 of them") == 2, ran.stdout + ran.stderr
    for rank in range(2):  # both, as one would wait for the other
        said = f"rank {rank}: .* would use the first rank's alone: do not prepare the loader"
        assert re.search(said, ran.stdout), ran.stdout + ran.stderr
