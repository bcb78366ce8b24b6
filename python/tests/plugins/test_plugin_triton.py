"""`forebay.plugin.triton`: Python files that define the pipeline of a server, and what is said of those that do not."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import types as python_types
from typing import Any

import dali_messages
import numpy as np
import pytest

from forebay import Pipeline, fn, pipeline_def
from forebay.compat.autoserialize import invoke_autoserialize
from forebay.errors import InvalidError
from forebay.plugin import triton
from forebay.plugin.triton import __main__ as program
from forebay.plugin.triton import definition, model_file, serialize

DALI = """
import dali_parts
from nvidia.dali import fn, pipeline_def, types
from nvidia.dali.plugin.triton import autoserialize

print("what a script says")

@pipeline_def(batch_size=7)
def another():
    return fn.zeros(shape=[1])

@autoserialize
@pipeline_def(batch_size=2, num_threads=1, device_id=None, enable_conditionals=True)
def served(by=10):
    x = fn.external_source(name="x", ndim=0, dtype=types.INT32)
    if x > 1:
        x = x * by
    return dali_parts.twice(x)

if __name__ == "__main__":
    raise SystemExit("not to be run as a program")
"""

HEAD = "from forebay import fn, pipeline_def, Pipeline\n"
ONE = "@pipeline_def(batch_size=1, num_threads=1)\ndef one():\n    return fn.zeros(shape=[1])\n"


@pytest.fixture
def here(tmp_path: pathlib.Path) -> pathlib.Path:
    """The file above, and a module beside it."""
    (tmp_path / "model.py").write_text(DALI)
    (tmp_path / "dali_parts.py").write_text("def twice(x):\n    return x + x\n")
    return tmp_path


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a file does to the process is undone."""
    monkeypatch.setattr(model_file.compat, "install", lambda: None)
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", sys.modules.copy())
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


def run(pipe: Pipeline, **feeds: Any) -> list[list[Any]]:
    return [[np.array(output.at(place)).tolist() for place in range(len(output))] for output in pipe.run(**feeds)]


def test_a_file_for_dali(here: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(here)
    data = triton.serialize_file(pathlib.Path("model.py"))
    assert run(Pipeline.deserialize(data), x=np.int32([1, 2])) == [[2, 40]]
    assert capfd.readouterr() == ("", "what a script says\n")
    assert "nvidia.dali" not in sys.modules and "dali_parts" not in sys.modules
    assert sorted(os.listdir(here)) == ["dali_parts.py", "model.py"]


def test_the_program(here: pathlib.Path) -> None:
    command = [sys.executable, "-m", "forebay.plugin.triton", here / "model.py", "-"]
    done = subprocess.run(command, check=True, capture_output=True, timeout=120)
    assert done.stderr == b"what a script says\n"
    assert run(Pipeline.deserialize(done.stdout), x=np.int32([1, 2])) == [[2, 40]]


def test_the_program_runs_the_file_itself(tmp_path: pathlib.Path) -> None:
    (tmp_path / "model.py").write_text(
        f"import os, sys\nos.write(1, str(os.getppid()).encode())\nos.chdir('/')\nsys.stdout.write('.')\n{HEAD}{ONE}"
    )
    command = [sys.executable, "-m", "forebay.plugin.triton", "model.py", "saved"]
    done = subprocess.run(command, check=True, capture_output=True, timeout=120, cwd=tmp_path)
    assert (done.stdout, done.stderr) == (b"", f"{os.getpid()}.".encode())
    assert Pipeline.deserialize(filename=tmp_path / "saved").max_batch_size == 1


def test_what_dali_has_saved_is_saved_as_our_own(tmp_path: pathlib.Path) -> None:
    (tmp_path / "model.dali").write_bytes(
        dali_messages.pipeline(
            [dali_messages.source("x", layout="HWC"), dali_messages.operator("Flip", "flipped", ["x"], horizontal=1)],
            ["flipped"],
        )
    )
    assert program.main([str(tmp_path / "model.dali"), str(tmp_path / "saved")]) == 0
    assert (tmp_path / "saved").read_bytes().startswith(b"{")
    pipe = Pipeline.deserialize(filename=tmp_path / "saved", batch_size=1, num_threads=1)
    picture = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    pipe.feed_input("x", [picture])
    assert np.array_equal(np.asarray(pipe.run()[0].at(0)), picture[:, ::-1])
    (tmp_path / "model.dali").write_bytes(b"no pipeline")
    assert program.main([str(tmp_path / "model.dali"), str(tmp_path / "other")]) == 1
    assert not (tmp_path / "other").exists()


def test_what_the_program_says(tmp_path: pathlib.Path, alone: None, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.py").write_text("import for")
    assert program.main([str(tmp_path / "broken.py"), str(tmp_path / "saved")]) == 1
    what = f"forebay.plugin.triton: {tmp_path}/broken.py: line 1: SyntaxError: invalid syntax\n"
    assert capfd.readouterr() == ("", what)
    assert program.main([str(tmp_path / "absent.py"), "-"]) == 1
    assert "absent.py" in capfd.readouterr().err
    assert os.listdir(tmp_path) == ["broken.py"]


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "no function defines a pipeline; decorate one with @pipeline_def"),
        (HEAD + ONE + ONE.replace("one", "two"), r"several functions define a pipeline, one\(\), two\(\); mark one"),
        (HEAD + "from forebay.plugin.triton import autoserialize\n" + "@autoserialize\n" + ONE + "@autoserialize\n"
         + ONE.replace("one", "two"), r"several functions are marked with @autoserialize, one\(\), two\(\)"),
        ("from forebay.plugin.triton import autoserialize\n@autoserialize\ndef plain(): pass\n", "line 2: TypeError.*plain is none"),
        (HEAD + ONE.replace("one()", "one(root, *, size)"), r"one\(\) takes 'root', 'size'; give a default"),
        (HEAD + ONE.replace("batch_size=1", "batch_size=1, debug=True"), "debug=True"),
        (HEAD + ONE.replace("fn.zeros(shape=[1])", "fn.external_source(lambda: 1, name='mine')"), "'mine' has a Python source"),
        (HEAD + ONE.replace("fn.zeros(shape=[1])", "fn.python_function(fn.external_source(name='x'), function=abs)"),
         "'python_function' calls a Python function"),
        (HEAD + ONE.replace("fn.zeros(shape=[1])", "fn.zeross(shape=[1])"), r"line 4: AttributeError: .*'zeross'"),
        ("\n\nraise SystemExit('no more')", "line 3: SystemExit: no more"),
        ("import none_such", "line 1: ModuleNotFoundError: .*none_such"),
        (HEAD + ONE.replace("@pipeline_def", "def of(f):\n    f._is_pipeline_def = True\n    return f\n@of\n#"),
         r"one\(\) makes a DataNode"),
    ],
)
def test_what_gives_no_pipeline(text: str, words: str, tmp_path: pathlib.Path, alone: None) -> None:
    (tmp_path / "model.py").write_text(text)
    with pytest.raises(InvalidError, match=f"model.py: .*{words}"):
        model_file.serialized(str(tmp_path / "model.py"))


def test_a_marked_function_of_another_module(tmp_path: pathlib.Path, alone: None) -> None:
    (tmp_path / "parts_of_it.py").write_text(HEAD + "from forebay.plugin import triton\nimport os\n@triton.autoserialize\n" + ONE)
    (tmp_path / "json.py").write_text("import parts_of_it\nagain = parts_of_it\n")
    assert Pipeline.deserialize(model_file.serialized(str(tmp_path / "json.py"))).max_batch_size == 1
    (tmp_path / "json.py").write_text("from parts_of_it import one as first\n" + HEAD + ONE + "other = one\n")
    assert Pipeline.deserialize(model_file.serialized(str(tmp_path / "json.py"))).max_batch_size == 1
    assert sys.modules["json"].__name__ == "json" and "parts_of_it" not in str(vars(sys.modules["json"]))


def test_of_those_imported_the_own_one_counts(tmp_path: pathlib.Path, alone: None) -> None:
    (tmp_path / "library_of_it.py").write_text(HEAD + ONE)
    (tmp_path / "model.py").write_text(
        "from library_of_it import one\n" + HEAD + ONE.replace("one", "own").replace("batch_size=1", "batch_size=5")
    )
    assert Pipeline.deserialize(model_file.serialized(str(tmp_path / "model.py"))).max_batch_size == 5


def test_a_process_that_ends_by_itself(tmp_path: pathlib.Path) -> None:
    (tmp_path / "model.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    with pytest.raises(InvalidError, match="model.py: the process that ran it was ended by SIGKILL"):
        triton.serialize_file(tmp_path / "model.py")


def test_a_file_that_waits(tmp_path: pathlib.Path) -> None:
    """It, and the process that it has started, are ended."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    (tmp_path / "model.py").write_text(
        f"import os, signal, subprocess\nfile = open({str(fifo)!r}, 'w')\nsubprocess.Popen(['cat'], stdin=subprocess.PIPE,"
        " stdout=file)\nsignal.pause()\n"
    )
    with pytest.raises(TimeoutError, match="model.py: there is no pipeline after 1 s"):
        triton.serialize_file(tmp_path / "model.py", timeout_s=1)
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b""  # nobody has it open for writing
    os.close(reader)


def test_files_that_are_none(tmp_path: pathlib.Path) -> None:
    with pytest.raises(IsADirectoryError, match="a Python file is wanted"):
        triton.serialize_file(tmp_path)
    with pytest.raises(FileNotFoundError, match="absent.py"):
        triton.serialize_file(tmp_path / "absent.py")
    assert serialize._REFUSED == model_file.REFUSED


def test_what_a_module_has_is_saved(tmp_path: pathlib.Path) -> None:
    head = python_types.ModuleType("head")
    with pytest.raises(RuntimeError, match="found in head: none"):
        invoke_autoserialize(head, tmp_path / "saved")

    @triton.autoserialize
    @pipeline_def(batch_size=3, num_threads=1)
    def marked() -> Any:
        return fn.zeros(shape=[1])

    setattr(head, "part", python_types.ModuleType("part"))
    setattr(head.part, "marked", marked)
    setattr(head, "cycle", head)
    invoke_autoserialize(head, tmp_path / "saved")
    assert Pipeline.deserialize(filename=tmp_path / "saved").max_batch_size == 3
    setattr(head, "second", triton.autoserialize(pipeline_def(lambda: fn.zeros(shape=[1]))))
    assert len(definition.marked_in(head)) == 2
    with pytest.raises(RuntimeError, match="one function is to be marked"):
        invoke_autoserialize(head, tmp_path / "saved")
