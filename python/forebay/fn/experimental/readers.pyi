"""Generated from the operator table by tools/generate_stubs.py."""

from typing import Any, Sequence

from ...graph.data_node import DataNode
from ...types import DALIDataType, DALIImageType, DALIInterpType, ScalarConstant

Operand = DataNode | ScalarConstant | int | float | Sequence[Any]

def fits(
    *,
    file_root: str = ...,
    file_list: str = ...,
    files: str | Sequence[str] = ...,
    file_filter: str = ...,
    hdu_indices: int | Sequence[int] = ...,
    dtypes: int | Sequence[int] = ...,
    random_shuffle: bool = ...,
    num_shards: int = ...,
    shard_id: int = ...,
    stick_to_shard: bool = ...,
    pad_last_batch: bool = ...,
    shuffle_after_epoch: bool = ...,
    shuffle_after_epoch_seed: int | None = ...,
    index_file: str = ...,
    initial_fill: int = ...,
    prefetch_queue_depth: int = ...,
    tensor_init_bytes: int = ...,
    read_ahead: bool = ...,
    skip_cached_images: bool = ...,
    lazy_init: bool = ...,
    dont_use_mmap: bool = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> Any: ...
