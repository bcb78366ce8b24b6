from typing import Any
from collections.abc import Iterator, Sequence

import numpy

import forebay.types


def bytes_copied() -> int:
    """Bytes that this process has copied in bulk so far."""

def count_copied(bytes: int) -> None:
    """Counts bytes that NumPy copied on the library's behalf."""

class TensorCPU:
    """
    A dense tensor in host memory; shares that memory with every array made from it.
    """

    def __init__(self, buffer: object, layout: str = '', copy: bool = False) -> None:
        """
        Takes any C-contiguous object with the buffer protocol; without `copy` its memory is shared.
        """

    def shape(self) -> list[int]: ...

    def ndim(self) -> int: ...

    def layout(self) -> str: ...

    def set_layout(self, arg: str, /) -> None: ...

    def squeeze(self, dim: int | None = None) -> TensorCPU:
        """Without the axes of extent 1, or without that axis."""

    def source_info(self) -> str:
        """The object that the sample was read from; empty when it was fed."""

    def get_property(self, name: str) -> object: ...

    def as_cpu(self) -> TensorCPU: ...

    def as_array(self) -> numpy.ndarray:
        """A NumPy array over the same memory."""

    @property
    def dtype(self) -> forebay.types.DALIDataType: ...

    @property
    def nbytes(self) -> int: ...

    def __repr__(self) -> str: ...

    def __len__(self) -> int: ...

    @property
    def __array_interface__(self) -> object: ...

    def __array__(self, dtype: object | None = None, copy: object | None = None) -> object: ...

    def __dlpack__(self, **kwargs: Any) -> object:
        """A DLPack capsule over the same memory."""

    def __dlpack_device__(self) -> tuple[Any, ...]: ...

    def data_ptr(self) -> int: ...

    def copy_to_external(self, pointer: int) -> None: ...

class TensorListCPU:
    """A batch: the samples of one output of one iteration."""

    def __init__(self, samples: object, layout: str = '') -> None: ...

    def __len__(self) -> int: ...

    def __getitem__(self, arg: int, /) -> TensorCPU: ...

    def __iter__(self) -> Iterator[TensorCPU]: ...

    def at(self, index: int) -> numpy.ndarray:
        """Sample `index` as a NumPy array over the same memory."""

    def shape(self) -> list[tuple[int, ...]]: ...

    def ndim(self) -> int: ...

    def layout(self) -> str: ...

    def is_dense_tensor(self) -> bool: ...

    def is_contiguous(self) -> bool:
        """True when as_tensor() copies nothing."""

    def as_tensor(self) -> TensorCPU:
        """The batch as one tensor; ValueError when shapes differ."""

    def as_array(self) -> numpy.ndarray:
        """The batch as one NumPy array; ValueError when shapes differ."""

    def as_cpu(self) -> TensorListCPU: ...

    @property
    def dtype(self) -> forebay.types.DALIDataType: ...

    def __repr__(self) -> str: ...

    def __array__(self, dtype: object | None = None, copy: object | None = None) -> object: ...

    def __dlpack__(self, **kwargs: Any) -> object: ...

    def __dlpack_device__(self) -> tuple[Any, ...]: ...

    def data_ptr(self) -> int: ...

    def copy_to_external(self, arg: int, /) -> None: ...

def operator_table() -> list[Any]:
    """Every operator, as a list of dictionaries."""

class Graph:
    """A graph as it is being written."""

    def __init__(self) -> None: ...

    def add(self, op: str, name: str, device: str, inputs: Sequence[tuple[int, int]], constants: dict[str, Any], tensors: dict[str, Any], guards: Sequence[tuple[int, int, bool]], seed: int | None) -> tuple[int, int]: ...

    def set_outputs(self, outputs: Sequence[tuple[int, int]], promises: Sequence[tuple[int | None, int | None]]) -> None: ...

    def find(self, arg: str, /) -> int: ...

    def size(self) -> int: ...

    def nodes(self) -> list[Any]: ...

    def outputs(self) -> list[Any]: ...

    def to_json(self) -> str: ...

    @staticmethod
    def from_json(arg: str, /) -> Graph: ...

class Plan:
    """A compiled graph: immutable, shared."""

    @staticmethod
    def compile(graph: Graph, batch_size: int, seed: int, fuse: bool) -> Plan: ...

    def batch_dependent(self) -> list[str]: ...

    def fingerprint(self) -> int: ...

class Explanation:
    """Why a run was as fast as it was. str() is for people."""

    @property
    def bottleneck(self) -> str: ...

    @property
    def stage(self) -> str:
        """Of the loader; empty when the consumer is the bottleneck."""

    @property
    def wait_share(self) -> float:
        """Of the consumer's time that it waited in run()."""

    @property
    def notes(self) -> list[str]: ...

    def to_json(self) -> str: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class DeliveredSample:
    """Who a delivered sample is."""

    @property
    def index_in_batch(self) -> int: ...

    def as_dict(self) -> dict[str, Any]: ...

class Session:
    """Runs a plan."""

    @staticmethod
    def create(plan: Plan, settings: dict[str, Any]) -> Session: ...

    def close(self) -> None: ...

    def prefetch(self) -> None: ...

    def run(self) -> tuple[Any, ...]: ...

    def reset_feeds(self) -> None: ...

    def state(self) -> str: ...

    def restore(self, arg: str, /) -> None: ...

    def replay(self, epoch: int, position: int) -> list[Any]: ...

    def errors(self) -> list[Any]: ...

    def error_count(self) -> int: ...

    def explain(self) -> Explanation: ...

    def reader_meta(self, name: str) -> dict[str, Any]: ...

    def reader_names(self) -> list[str]: ...

    def working_bytes(self) -> int: ...

    def held_bytes(self) -> int: ...

    def peak_working_bytes(self) -> int: ...

def shutdown_engine() -> None: ...

def trace_start() -> None:
    """Forgets what was recorded and records from now on."""

def trace_stop(path: str) -> None:
    """Stops recording and writes what was recorded, as trace-event JSON."""

__version__: str
