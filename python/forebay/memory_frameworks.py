"""How each framework is put on Forebay's pools, or why it cannot be.

Sources: NumPy's NEP 49; torch.cuda.memory.CUDAPluggableAllocator; cupy.cuda.set_allocator; the External Memory Management
interface of Numba, version 1.
"""

from __future__ import annotations

import ctypes
import dataclasses
import importlib.util
from typing import Any, Callable

from . import _core
from .framework_modules import import_framework

Undo = Callable[[], str]
"""Puts back what was there before; why it could not, or nothing."""


class Refused(Exception):
    """The framework cannot be put on a pool here; the text says why."""


@dataclasses.dataclass(frozen=True)
class Framework:
    """One framework and how it is put on a pool."""

    name: str
    module: str
    use: Callable[[], Undo]
    """Puts it on the pool; raises Refused."""
    covers: str = ""
    """What of its memory then comes from the pool."""


def is_installed(framework: Framework) -> bool:
    """Whether it could be imported, without importing it."""
    return importlib.util.find_spec(framework.module) is not None


def _open_device_pool() -> None:
    try:
        _core.open_device_pool()
    except RuntimeError as error:
        raise Refused(str(error)) from None


def _use_numpy() -> Undo:
    previous = _core.install_numpy_handler()

    def undo() -> str:
        if _core.restore_numpy_handler(previous):
            return ""
        return "in this thread (context) another handler is in place: undo() is for the thread that put the pool there"

    return undo


_TORCH_ON_HOST = "its pluggable allocator is CUDA's, and its allocator of host memory takes none from outside"


def _use_torch() -> Undo:
    torch = import_framework("torch")
    if torch.version.cuda is None:
        raise Refused(f"this PyTorch is built without CUDA; {_TORCH_ON_HOST}")
    if not torch.cuda.is_available():
        raise Refused(f"PyTorch sees no CUDA device; {_TORCH_ON_HOST}")
    _open_device_pool()
    library = str(_core.__file__)
    names = ("forebay_device_allocate", "forebay_device_deallocate")
    allocator = torch.cuda.memory.CUDAPluggableAllocator(library, *names)
    try:
        torch.cuda.memory.change_current_allocator(allocator)
    except RuntimeError as error:
        raise Refused(f"PyTorch has its allocator already: call this before it makes a CUDA tensor ({error})") from None
    return lambda: "PyTorch keeps its CUDA allocator for the life of the process"


def _cupy_allocator(cupy: Any) -> Callable[[int], Any]:
    def allocate(size: int) -> Any:
        device = cupy.cuda.Device().id
        block = _core.DeviceBlock(size, device, cupy.cuda.get_current_stream().ptr)
        memory = cupy.cuda.UnownedMemory(block.pointer, size, block, device)
        return cupy.cuda.MemoryPointer(memory, 0)

    return allocate


def _use_cupy() -> Undo:
    cupy = import_framework("cupy")
    if not cupy.cuda.is_available():
        raise Refused("CuPy sees no CUDA device")
    _open_device_pool()
    previous = cupy.cuda.get_allocator()
    ours = _cupy_allocator(cupy)
    cupy.cuda.set_allocator(ours)

    def undo() -> str:
        if cupy.cuda.get_allocator() is not ours:
            return "CuPy has been given another allocator since"
        cupy.cuda.set_allocator(previous)
        return ""

    return undo


def _numba_pointer(address: int) -> Any:
    """An address in the type that Numba's driver calls take: cuda-python's where it is built on that."""
    driver = import_framework("numba.cuda.cudadrv.driver")
    if getattr(driver, "USE_NV_BINDING", True):
        return import_framework("cuda.bindings.driver").CUdeviceptr(address)
    return ctypes.c_uint64(address)


def _numba_manager(cuda: Any) -> type:
    """The plug-in's class, which can be made only when Numba is there."""

    class PoolMemoryManager(cuda.HostOnlyCUDAMemoryManager):  # type: ignore[misc]
        """Device memory from the pool on the legacy default stream, since Numba names none; host memory as Numba does."""

        @property
        def interface_version(self) -> int:
            return 1

        def initialize(self) -> None:
            pass

        def memalloc(self, size: int) -> Any:
            block = _core.DeviceBlock(size, self.context.device.id, 0)
            held = [block]
            return cuda.MemoryPointer(self.context, _numba_pointer(block.pointer), size, finalizer=held.clear)

        def get_memory_info(self) -> Any:
            raise NotImplementedError("ask forebay.memory.statistics(): what is free on the device is not the pool's to say")

        def get_ipc_handle(self, memory: Any) -> Any:
            raise NotImplementedError("memory of Forebay's pool has no handle for other processes")

    return PoolMemoryManager


def _use_numba() -> Undo:
    cuda = import_framework("numba.cuda")
    if not cuda.is_available():
        raise Refused("Numba sees no CUDA device")
    _open_device_pool()
    manager = _numba_manager(cuda)
    cuda.set_memory_manager(manager)
    if not isinstance(cuda.current_context().memory_manager, manager):
        raise Refused("Numba has its memory manager already: call this before its first use of the device")
    return lambda: "Numba keeps its memory manager for the life of the process"


def _refusing(reason: str) -> Callable[[], Undo]:
    def use() -> Undo:
        raise Refused(reason)

    return use


_PYARROW = (
    "pyarrow takes only memory pools that were compiled with it, not one from outside; what is handed to it by "
    "forebay.interop lies in Forebay's memory all the same"
)
_XLA = "its allocators are part of XLA, which takes none from outside"

FRAMEWORKS: dict[str, Framework] = {
    framework.name: framework
    for framework in (
        Framework("numpy", "numpy", _use_numpy, "arrays made in this thread (context) from now on"),
        Framework("torch", "torch", _use_torch, "device memory; its host memory stays its own"),
        Framework("cupy", "cupy", _use_cupy, "device memory"),
        Framework("numba", "numba", _use_numba, "device memory; its host memory stays its own"),
        Framework("pyarrow", "pyarrow", _refusing(_PYARROW)),
        Framework("jax", "jax", _refusing(_XLA)),
        Framework("tensorflow", "tensorflow", _refusing(_XLA)),
        Framework("pandas", "pandas", _refusing("it has no memory of its own: its columns are NumPy's or Arrow's")),
        Framework("polars", "polars", _refusing("its allocator is compiled into it")),
        Framework("mxnet", "mxnet", _refusing("its allocators are compiled into it")),
        Framework("cudf", "cudf", _refusing("its memory is that of RMM, which is a pool of its own")),
    )
}
