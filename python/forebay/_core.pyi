from typing import Any
from collections.abc import Iterator, Sequence

import numpy

import forebay.types


def bytes_copied() -> int:
    """Bytes that this process has copied in bulk so far."""

def count_copied(bytes: int) -> None:
    """Counts bytes that NumPy copied on the library's behalf."""

def host_pool_statistics() -> dict[str, Any]: ...

def trim_host_pool() -> int:
    """
    Gives what the process's pool keeps back to the system; the bytes given back.
    """

def numpy_memory_statistics() -> dict[str, Any]: ...

def install_numpy_handler() -> object:
    """
    Puts the pool under NumPy in this context; the handler that was in place.
    """

def restore_numpy_handler(previous: object) -> bool:
    """Puts that handler back; False when the pool's is not in place here."""

def open_device_pool(maximum_bytes: int = 274877906944) -> None:
    """
    Makes the device's pool if it is not there; RuntimeError where no device can be used.
    """

def device_pool_statistics() -> dict[str, int] | None: ...

class DeviceBlock:
    """A block of the device's pool; goes back with this object."""

    def __init__(self, bytes: int, device: int, stream: int) -> None: ...

    @property
    def pointer(self) -> int: ...

    @property
    def bytes(self) -> int: ...

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

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """A DLPack capsule over the same memory, or BufferError."""

    def __dlpack_device__(self) -> tuple[int, int]: ...

    __dlpack_c_exchange_api__: object

    @property
    def __array_interface__(self) -> object: ...

    def __array__(self, dtype: object | None = None, copy: object | None = None) -> object: ...

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

    def as_reshaped_tensor(self, shape: Sequence[int]) -> TensorCPU:
        """
        All values of the batch as one tensor of that shape; ValueError when they do not fill it.
        """

    def as_array(self) -> numpy.ndarray:
        """The batch as one NumPy array; ValueError when shapes differ."""

    def as_cpu(self) -> TensorListCPU: ...

    @property
    def dtype(self) -> forebay.types.DALIDataType: ...

    def __repr__(self) -> str: ...

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """A DLPack capsule over the same memory, or BufferError."""

    def __dlpack_device__(self) -> tuple[int, int]: ...

    def __array__(self, dtype: object | None = None, copy: object | None = None) -> object: ...

    def data_ptr(self) -> int: ...

    def copy_to_external(self, arg: int, /) -> None: ...

class Array:
    """
    Memory of any framework, as it lies there; shares it and speaks every protocol. Made by interop.array().
    """

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes."""

    @property
    def ndim(self) -> int: ...

    @property
    def dtype(self) -> str: ...

    @property
    def dtype_code(self) -> tuple[int, int, int]:
        """Code, bits and lanes, as DLPack numbers them."""

    @property
    def itemsize(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def readonly(self) -> bool: ...

    @property
    def is_copied(self) -> bool: ...

    @property
    def is_dense(self) -> bool: ...

    @property
    def has_negative_stride(self) -> bool: ...

    @property
    def device(self) -> tuple[int, int]: ...

    def data_ptr(self) -> int: ...

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """A DLPack capsule over the same memory, or BufferError."""

    def __dlpack_device__(self) -> tuple[int, int]: ...

    __dlpack_c_exchange_api__: object

    @property
    def __array_interface__(self) -> object: ...

    @property
    def __cuda_array_interface__(self) -> object: ...

    def dlpack_for_reader(self) -> object:
        """
        A DLPack capsule without version for a consumer that does not write: read-only memory too.
        """

    def copy(self) -> Array:
        """A dense copy in host memory (counted)."""

    def read_only(self) -> Array:
        """The same memory, not to be written."""

    @property
    def fields(self) -> list[str]:
        """
        The names of a record's members, those of records within records as 'outer.inner'; empty for numbers.
        """

    def field(self, name: str) -> Array:
        """A member of every record, over the same memory; KeyError."""

    def retyped(self, code: int, bits: int) -> Array:
        """
        The same memory under another element type of the same size, by DLPack's numbers.
        """

    def tensor(self, layout: str = '', copy: bool | None = None) -> TensorCPU:
        """
        As a TensorCPU over the same memory; BufferError with copy=False where it would need a copy.
        """

    def __len__(self) -> int: ...

    def __repr__(self) -> str: ...

def array_of(object: object, copy: bool | None = None) -> Array:
    """
    The memory of any object that speaks the buffer protocol, DLPack or an array interface.
    """

def from_dlpack(x: object, *, device: object | None = None, copy: object | None = None) -> Array:
    """from_dlpack of the array API standard."""

class Column:
    """
    A column in Arrow's layout, in any number of chunks; shares its memory and speaks Arrow's capsule protocol. Made by interop.column().
    """

    @property
    def __arrow_c_array__(self) -> Any:
        """A method; only objects of one chunk have it."""

    @property
    def __arrow_c_device_array__(self) -> Any:
        """A method; only objects of one chunk have it."""

    def __arrow_c_schema__(self) -> object: ...

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

    def __arrow_c_device_stream__(self, requested_schema: object | None = None, **kwargs: Any) -> object: ...

    def __len__(self) -> int: ...

    @property
    def chunk_count(self) -> int: ...

    def buffer_addresses(self) -> list[int]:
        """
        Where the buffers of each chunk lie, children's after their parent's; 0 for absent ones.
        """

    def slice(self, first: int, count: int) -> Column:
        """These rows, without a copy."""

    @property
    def type(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def null_count(self) -> int: ...

    def array(self, copy: object | None = None) -> Array:
        """
        The numbers as an Array over the same memory; several chunks are copied together.
        """

    def __repr__(self) -> str: ...

class Table:
    """
    Named columns of one length in Arrow's layout, in any number of chunks. Made by interop.table().
    """

    @property
    def __arrow_c_array__(self) -> Any:
        """A method; only objects of one chunk have it."""

    @property
    def __arrow_c_device_array__(self) -> Any:
        """A method; only objects of one chunk have it."""

    def __arrow_c_schema__(self) -> object: ...

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

    def __arrow_c_device_stream__(self, requested_schema: object | None = None, **kwargs: Any) -> object: ...

    def __len__(self) -> int: ...

    @property
    def chunk_count(self) -> int: ...

    def buffer_addresses(self) -> list[int]:
        """
        Where the buffers of each chunk lie, children's after their parent's; 0 for absent ones.
        """

    def slice(self, first: int, count: int) -> Table:
        """These rows, without a copy."""

    @property
    def column_names(self) -> list[str]: ...

    def __getitem__(self, name: str) -> Column: ...

    def column(self, place: int) -> Column:
        """The column at that place, counted from 0; IndexError."""

    def __repr__(self) -> str: ...

def speaks_arrow(object: object) -> bool: ...

def column_from(object: object, copy: object | None = None) -> Column:
    """A column of any object that speaks Arrow, or of an array."""

def table_from(object: object, copy: object | None = None) -> Table:
    """A table of any object that speaks Arrow."""

def table_of_records(records: Array, copy: object | None = None) -> Table:
    """
    A table with a column for each member of an array of records; all bytes move (counted).
    """

def table_of(columns: Sequence[tuple[str, Column]]) -> Table:
    """A table of named columns of equal length."""

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
    def compile(graph: Graph, batch_size: int, seed: int, fuse: bool, has_device: bool = False) -> Plan: ...

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
