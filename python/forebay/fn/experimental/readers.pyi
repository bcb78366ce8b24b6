"""Generated from the operator table by tools/generate_stubs.py. Several outputs come as a list, which is written as a
tuple here: types know the length of no list."""

from typing import Any, Literal, Sequence, overload

from ...enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from ...graph.data_node import DataNode
from ...tfrecord import Feature
from ...types import ScalarConstant

Operand = DataNode | ScalarConstant | int | float | Sequence[Any]

@overload
def fits(
    *,
    file_root: str = ...,
    file_list: str = ...,
    files: str | Sequence[str] = ...,
    file_filter: str = ...,
    hdu_indices: int = ...,
    dtypes: DTypeLike | Sequence[DTypeLike] = ...,
    random_shuffle: bool = ...,
    num_shards: int = ...,
    shard_id: int = ...,
    stick_to_shard: bool = ...,
    pad_last_batch: bool = ...,
    shuffle_after_epoch: bool = ...,
    shuffle_after_epoch_seed: int | None = ...,
    bucket_by_length: int = ...,
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
) -> DataNode: ...

@overload
def fits(
    *,
    file_root: str = ...,
    file_list: str = ...,
    files: str | Sequence[str] = ...,
    file_filter: str = ...,
    hdu_indices: tuple[int, int],
    dtypes: DTypeLike | Sequence[DTypeLike] = ...,
    random_shuffle: bool = ...,
    num_shards: int = ...,
    shard_id: int = ...,
    stick_to_shard: bool = ...,
    pad_last_batch: bool = ...,
    shuffle_after_epoch: bool = ...,
    shuffle_after_epoch_seed: int | None = ...,
    bucket_by_length: int = ...,
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
) -> tuple[DataNode, DataNode]: ...

@overload
def fits(
    *,
    file_root: str = ...,
    file_list: str = ...,
    files: str | Sequence[str] = ...,
    file_filter: str = ...,
    hdu_indices: tuple[int, int, int],
    dtypes: DTypeLike | Sequence[DTypeLike] = ...,
    random_shuffle: bool = ...,
    num_shards: int = ...,
    shard_id: int = ...,
    stick_to_shard: bool = ...,
    pad_last_batch: bool = ...,
    shuffle_after_epoch: bool = ...,
    shuffle_after_epoch_seed: int | None = ...,
    bucket_by_length: int = ...,
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
) -> tuple[DataNode, DataNode, DataNode]: ...

@overload
def fits(
    *,
    file_root: str = ...,
    file_list: str = ...,
    files: str | Sequence[str] = ...,
    file_filter: str = ...,
    hdu_indices: tuple[int, int, int, int],
    dtypes: DTypeLike | Sequence[DTypeLike] = ...,
    random_shuffle: bool = ...,
    num_shards: int = ...,
    shard_id: int = ...,
    stick_to_shard: bool = ...,
    pad_last_batch: bool = ...,
    shuffle_after_epoch: bool = ...,
    shuffle_after_epoch_seed: int | None = ...,
    bucket_by_length: int = ...,
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
) -> tuple[DataNode, DataNode, DataNode, DataNode]: ...

@overload
def fits(
    *,
    file_root: str = ...,
    file_list: str = ...,
    files: str | Sequence[str] = ...,
    file_filter: str = ...,
    hdu_indices: int | Sequence[int] = ...,
    dtypes: DTypeLike | Sequence[DTypeLike] = ...,
    random_shuffle: bool = ...,
    num_shards: int = ...,
    shard_id: int = ...,
    stick_to_shard: bool = ...,
    pad_last_batch: bool = ...,
    shuffle_after_epoch: bool = ...,
    shuffle_after_epoch_seed: int | None = ...,
    bucket_by_length: int = ...,
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
) -> tuple[DataNode, ...]: ...
