from typing import Any

from .nd import NDArray
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy

import forebay.nd
import forebay.types


MAX_RANK: int = 8

def bytes_copied() -> int:
    """Bytes that this process has copied in bulk so far."""

def count_copied(bytes: int) -> None:
    """Counts bytes that NumPy copied on the library's behalf."""

def touched_reads() -> int:
    """
    Reads of files that were accepted although their time of change had moved since they were listed.
    """

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

def samples_of(whole: TensorCPU, layout: str) -> list[TensorCPU]:
    """The parts of a tensor along its first axis, over the same memory."""

def with_layout(tensor: TensorCPU, layout: str) -> TensorCPU:
    """A tensor over the same memory, with that layout."""

class TensorCPU:
    """
    A dense tensor in host memory; shares that memory with every array made from it.
    """

    def __init__(self, buffer: object, layout: str | None = '', copy: bool = False, is_pinned: bool = False) -> None:
        """
        Takes any C-contiguous object with the buffer protocol, or a DLPack capsule; without `copy` the memory is shared.
        """

    def shape(self) -> list[int]: ...

    def ndim(self) -> int: ...

    def layout(self) -> str: ...

    def set_layout(self, arg: str, /) -> None: ...

    def reinterpret(self, new_type: object) -> None:
        """Sees the elements as another type of the same size."""

    def squeeze(self, dim: int | None = None) -> bool:
        """
        Takes off the axes of extent 1, or that axis if it is one; whether anything has changed.
        """

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

def mark_as_enumeration(batch: TensorListCPU, type: forebay.types.DALIDataType) -> None:
    """Lets the integers of a batch be known as numbers of an enumeration."""

class TensorListCPU:
    """A batch: the samples of one output of one iteration."""

    def __init__(self, samples: object, layout: str | None = '', contiguous: bool = True, is_pinned: bool = False) -> None: ...

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

    @staticmethod
    def broadcast(tensor: TensorCPU, num_samples: int) -> TensorListCPU:
        """A batch of that many samples, all over the memory of `tensor`."""

    @staticmethod
    def from_dlpack_list(list_of_objects: list[Any], layout: str | None = None, contiguous: bool = False) -> TensorListCPU:
        """
        A batch of objects with `__dlpack__`; with `contiguous` they are copied into one piece.
        """

    def reinterpret(self, new_type: object) -> None:
        """Sees the elements as another type of the same size."""

    def set_layout(self, layout: str | None) -> None: ...

    def reset(self) -> None:
        """Lets go of the samples: the batch is empty."""

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

    def data_ptr(self) -> int:
        """The address of the values, one sample behind the other."""

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

def array_of(object: object | None, copy: bool | None = None) -> Array:
    """
    The memory of any object that speaks the buffer protocol, DLPack or an array interface.
    """

def from_dlpack(x: object | None, *, device: object | None = None, copy: object | None = None) -> Array:
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

    def with_column(self, place: int, column: Column) -> Table:
        """
        The table with another column of its length, in one chunk, at that place; ValueError.
        """

    def __repr__(self) -> str: ...

def speaks_arrow(object: object | None) -> bool: ...

def column_from(object: object | None, copy: object | None = None) -> Column:
    """A column of any object that speaks Arrow, or of an array."""

def table_from(object: object | None, copy: object | None = None) -> Table:
    """A table of any object that speaks Arrow."""

def table_of_records(records: Array, copy: object | None = None) -> Table:
    """
    A table with a column for each member of an array of records; all bytes move (counted).
    """

def table_of(columns: Sequence[tuple[str, Column]]) -> Table:
    """A table of named columns of equal length."""

def operator_table() -> list[Any]:
    """Every operator, as a list of dictionaries."""

def added_operators() -> list[Any]:
    """The operators of libraries that were loaded, in the order of loading."""

def load_operators(path: object, global_symbols: bool, reserved_names: Sequence[str]) -> None:
    """
    Loads a library of operators; ones that begin with reserved names are refused.
    """

class Graph:
    """A graph as it is being written."""

    def __init__(self) -> None: ...

    def add(self, op: str, name: str, device: str, inputs: Sequence[tuple[int, int]], constants: dict[str, Any], tensors: dict[str, Any], guards: Sequence[tuple[int, int, bool]], seed: int | None) -> tuple[int, int]: ...

    def set_outputs(self, outputs: Sequence[tuple[int, int]], promises: Sequence[tuple[int | None, int | None, str]]) -> None: ...

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

    def check_states(self, states: Sequence[str]) -> int:
        """
        Raises where a session of this plan would refuse the states. Returns which of them it goes on from, or -1 where what all ranks have left is divided anew.
        """

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

class DeliveredSamples:
    """Who the samples of a batch are, in its order."""

    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, place: int) -> DeliveredSample: ...

    @overload
    def __getitem__(self, places: slice) -> list[DeliveredSample]: ...

class Session:
    """Runs a plan."""

    def __del__(*args, **kwargs: Any) -> Any: ...

    @staticmethod
    def create(plan: Plan, settings: dict[str, Any]) -> Session: ...

    def close(self, waits: bool = True) -> None: ...

    def prefetch(self) -> None: ...

    def run(self) -> tuple[Any, ...]: ...

    def has_fixed_samples(self) -> bool:
        """False where an operator decides how many samples there are."""

    def run_arrays(self, specs: object) -> list[NDArray]:
        """The next batch as NDArrays of these (shape, element type), at once."""

    def reset_feeds(self) -> bool: ...

    def state(self) -> str: ...

    def iterations(self) -> int:
        """How many batches were delivered, broken ones included."""

    def restore(self, arg: Sequence[str], /) -> None: ...

    def epochs_left(self, reader: str) -> tuple[int, list[int]]:
        """
        The epoch in which the stream begins, and the samples left of it and of those after it.
        """

    def replay(self, epoch: int, position: int) -> list[Any]: ...

    def errors(self) -> list[Any]: ...

    def error_count(self) -> int: ...

    def explain(self) -> Explanation: ...

    def reader_meta(self, name: str) -> dict[str, Any]: ...

    def known_reader_meta(self, name: str) -> dict[str, Any]:
        """
        The same at once: epoch_size and epoch_size_padded are 0 while samples are being found.
        """

    def has_samples(self, reader: str, samples: int) -> bool:
        """Whether the data set has so many; waits until they are known."""

    def reader_names(self) -> list[str]: ...

    def working_bytes(self) -> int: ...

    def held_bytes(self) -> int: ...

    def peak_working_bytes(self) -> int: ...

def shutdown_engine() -> None: ...

def await_python_calls() -> bool:
    """
    Waits some seconds until no call into Python is under way; False where one still is.
    """

class SteppedClock:
    """For tests: a clock that moves when told to."""

    def __init__(self) -> None: ...

    def advance(self, arg: float, /) -> None: ...

class RequestSession:
    """Answers requests by a plan."""

    def __del__(*args, **kwargs: Any) -> Any: ...

    @staticmethod
    def create(plan: Plan, settings: dict[str, Any], most_under_way: int, deliver: object, clock: SteppedClock | None) -> RequestSession: ...

    def submit(self, key: int, inputs: object, timeout: float | None, future: object, epoch: int = 0) -> bool: ...

    def close(self, waits: bool = True) -> None: ...

    def under_way(self) -> int: ...

class NDArrayBase:
    """
    An array that is computed asynchronously; NDArray is made of it.
    """

    def __init__(self, source: object, copy: bool = True) -> None:
        """
        From any object that speaks the buffer protocol, DLPack or an array interface. copy=False shares its memory where it is dense and may be written.
        """

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def ndim(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def dtype_name(self) -> str:
        """NumPy's name of the element type."""

    @property
    def grad(self) -> NDArray | None:
        """The gradient that backward() fills; None before attach_grad()."""

    def wait_to_read(self) -> None:
        """
        Waits until all writes of the array are done; raises what went wrong with it.
        """

    def asnumpy(self) -> numpy.ndarray:
        """A copy, after waiting for it."""

    def tensor(self) -> TensorCPU:
        """A TensorCPU over the same memory, after waiting for it."""

    def detach(self) -> NDArray:
        """The same memory without autograd's history."""

    def shares_memory_with(self, other: NDArrayBase) -> bool: ...

    def note_write(self) -> None:
        """
        Says that others will write the memory: what autograd has recorded of it is out of date.
        """

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

    def __add__(self, other: NDArrayBase | float, /) -> NDArray: ...

    def __radd__(self, other: NDArrayBase | float, /) -> NDArray: ...

    def __sub__(self, other: NDArrayBase | float, /) -> NDArray: ...

    def __rsub__(self, other: NDArrayBase | float, /) -> NDArray: ...

    def __mul__(self, other: NDArrayBase | float, /) -> NDArray: ...

    def __rmul__(self, other: NDArrayBase | float, /) -> NDArray: ...

    def __truediv__(self, other: NDArrayBase | float, /) -> NDArray: ...

    def __rtruediv__(self, other: NDArrayBase | float, /) -> NDArray: ...

    def __pow__(self, other: NDArrayBase | float, /) -> NDArray: ...

    def __rpow__(self, other: NDArrayBase | float, /) -> NDArray: ...

    def __iadd__(self, other: NDArrayBase | float, /) -> NDArray: ...

    def __isub__(self, other: NDArrayBase | float, /) -> NDArray: ...

    def __imul__(self, other: NDArrayBase | float, /) -> NDArray: ...

    def __itruediv__(self, other: NDArrayBase | float, /) -> NDArray: ...

    def __lt__(self, other: object, /) -> NDArray: ...

    def __le__(self, other: object, /) -> NDArray: ...

    def __gt__(self, other: object, /) -> NDArray: ...

    def __ge__(self, other: object, /) -> NDArray: ...

    def __neg__(self) -> NDArray: ...

    def __abs__(self) -> NDArray: ...

def set_ndarray_class(type: object) -> None:
    """The class, derived from NDArrayBase, that results are objects of."""

def set_exception_class(kind: object, derived: object) -> None:
    """
    From now on `derived` is raised for errors of the library where `kind` was.
    """

def waitall() -> None:
    """
    Waits for everything that was enqueued; raises the first error since the last call.
    """

class FutureBatch:
    """The samples of a batch, which may be there later."""

    @staticmethod
    def of(content: object, is_external: bool) -> FutureBatch:
        """
        Of a TensorCPU or TensorListCPU. External: the memory may change after the call that uses it.
        """

    @staticmethod
    def of_array(array: object, layout: str, is_split: bool) -> FutureBatch:
        """
        An NDArray as one sample, or its first axis as the samples; without a copy.
        """

    @staticmethod
    def gathered(samples: Sequence[tuple[FutureBatch, int]]) -> FutureBatch:
        """Samples of other batches: (batch, place)."""

    @property
    def size(self) -> int: ...

    @property
    def is_external(self) -> bool: ...

    @property
    def is_borrowed(self) -> bool:
        """Whether others may change the memory: external, or an NDArray's."""

    def is_ready(self) -> bool:
        """Whether looking at it waits for nothing."""

    def wait(self) -> None:
        """Waits for the content; raises what went wrong with it."""

    def get(self) -> TensorListCPU:
        """The content, after waiting for it."""

    def array(self, shape: object | None, dtype: object | None, is_batch: bool) -> NDArray:
        """
        An NDArray of the content: at once where `shape` is given, else after waiting.
        """

class CalledOperator:
    """An operator with its constants set, to be called."""

    @staticmethod
    def create(name: str, constants: dict[str, Any], tensors: Sequence[str], num_inputs: int) -> CalledOperator:
        """`tensors` are the names of arguments that are given at each call."""

    @property
    def num_outputs(self) -> int: ...

    def call(self, inputs: Sequence[FutureBatch], arguments: Sequence[FutureBatch], size: int, seed: int = 0, draw: int = 0, site: str = '') -> list[FutureBatch]:
        """Enqueues a call; the results at once, one for each output."""

def push_site() -> str:
    """The user's line that calls this package: "file.py:12"."""

def philox_word(seed: int, draw: int) -> int:
    """Draw `draw` of a generator with that seed, as 32 bits."""

class ArrayOperations:
    """What can be done with NDArrays; each call enqueues one task."""

    @staticmethod
    def full(shape: object, value: float, dtype: str) -> NDArray: ...

    @staticmethod
    def empty(shape: object, dtype: str) -> NDArray: ...

    @staticmethod
    def arange(start: float, stop: float, step: float, repeat: int, dtype: str) -> NDArray: ...

    @staticmethod
    def fill(array: NDArrayBase, value: float) -> None: ...

    @staticmethod
    def seed(seed: int) -> None: ...

    @staticmethod
    def uniform(low: float, high: float, shape: object, dtype: str) -> NDArray: ...

    @staticmethod
    def normal(mean: float, deviation: float, shape: object, dtype: str) -> NDArray: ...

    @staticmethod
    def randint(low: int, high: int, shape: object, dtype: str) -> NDArray: ...

    @staticmethod
    def mask(probability: float, scale: float, shape: object, dtype: str) -> NDArray: ...

    @staticmethod
    def copy(array: NDArrayBase) -> NDArray: ...

    @staticmethod
    def cast(array: NDArrayBase, dtype: str) -> NDArray: ...

    @staticmethod
    def copy_into(source: NDArrayBase, target: NDArrayBase) -> None:
        """Same number of elements; types are converted."""

    @staticmethod
    def reshape(array: NDArrayBase, shape: Sequence[int]) -> NDArray:
        """MXNet's extents: 0, -1, -2, -3, -4 have their meaning."""

    @staticmethod
    def rows(array: NDArrayBase, begin: int, end: int) -> NDArray: ...

    @staticmethod
    def row(array: NDArrayBase, index: int) -> NDArray: ...

    @staticmethod
    def broadcast_to(array: NDArrayBase, shape: object) -> NDArray: ...

    @staticmethod
    def unary(name: str, a: NDArrayBase) -> NDArray: ...

    @staticmethod
    def binary(name: str, a: NDArrayBase, b: NDArrayBase) -> NDArray: ...

    @staticmethod
    def with_scalar(name: str, a: NDArrayBase, scalar: float, reversed: bool = False) -> NDArray: ...

    @staticmethod
    def dot(a: NDArrayBase, b: NDArrayBase, transpose_a: bool = False, transpose_b: bool = False) -> NDArray: ...

    @staticmethod
    def batch_dot(a: NDArrayBase, b: NDArrayBase, transpose_a: bool = False, transpose_b: bool = False) -> NDArray: ...

    @staticmethod
    def sum(array: NDArrayBase, axes: Sequence[int], keepdims: bool = False, exclude: bool = False) -> NDArray: ...

    @staticmethod
    def mean(array: NDArrayBase, axes: Sequence[int], keepdims: bool = False, exclude: bool = False) -> NDArray: ...

    @staticmethod
    def prod(array: NDArrayBase, axes: Sequence[int], keepdims: bool = False, exclude: bool = False) -> NDArray: ...

    @staticmethod
    def max(array: NDArrayBase, axes: Sequence[int], keepdims: bool = False, exclude: bool = False) -> NDArray: ...

    @staticmethod
    def min(array: NDArrayBase, axes: Sequence[int], keepdims: bool = False, exclude: bool = False) -> NDArray: ...

    @staticmethod
    def argmax(array: NDArrayBase, axes: Sequence[int], keepdims: bool = False, exclude: bool = False) -> NDArray: ...

    @staticmethod
    def argmin(array: NDArrayBase, axes: Sequence[int], keepdims: bool = False, exclude: bool = False) -> NDArray: ...

    @staticmethod
    def norm(array: NDArrayBase, order: int, axes: Sequence[int], keepdims: bool = False) -> NDArray: ...

    @staticmethod
    def strided_view(array: NDArrayBase, shape: Sequence[int], strides: Sequence[int], offset: int) -> NDArray:
        """
        Elements at even distances; shares the memory where they lie one behind the other.
        """

    @staticmethod
    def place_strided(array: NDArrayBase, shape: object, strides: Sequence[int], offset: int, fill: float) -> NDArray:
        """
        An array of `shape` that holds the array's elements there and `fill` elsewhere.
        """

    @staticmethod
    def assign_strided(value: NDArrayBase, target: NDArrayBase, shape: Sequence[int], strides: Sequence[int], offset: int) -> None: ...

    @staticmethod
    def reshaped_shape(shape: object, wanted: Sequence[int]) -> list[int]:
        """The shape that MXNet's special extents come to."""

    @staticmethod
    def transpose(array: NDArrayBase, axes: Sequence[int]) -> NDArray: ...

    @staticmethod
    def flip(array: NDArrayBase, axes: Sequence[int]) -> NDArray: ...

    @staticmethod
    def slice(array: NDArrayBase, starts: Sequence[int], steps: Sequence[int], counts: Sequence[int]) -> NDArray: ...

    @staticmethod
    def concat(arrays: object, axis: int) -> NDArray: ...

    @staticmethod
    def order(array: NDArrayBase, axis: int, k: int, ascending: bool) -> NDArray: ...

    @staticmethod
    def sort(array: NDArrayBase, axis: int, ascending: bool) -> NDArray: ...

    @staticmethod
    def cumsum(array: NDArrayBase, axis: int) -> NDArray: ...

    @staticmethod
    def take(array: NDArrayBase, indices: NDArrayBase, axis: int, mode: str) -> NDArray: ...

    @staticmethod
    def pick(array: NDArrayBase, indices: NDArrayBase, axis: int, keepdims: bool, mode: str) -> NDArray: ...

    @staticmethod
    def take_along_axis(array: NDArrayBase, indices: NDArrayBase, axis: int) -> NDArray: ...

    @staticmethod
    def gather_nd(array: NDArrayBase, indices: NDArrayBase) -> NDArray: ...

    @staticmethod
    def scatter_nd(values: NDArrayBase, indices: NDArrayBase, shape: object) -> NDArray: ...

    @staticmethod
    def gather_rows(array: NDArrayBase, rows: NDArrayBase, row_shape: object) -> NDArray: ...

    @staticmethod
    def assign_rows(values: NDArrayBase, rows: NDArrayBase, row_shape: object, target: NDArrayBase) -> None: ...

    @staticmethod
    def where(condition: NDArrayBase, a: NDArrayBase, b: NDArrayBase) -> NDArray: ...

    @staticmethod
    def one_hot(indices: NDArrayBase, depth: int, on: float, off: float, dtype: str) -> NDArray: ...

    @staticmethod
    def function(name: str, a: NDArrayBase, first: float = 0.0, second: float = 0.0) -> NDArray: ...

    @staticmethod
    def pairs(name: str, a: NDArrayBase, b: NDArrayBase) -> NDArray: ...

    @staticmethod
    def pairs_with_scalar(name: str, a: NDArrayBase, scalar: float, reversed: bool = False) -> NDArray: ...

    @staticmethod
    def stop_gradient(array: NDArrayBase) -> NDArray: ...

    @staticmethod
    def make_loss(array: NDArrayBase, scale: float) -> NDArray: ...

    @staticmethod
    def sample(distribution: str, first: float, second: float, shape: object, dtype: str) -> NDArray: ...

    @staticmethod
    def sample_arrays(distribution: str, parameters: object, shape: object, dtype: str) -> NDArray: ...

    @staticmethod
    def sample_categories(weights: NDArrayBase, shape: object, dtype: str) -> NDArray: ...

    @staticmethod
    def permutation(count: int) -> NDArray: ...

    @staticmethod
    def convolution(data: NDArrayBase, weight: NDArrayBase, bias: object | None, kernel: Sequence[int], stride: Sequence[int], dilate: Sequence[int], pad: Sequence[int], num_filter: int, num_group: int) -> NDArray: ...

    @staticmethod
    def deconvolution(data: NDArrayBase, weight: NDArrayBase, bias: object | None, kernel: Sequence[int], stride: Sequence[int], dilate: Sequence[int], pad: Sequence[int], adj: Sequence[int], num_filter: int, num_group: int) -> NDArray: ...

    @staticmethod
    def pooling(data: NDArrayBase, pool_type: str, global_pool: bool, kernel: Sequence[int], stride: Sequence[int], pad: Sequence[int], full: bool, count_include_pad: bool, p_value: float) -> NDArray: ...

    @staticmethod
    def activation(data: NDArrayBase, act_type: str) -> NDArray: ...

    @staticmethod
    def rectified(data: NDArrayBase, act_type: str, slope: float) -> NDArray: ...

    @staticmethod
    def parametric_rectified(data: NDArrayBase, gamma: NDArrayBase) -> NDArray: ...

    @staticmethod
    def dropout(data: NDArrayBase, p: float, always: bool, axes: Sequence[int]) -> NDArray: ...

    @staticmethod
    def sequence_mask(data: NDArrayBase, lengths: NDArrayBase, value: float, axis: int) -> NDArray: ...

    @staticmethod
    def fully_connected(data: NDArrayBase, weight: NDArrayBase, bias: object | None, flatten: bool) -> NDArray: ...

    @staticmethod
    def embedding(indices: NDArrayBase, weight: NDArrayBase) -> NDArray: ...

    @staticmethod
    def softmax(data: NDArrayBase, axis: int, temperature: float, logarithm: bool, negative: bool, lengths: object | None = None) -> NDArray: ...

    @staticmethod
    def softmax_cross_entropy(data: NDArrayBase, label: NDArrayBase, axis: int) -> NDArray:
        """The losses of softmax(data) with class labels, one a label."""

    @staticmethod
    def softmax_output(data: NDArrayBase, label: NDArrayBase, grad_scale: float, multi_output: bool, preserve_shape: bool, use_ignore: bool, ignore_label: float, smooth_alpha: float, normalization: str) -> NDArray: ...

    @staticmethod
    def batch_norm(data: NDArrayBase, gamma: NDArrayBase, beta: NDArrayBase, moving_mean: NDArrayBase, moving_var: NDArrayBase, eps: float, momentum: float, fix_gamma: bool, use_global_stats: bool, axis: int) -> list[NDArray]: ...

    @staticmethod
    def layer_norm(data: NDArrayBase, gamma: NDArrayBase, beta: NDArrayBase, axis: int, eps: float) -> list[NDArray]: ...

    @staticmethod
    def group_norm(data: NDArrayBase, gamma: NDArrayBase, beta: NDArrayBase, num_groups: int, eps: float) -> list[NDArray]: ...

    @staticmethod
    def l2_normalized(data: NDArrayBase, axes: Sequence[int], eps: float) -> NDArray: ...

    @staticmethod
    def local_response_norm(data: NDArrayBase, alpha: float, beta: float, knorm: float, nsize: int) -> NDArray: ...

    @staticmethod
    def update(rule: str, weight: NDArrayBase, grad: NDArrayBase, states: Sequence[NDArrayBase], out: NDArrayBase, options: dict[str, float]) -> None:
        """One step of an optimizer; states and out change in place."""

def load_array_file(path: str | bytes) -> tuple[list[NDArray], list[str]]:
    """
    The arrays of a file in MXNet's format and their names, if they have some.
    """

def load_array_bytes(content: bytes) -> tuple[list[NDArray], list[str]]:
    """The same from the bytes of a file."""

def save_array_file(path: str | bytes, arrays: Sequence[NDArrayBase], names: Sequence[str]) -> None:
    """
    Waits for the arrays and writes them; `names` are as many as the arrays, or none.
    """

def resize_image(image: NDArrayBase, height: int, width: int, interpolation: str) -> NDArray: ...

def crop_image(image: NDArrayBase, top: int, left: int, height: int, width: int, mirror_columns: bool = False, mirror_rows: bool = False) -> NDArray: ...

def image_to_tensor(image: NDArrayBase) -> NDArray: ...

def next_random_key() -> int:
    """A key that the next random operation would have had."""

def uniform_numbers(key: int, position: int, count: int) -> list[float]:
    """Numbers in [0, 1) by Philox, fixed by key and position."""

def random_order(key: int, size: int) -> list[int]:
    """The numbers below size in an order fixed by the key."""

def is_recording() -> bool: ...

def is_training() -> bool: ...

def set_recording(on: bool) -> bool:
    """Of this thread; the value before."""

def set_training(on: bool) -> bool:
    """Of this thread; the value before."""

def mark_variable(array: object, gradient: object, grad_req: str) -> None: ...

def gradient_is_fresh(array: NDArrayBase) -> bool:
    """
    True when backward() has stored the array's gradient since it was last set false.
    """

def set_gradient_fresh(array: NDArrayBase, is_fresh: bool) -> None: ...

def backward(heads: object, head_gradients: object | None, retain_graph: bool, train_mode: bool) -> None: ...

def gradients(heads: object, variables: object, head_gradients: object | None, retain_graph: bool, create_graph: bool, train_mode: bool) -> list[NDArray]: ...

def host_cache_counts() -> str: ...

def host_cache_verify(path: object, on_progress: object) -> dict[str, int]: ...

def host_cache_free(path: object, on_progress: object) -> dict[str, int]: ...

def host_cache_share(path: object, on_progress: object) -> dict[str, int]: ...

def host_cache_pin(path: object) -> None: ...

def host_cache_unpin(path: object) -> None: ...

def host_cache_remove_rule(path: object) -> None: ...

def host_cache_change_rule(path: object, ttl_s: int | None, priority: int | None, is_cached: bool | None, quota_bytes: int | None) -> None: ...

def host_cache_rules(path: object) -> list[tuple[str, bool, int, int, bool, int]]: ...

def host_cache_flush(path: object, wait_s: float | None, on_progress: object) -> tuple[int, int, int, str]: ...

def host_cache_preload(path: object, seed: int | None, epoch: int, num_shards: int, index: object, extensions: list[str], verify: bool, bytes_per_second: int, again: bool, on_progress: object) -> dict[str, int | str]: ...

def host_cache_preload_status(path: object, seed: int | None, epoch: int, num_shards: int) -> dict[str, int | str]: ...

def host_cache_stop_preload(path: object, seed: int | None, epoch: int, num_shards: int) -> None: ...

class InstalledCache:
    """The cache through which remote stores are read."""

    def statistics(self) -> dict[str, int]: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...

def open_cache(directory: str | bytes | None, quota_bytes: int, memory_bytes: int, least_free_bytes: int, schemes: list[str], trusted_seconds: float, immutable: bool) -> InstalledCache:
    """
    Opens a cache and reads the stores of these schemes through it from now on.
    """

def store_shown_name(path: object) -> str:
    """
    The path or URI for messages: without what may be secret, such as passwords and queries.
    """

def store_schemes() -> list[str]: ...

def store_options(scheme: str) -> list[tuple[str, str, bool, str, str, list[str]]]:
    """
    (name, help, is_secret, type, default, variables of the environment) of each option of a mount.
    """

def store_stat(path: object, for_read: bool = False) -> tuple[Any, ...]:
    """(key, is_folder, size, modified_ns, version)"""

class StoreListing:
    """The entries of a folder, page by page."""

    def __init__(self, folder: object, is_recursive: bool) -> None: ...

    def next(self) -> list[tuple[str, bool, int, int, str]] | None:
        """
        (name below the folder, is_folder, size, modified_ns, version) of each; None after the last page.
        """

def store_read(path: object, offset: int = 0, length: int | None = None, version: str = '', size: int | None = None) -> Array:
    """
    The bytes, without a copy. `size`: that of the object in this version, where it is known.
    """

def store_read_many(reads: object) -> list[bytes | Exception]:
    """
    For each (path, offset, length or None) its bytes or its exception. All are read together.
    """

def store_write(path: object, content: object, if_absent: bool = False) -> tuple[Any, ...]:
    """(key, is_folder, size, modified_ns, version)"""

class StoreWriter:
    """An object being written; nothing is visible before commit()."""

    def __init__(self, path: object, if_absent: bool = False) -> None: ...

    @property
    def least_part_bytes(self) -> int: ...

    def append(self, content: object) -> None: ...

    def commit(self) -> tuple[Any, ...]: ...

    def abort(self) -> None: ...

def store_copy(source: object, target: object, if_absent: bool = False) -> None: ...

def store_move(source: object, target: object) -> None: ...

def store_remove(path: object) -> None: ...

def store_remove_tree(path: object) -> None: ...

def store_make_directory(path: object) -> None: ...

def trace_start() -> None:
    """Forgets what was recorded and records from now on."""

def trace_stop(path: str | bytes) -> None:
    """Stops recording and writes what was recorded, as trace-event JSON."""

def trace_report(count: int) -> str:
    """The longest waits of what was recorded, as text."""

__version__: str
