"""Frameworks of CUDA on the device's pool, by stand-ins with the functions that their adapters call: no device is needed."""

from __future__ import annotations

import ctypes
import importlib.machinery
import sys
import types
from typing import Any, Iterator

import pytest

from forebay import memory, memory_frameworks


class _Block:
    """A block of a device's pool that is not there."""

    out: list[tuple[int, int, int]] = []

    def __init__(self, size: int, device: int, stream: int) -> None:
        self.request = (size, device, stream)
        self.pointer = 0x1000
        self.out.append(self.request)

    def __del__(self) -> None:
        self.out.remove(self.request)


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **parts: Any) -> Any:
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    for key, part in parts.items():
        setattr(module, key, part)
    monkeypatch.setitem(sys.modules, name, module)
    return module


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    _Block.out.clear()
    monkeypatch.setattr(memory_frameworks._core, "open_device_pool", lambda: None)
    monkeypatch.setattr(memory_frameworks._core, "DeviceBlock", _Block)
    yield
    assert _Block.out == []


def make_cupy(monkeypatch: pytest.MonkeyPatch) -> Any:
    state = {"allocator": "cupy's own"}
    cuda = types.SimpleNamespace(
        is_available=lambda: True,
        Device=lambda: types.SimpleNamespace(id=0),
        get_current_stream=lambda: types.SimpleNamespace(ptr=77),
        UnownedMemory=lambda pointer, size, owner, device: types.SimpleNamespace(ptr=pointer, owner=owner),
        MemoryPointer=lambda memory, offset: types.SimpleNamespace(mem=memory, offset=offset),
        get_allocator=lambda: state["allocator"],
        set_allocator=lambda allocator: state.update(allocator=allocator),
    )
    return stand_in(monkeypatch, "cupy", cuda=cuda)


def test_cupy(monkeypatch: pytest.MonkeyPatch, device: None) -> None:
    cupy = make_cupy(monkeypatch)
    use = memory.use_everywhere(["cupy"])
    assert use.reached == ["cupy"], use["cupy"].note
    pointer = cupy.cuda.get_allocator()(512)
    assert (pointer.mem.ptr, pointer.offset, _Block.out) == (0x1000, 0, [(512, 0, 77)])
    assert use.undo() == []
    assert cupy.cuda.get_allocator() == "cupy's own"
    assert len(_Block.out) == 1  # until CuPy lets go of it
    del pointer


def test_cupy_that_was_changed_since(monkeypatch: pytest.MonkeyPatch, device: None) -> None:
    cupy = make_cupy(monkeypatch)
    use = memory.use_everywhere(["cupy"])
    cupy.cuda.set_allocator("a third one")
    assert "another" in use.undo()[0].note
    assert cupy.cuda.get_allocator() == "a third one"


class _HostOnly:
    def __init__(self, context: Any) -> None:
        self.context = context


def make_numba(monkeypatch: pytest.MonkeyPatch, has_context: bool) -> Any:
    state: dict[str, Any] = {"manager": _HostOnly}
    context = types.SimpleNamespace(device=types.SimpleNamespace(id=0))
    context.memory_manager = _HostOnly(context) if has_context else None

    def current_context() -> Any:
        if context.memory_manager is None:
            context.memory_manager = state["manager"](context)
        return context

    stand_in(monkeypatch, "numba")
    stand_in(monkeypatch, "numba.cuda.cudadrv.driver", USE_NV_BINDING=False)
    return stand_in(
        monkeypatch,
        "numba.cuda",
        is_available=lambda: True,
        HostOnlyCUDAMemoryManager=_HostOnly,
        MemoryPointer=lambda context, pointer, size, finalizer: (pointer.value, size, finalizer),
        set_memory_manager=lambda manager: state.update(manager=manager),
        current_context=current_context,
    )


def test_numba(monkeypatch: pytest.MonkeyPatch, device: None) -> None:
    cuda = make_numba(monkeypatch, has_context=False)
    use = memory.use_everywhere(["numba"])
    assert use.reached == ["numba"], use["numba"].note
    manager = cuda.current_context().memory_manager
    assert manager.interface_version == 1
    pointer, size, finalizer = manager.memalloc(64)
    assert (pointer, size, _Block.out) == (0x1000, 64, [(64, 0, 0)])
    finalizer()
    assert _Block.out == []
    assert "life of the process" in use.undo()[0].note


def test_numba_that_was_in_use_before(monkeypatch: pytest.MonkeyPatch, device: None) -> None:
    make_numba(monkeypatch, has_context=True)
    use = memory.use_everywhere(["numba"])
    assert use.reached == []
    assert "already" in use["numba"].note


def make_torch(monkeypatch: pytest.MonkeyPatch, cuda_version: str | None, is_available: bool, failure: str = "") -> list[Any]:
    made: list[Any] = []

    def change(allocator: Any) -> None:
        if failure:
            raise RuntimeError(failure)
        made.append(allocator)

    functions = types.SimpleNamespace(CUDAPluggableAllocator=lambda *facts: facts, change_current_allocator=change)
    cuda = types.SimpleNamespace(is_available=lambda: is_available, memory=functions)
    stand_in(monkeypatch, "torch", version=types.SimpleNamespace(cuda=cuda_version), cuda=cuda)
    return made


def test_torch(monkeypatch: pytest.MonkeyPatch, device: None) -> None:
    made = make_torch(monkeypatch, "13.0", True)
    use = memory.use_everywhere(["torch"])
    assert use.reached == ["torch"], use["torch"].note
    library, *names = made[0]
    assert all(hasattr(ctypes.CDLL(library), name) for name in names)
    assert "life of the process" in use.undo()[0].note


@pytest.mark.parametrize(
    "version,available,failure,reason",
    [
        (None, False, "", "without CUDA"),
        ("13.0", False, "", "no CUDA device"),
        ("13.0", True, "initialized", "already"),
    ],
)
def test_torch_refusals(
    monkeypatch: pytest.MonkeyPatch, device: None, version: str | None, available: bool, failure: str, reason: str
) -> None:
    make_torch(monkeypatch, version, available, failure)
    use = memory.use_everywhere(["torch"])
    assert use.reached == [] and reason in use["torch"].note


def test_without_a_device_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    make_cupy(monkeypatch)
    use = memory.use_everywhere(["cupy"])
    assert use.reached == []
    assert "libcuda.so.1" in use["cupy"].note
