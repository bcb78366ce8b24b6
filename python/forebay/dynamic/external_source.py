"""Data from Python: a source that is asked at each call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..errors import InvalidError
from ..tensors import TensorListCPU, is_one_sample
from .batch import Batch, as_batch
from .device import DeviceLike, check_cpu
from .tensor import Tensor, as_tensor

__all__ = ["ExternalSource"]

_CYCLES = {None: "no", False: "no", True: "quiet", "no": "no", "quiet": "quiet", "raise": "raise"}


class _Cycle:
    """Items of an iterable, again and again where that is asked for."""

    def __init__(self, source: Iterable[Any], cycle: str) -> None:
        if cycle != "no" and isinstance(source, Iterator):
            raise InvalidError(f"cycle={cycle!r} needs a source that can be iterated again, such as a list")
        self._source = source
        self._cycle = cycle
        self._items: Iterator[Any] | None = None

    def __call__(self) -> Any:
        if self._items is None:
            self._items = iter(self._source)
        try:
            return next(self._items)
        except StopIteration:
            if self._cycle == "no":
                raise
            self._items = iter(self._source)
            if self._cycle == "raise":
                raise
        return next(self._items)


class _Generated:
    """What a generator function gives, each time anew."""

    def __init__(self, function: Callable[[], Iterator[Any]]) -> None:
        self._function = function

    def __iter__(self) -> Iterator[Any]:
        return self._function()


def _check_takes_nothing(function: Callable[..., Any]) -> None:
    try:
        inspect.signature(function).bind()
    except TypeError:
        raise InvalidError("a source that is called takes no arguments") from None
    except ValueError:
        pass  # a function of C, which does not say


def _function_of(source: Any, cycle: str) -> Callable[[], Any]:
    if inspect.isgeneratorfunction(source):
        _check_takes_nothing(source)
        return _Cycle(_Generated(source), cycle)
    if callable(source) and not isinstance(source, Iterable):
        if cycle != "no":
            raise InvalidError("`cycle` is for sources that are iterated; this one is called")
        _check_takes_nothing(source)
        return source  # type: ignore[no-any-return]
    if not isinstance(source, Iterable):
        raise TypeError(f"a source is called or iterated, and {type(source).__name__} can be neither")
    return _Cycle(source, cycle)


class ExternalSource:
    """Gives what a source gives, at each call: a tensor for what can become one, a batch for a batch.

    :param source: a function without arguments, or an iterable.
    :param num_outputs: more than one: the source gives a sequence of so many.
    :param cycle: what follows the end of an iterable: "no", StopIteration; "quiet", its beginning; "raise",
        StopIteration once, then its beginning.
    :param device: the CPU.
    :param layout: names of the axes of a sample; one for all outputs, or a list.
    :param dtype: of the elements; one for all outputs, or a list.
    """

    def __init__(
        self,
        source: Any,
        num_outputs: int = 1,
        *,
        cycle: str | bool | None = None,
        device: DeviceLike = "cpu",
        layout: str | Sequence[str] | None = None,
        dtype: Any = None,
    ) -> None:
        check_cpu(device)
        if cycle not in _CYCLES:
            raise InvalidError(f"cycle={cycle!r} must be 'no', 'quiet' or 'raise'")
        if num_outputs < 1:
            raise InvalidError(f"num_outputs={num_outputs} must be at least 1")
        self._next = _function_of(source, _CYCLES[cycle])
        self._count = num_outputs
        self._layouts = self._one_each("layout", layout)
        self._dtypes = self._one_each("dtype", dtype)

    def _one_each(self, name: str, value: Any) -> list[Any]:
        if not isinstance(value, (list, tuple)):
            return [value] * self._count
        if len(value) != self._count:
            raise InvalidError(f"`{name}` has {len(value)} entries for {self._count} outputs")
        return list(value)

    def __call__(self, *, batch_size: int | None = None) -> Any:
        """The next item; a tuple where there are several outputs. StopIteration at the end of the source.

        :param batch_size: a tensor becomes a batch of so many; a batch must have that size.
        """
        data = self._next()
        if self._count == 1:
            return self._converted(data, batch_size, 0)
        if is_one_sample(data):
            raise InvalidError(
                f"the source gave {type(data).__name__}, which is one sample, not {self._count} outputs: give a "
                "tuple with one for each output"
            )
        if not isinstance(data, Sequence) or len(data) != self._count:
            raise InvalidError(f"the source is to give {self._count} outputs, and gave {data!r:.200}")
        outputs = tuple(self._converted(each, batch_size, place) for place, each in enumerate(data))
        if len(set(map(type, outputs))) > 1:
            raise TypeError("the outputs of a source are all tensors or all batches")
        return outputs

    def captured(self, batch_size: int, ctx: Any = None) -> Iterator[tuple[Any, ...]]:
        """Iterates over the source until its end: tuples of batches. `ctx` makes no difference."""
        while True:
            try:
                outputs = self(batch_size=batch_size)
            except StopIteration:
                return
            yield outputs if isinstance(outputs, tuple) else (outputs,)

    def _converted(self, data: Any, batch_size: int | None, place: int) -> Tensor | Batch:
        dtype, layout = self._dtypes[place], self._layouts[place]
        if isinstance(data, (Batch, TensorListCPU)):
            batch = as_batch(data, dtype, None, layout)
            if batch_size is not None and batch.batch_size != batch_size:
                raise InvalidError(f"the source gave a batch of {batch.batch_size}, where {batch_size} were asked for")
            return batch
        tensor = as_tensor(data, dtype, None, layout)
        return tensor if batch_size is None else Batch.broadcast(tensor, batch_size)
