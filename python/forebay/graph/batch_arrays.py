"""Batches as arrays: what Pipeline.run_arrays() gives first, and why it cannot where samples differ. What comes later is
made and refused by the session, in the same words."""

from __future__ import annotations

from ..errors import InvalidError
from ..nd import NDArray
from ..tensors import TensorListCPU

_WHAT_TO_DO = (
    "give all samples of all batches one shape (sound by fn.pad with `shape`, pictures by fn.resize), "
    "or take batches by run()"
)


def one_array(output: int, batch: TensorListCPU) -> NDArray:
    """The batch of that output as one array, which shares its memory where it can. InvalidError for samples that
    differ."""
    try:
        tensor = batch.as_tensor()
    except InvalidError as error:
        raise InvalidError(f"output {output} as one array: {error}; {_WHAT_TO_DO}") from error
    return NDArray(tensor, copy=False)
