"""Cases: tensors and lists of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from nvidia.dali.tensors import TensorCPU, TensorListCPU

from catalogue import Group

case = Group("backend")

ARRAY = np.arange(12, dtype=np.float32).reshape(2, 3, 2)


case.table(
    {
        "tensor_from_array": lambda: TensorCPU(ARRAY),
        "tensor_layout": lambda: TensorCPU(ARRAY, "HWC"),
        "tensor_layout_key_words": lambda: TensorCPU(ARRAY, layout="HWC"),
        "tensor_copy_argument": lambda: TensorCPU(ARRAY, layout="HWC", copy=True),
        "tensor_from_list": lambda: TensorCPU([1, 2]),
        "tensor_from_int": lambda: TensorCPU(5),
        "tensor_wrong_layout": lambda: TensorCPU(ARRAY, "HW"),
        "tensor_source_info": lambda: TensorCPU(ARRAY).source_info(),
        "tensor_item": lambda: (TensorCPU(ARRAY)[1], TensorCPU(ARRAY)[1, 2, 0]),
        "tensor_slice": lambda: np.array(TensorCPU(ARRAY)[0:1]),
        "tensor_len": lambda: len(TensorCPU(ARRAY)),
        "tensor_nbytes": lambda: TensorCPU(ARRAY).nbytes,
        "tensor_iter": lambda: [np.array(x) for x in TensorCPU(ARRAY)],
        "tensor_str": lambda: str(TensorCPU(ARRAY, "HWC")),
        "tensor_repr": lambda: repr(TensorCPU(ARRAY, "HWC")),
        "tensor_array_interface": lambda: sorted(TensorCPU(ARRAY).__array_interface__),
        "tensor_dlpack": lambda: np.from_dlpack(TensorCPU(ARRAY)),
        "tensor_device": lambda: TensorCPU(ARRAY).__dlpack_device__(),
        "tensor_eq": lambda: np.array_equal(np.array(TensorCPU(ARRAY)), ARRAY),
        "list_from_array": lambda: TensorListCPU(ARRAY),
        "list_layout": lambda: TensorListCPU(ARRAY, layout="WC"),
        "list_layout_with_the_batch": lambda: TensorListCPU(ARRAY, layout="NWC"),
        "list_from_tensors": lambda: TensorListCPU([TensorCPU(ARRAY), TensorCPU(ARRAY + 1)]),
        "list_from_tensors_layout": lambda: TensorListCPU([TensorCPU(ARRAY, "HWC"), TensorCPU(ARRAY + 1, "HWC")]),
        "list_from_tensors_layout_argument": lambda: TensorListCPU(
            [TensorCPU(ARRAY), TensorCPU(ARRAY + 1)], layout="HWC"
        ),
        "list_from_tensors_mixed_layout": lambda: TensorListCPU(
            [TensorCPU(ARRAY, "HWC"), TensorCPU(ARRAY + 1, "CWH")]
        ),
        "list_from_tensors_mixed_type": lambda: TensorListCPU([TensorCPU(ARRAY), TensorCPU(ARRAY.astype(int))]),
        "list_from_tensors_mixed_rank": lambda: TensorListCPU([TensorCPU(ARRAY), TensorCPU(ARRAY[0])]),
        "list_from_tensors_ragged": lambda: TensorListCPU([TensorCPU(ARRAY), TensorCPU(ARRAY[:1])]),
        "list_from_arrays": lambda: TensorListCPU([ARRAY, ARRAY]),
        "list_from_empty": lambda: TensorListCPU([]),
        "list_from_int": lambda: TensorListCPU(5),
        "list_scalar_array": lambda: TensorListCPU(np.array(3)),
        "list_strided": lambda: TensorListCPU(ARRAY[:, ::2]),
        "list_fortran": lambda: TensorListCPU(np.asfortranarray(ARRAY)),
        "tensor_strided": lambda: TensorCPU(ARRAY[:, ::2]),
        "list_len": lambda: len(TensorListCPU(ARRAY)),
        "list_at": lambda: (TensorListCPU(ARRAY).at(1), np.array(TensorListCPU(ARRAY)[0])),
        "list_at_negative": lambda: TensorListCPU(ARRAY).at(-1),
        "list_item_negative": lambda: np.array(TensorListCPU(ARRAY)[-1]),
        "list_at_out": lambda: TensorListCPU(ARRAY).at(2),
        "list_item_out": lambda: TensorListCPU(ARRAY)[2],
        "list_iter": lambda: [np.array(x) for x in TensorListCPU(ARRAY)],
        "list_as_array": lambda: TensorListCPU(ARRAY).as_array(),
        "list_as_array_ragged": lambda: TensorListCPU([TensorCPU(ARRAY), TensorCPU(ARRAY[:1])]).as_array(),
        "list_as_tensor": lambda: np.array(TensorListCPU(ARRAY).as_tensor()),
        "list_as_tensor_layout": lambda: TensorListCPU(ARRAY, layout="WC").as_tensor().layout(),
        "list_as_tensor_ragged": lambda: TensorListCPU([TensorCPU(ARRAY), TensorCPU(ARRAY[:1])]).as_tensor(),
        "list_is_dense": lambda: (
            TensorListCPU(ARRAY).is_dense_tensor(),
            TensorListCPU([TensorCPU(ARRAY), TensorCPU(ARRAY[:1])]).is_dense_tensor(),
        ),
        "list_as_reshaped": lambda: np.array(TensorListCPU(ARRAY).as_reshaped_tensor([2, 6])),
        "list_as_reshaped_bad": lambda: np.array(TensorListCPU(ARRAY).as_reshaped_tensor([2, 5])),
        "list_shape": lambda: (
            TensorListCPU(ARRAY).shape(),
            TensorListCPU([TensorCPU(ARRAY), TensorCPU(ARRAY[:1])]).shape(),
        ),
        "list_type": lambda: TensorListCPU(ARRAY).dtype,
        "list_str": lambda: str(TensorListCPU(ARRAY, layout="WC")),
        "list_repr": lambda: repr(TensorListCPU(ARRAY, layout="WC")),
        "list_repr_ragged": lambda: repr(TensorListCPU([TensorCPU(ARRAY), TensorCPU(ARRAY[:1])])),
        "list_str_empty": lambda: str(TensorListCPU(np.zeros((2, 0), np.int32))),
        "list_data_ptr_ragged": lambda: type(
            TensorListCPU([TensorCPU(ARRAY), TensorCPU(ARRAY[:1])]).data_ptr()
        ).__name__,
        "list_nbytes": lambda: TensorListCPU(ARRAY).nbytes,
        "list_broadcast": lambda: TensorListCPU.broadcast(TensorCPU(ARRAY), 3),
        "list_numpy": lambda: np.array(TensorListCPU(ARRAY)),
    }
)


@case
def tensor_shape() -> Any:
    t = TensorCPU(ARRAY)
    return t.shape(), t.ndim() if callable(t.ndim) else t.ndim


@case
def tensor_squeeze() -> Any:
    t = TensorCPU(np.zeros((1, 2, 1)))
    r = t.squeeze()
    return r, t.shape()


@case
def tensor_squeeze_dim() -> Any:
    t = TensorCPU(np.zeros((1, 2, 1)))
    r = t.squeeze(0)
    return r, t.shape()


@case
def tensor_squeeze_bad() -> Any:
    t = TensorCPU(np.zeros((1, 2, 1)))
    r = t.squeeze(1)
    return r, t.shape()


@case
def tensor_type() -> Any:
    t = TensorCPU(ARRAY)
    return t.dtype, t.layout()


@case
def list_reset() -> Any:
    t = TensorListCPU(ARRAY)
    t.reset()
    return len(t)


case.table(
    {
        "tensor_with_a_layout_and_no_pinned_memory": lambda: TensorCPU(ARRAY, "HWC", False).layout(),
        "tensor_not_pinned": lambda: TensorCPU(ARRAY, layout="HWC", is_pinned=False).layout(),
        "tensor_with_no_layout": lambda: TensorCPU(ARRAY, None).layout(),
        "list_with_a_layout_and_no_pinned_memory": lambda: TensorListCPU(ARRAY, "HW", False).layout(),
        "list_not_pinned": lambda: TensorListCPU(ARRAY, layout="HW", is_pinned=False).layout(),
        "list_with_no_layout": lambda: TensorListCPU(ARRAY, None).layout(),
        "list_of_tensors_contiguous": lambda: TensorListCPU([TensorCPU(ARRAY)], contiguous=True).layout(),
        "list_of_tensors_apart": lambda: TensorListCPU([TensorCPU(ARRAY)], "HWC", False).layout(),
    }
)
