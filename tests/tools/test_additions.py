"""A toy driver and a toy operator, added by the files that ARCHITECTURE.md names and no others: layers hold, and it
compiles."""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / os.environ.get("PRESET", "dev")

DRIVER_HEADER = """\
// toy://: objects in memory under another scheme.
#pragma once

#include "forebay/storage/scheme.h"

namespace forebay::storage {

StoreFactory toy_factory();

}  // namespace forebay::storage
"""
DRIVER = """\
// One store for the process; the authority is a part of the key.
#include "forebay/storage/toy/toy_store.h"

#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::storage {
namespace {

class ToyStore final : public ForwardingStore {
 public:
  ToyStore() : ForwardingStore(std::make_shared<MemoryStore>()) {}
  std::string uri_of(std::string_view key) const override { return "toy://" + std::string(key); }
};

}  // namespace

StoreFactory toy_factory() {
  return [store = std::make_shared<ToyStore>()](const Uri& uri, const StoreUse&) -> Result<ObjectAddress> {
    return ObjectAddress{store, uri.authority + uri.path};
  };
}

}  // namespace forebay::storage
"""
OPERATOR = """\
// toy: the input in another type.
#include "forebay/operators/arithmetic/cast_to.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct Toy {
  Status run(Sample& sample) const { return cast_to(sample, DType::kFloat); }
};

}  // namespace

OperatorSpec toy() {
  return describe<Toy>("toy", "A toy.").input("data", "Any tensor.").outputs("`data` as float.").build();
}

}  // namespace forebay::operators
"""


@pytest.fixture
def copy(tmp_path: pathlib.Path) -> pathlib.Path:
    """The sources, the checks, and git around them."""
    for folder in ("src", "tools", "python/bindings"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def replace(path: pathlib.Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} in {path}"
    path.write_text(text.replace(old, new))


def check_layers(project: pathlib.Path) -> tuple[int, str]:
    run = subprocess.run([sys.executable, project / "tools" / "check_layers.py"], capture_output=True, text=True,
                         check=False)
    return run.returncode, run.stdout


def check_compiles(project: pathlib.Path, name: str) -> None:
    """With what the build defines and includes, but with these sources."""
    commands = BUILD / "compile_commands.json"
    if not commands.exists():
        pytest.skip(f"{BUILD} is not built")
    command = next(entry["command"] for entry in json.loads(commands.read_text()) if "/operators/" in entry["file"])
    words = shlex.split(command)
    flags = [word for word in words[1:] if word.startswith(("-D", "-I", "-std="))]
    flags = [flag.replace(f"-I{ROOT}/src", f"-I{project}/src") for flag in flags]
    run = subprocess.run([words[0], *flags, "-fsyntax-only", project / "src" / "forebay" / name], capture_output=True,
                         text=True, check=False)
    assert run.returncode == 0, run.stderr[-3000:]


def test_a_driver(copy: pathlib.Path) -> None:
    storage = copy / "src" / "forebay" / "storage"
    (storage / "toy").mkdir()
    (storage / "toy" / "toy_store.h").write_text(DRIVER_HEADER)
    (storage / "toy" / "toy_store.cc").write_text(DRIVER)
    registry = storage / "stores" / "store_registry.cc"
    replace(registry, '              {"mem", shared', '              {"toy", shared({toy_factory(), {}, {}})},\n'
                                                      '              {"mem", shared')
    replace(registry, "#include \"forebay/storage/webhdfs/",
            "#include \"forebay/storage/toy/toy_store.h\"\n#include \"forebay/storage/webhdfs/")
    status, text = check_layers(copy)
    assert status == 1
    assert "storage: room toy has no forebay_room(...) line" in text
    assert "storage/stores may know only" in text
    lines = storage / "CMakeLists.txt"
    above = next(line for line in lines.read_text().splitlines() if line.startswith("# The registry that names every"))
    replace(lines, above, f"# A toy.\nforebay_room(toy DEPS root memory)\n{above}")
    replace(lines, "forebay_room(stores DEPS ", "forebay_room(stores DEPS toy ")
    status, text = check_layers(copy)
    assert status == 0, text
    check_compiles(copy, "storage/toy/toy_store.cc")
    check_compiles(copy, "storage/stores/store_registry.cc")


def test_an_operator(copy: pathlib.Path) -> None:
    operators = copy / "src" / "forebay" / "operators"
    (operators / "arithmetic" / "toy.cc").write_text(OPERATOR)
    replace(operators / "CMakeLists.txt", "  arithmetic/zeros_like\n", "  arithmetic/toy\n  arithmetic/zeros_like\n")
    status, text = check_layers(copy)
    assert status == 0, text
    check_compiles(copy, "operators/arithmetic/toy.cc")
