"""Python functions on the arrays of other libraries, as functions on NumPy's."""

from __future__ import annotations

from typing import Any, Callable

__all__ = ["ConvertedFunction"]


class ConvertedFunction:
    """Calls `function` with what `given` makes of each array, and gives what `taken` makes of each result.

    :param batch_processing: the function gets and gives lists of them.
    """

    def __init__(
        self, function: Callable[..., Any], num_outputs: int, batch_processing: bool, given: Callable[[Any], Any],
        taken: Callable[[Any], Any],
    ) -> None:
        self._function = function
        self._num_outputs = num_outputs
        self._batch = batch_processing
        self._given = given
        self._taken = taken

    def _each(self, convert: Callable[[Any], Any], value: Any) -> Any:
        return [convert(sample) for sample in value] if self._batch else convert(value)

    def __call__(self, *inputs: Any) -> Any:
        results = self._function(*(self._each(self._given, value) for value in inputs))
        if self._num_outputs == 0 or results is None:
            return ()
        is_row = isinstance(results, tuple) or (isinstance(results, list) and self._num_outputs > 1)
        return tuple(self._each(self._taken, value) for value in (results if is_row else (results,)))
