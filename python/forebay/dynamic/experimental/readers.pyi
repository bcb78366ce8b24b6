"""Generated from the operator table by tools/generate_stubs.py."""

import builtins
import collections.abc
from typing import Any

from ...enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from ..batch import Batch
from ..generators import RNG
from ..reader import Reader
from ..tensor import Tensor

TensorLike = Any
DeviceLike = Any

class Fits(Reader):
    def __init__(
        self,
        max_batch_size: int | None = ...,
        name: str | None = ...,
        device: Any = ...,
        *,
        batch_size: int | None = ...,
        enable_checkpointing: builtins.bool = ...,
        file_root: str = ...,
        file_list: str = ...,
        files: str | collections.abc.Sequence[str] = ...,
        file_filter: str = ...,
        hdu_indices: int | collections.abc.Sequence[int] = ...,
        dtypes: DTypeLike | collections.abc.Sequence[DTypeLike] = ...,
        random_shuffle: builtins.bool = ...,
        num_shards: int = ...,
        shard_id: int = ...,
        stick_to_shard: builtins.bool = ...,
        pad_last_batch: builtins.bool = ...,
        shuffle_after_epoch: builtins.bool = ...,
        shuffle_after_epoch_seed: int | None = ...,
        bucket_by_length: int = ...,
        index_file: str = ...,
        initial_fill: int = ...,
        prefetch_queue_depth: int = ...,
        tensor_init_bytes: int = ...,
        read_ahead: builtins.bool = ...,
        skip_cached_images: builtins.bool = ...,
        lazy_init: builtins.bool = ...,
        dont_use_mmap: builtins.bool = ...,
        seed: int | None = ...,
    ) -> None: ...
