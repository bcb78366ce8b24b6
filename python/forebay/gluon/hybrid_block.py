"""`HybridBlock`: a block that MXNet can compile."""

from __future__ import annotations

from typing import Any

from .. import nd
from . import deferred_shapes
from .block import Block
from .parameter import DeferredInitializationError


class HybridBlock(Block):
    """Derive from it and define ``hybrid_forward(F, x, ..., **parameters)``, where ``F`` is `forebay.nd` and the
    block's own parameters come by the names of their attributes; or `forward`.

    `hybridize` is accepted and changes nothing: operations are enqueued and run ahead of Python anyway.
    """

    def __init__(self, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix, params)
        self._active = False

    def register_child(self, block: Block, name: str | None = None) -> None:
        if not isinstance(block, HybridBlock):
            raise ValueError(
                f"children of a HybridBlock are HybridBlocks, {block} of type {type(block).__name__} is none"
            )
        super().register_child(block, name)

    def hybridize(self, active: bool = True, **options: Any) -> None:
        self._active = active
        super().hybridize(active, **options)

    def forward(self, x: Any, *args: Any) -> Any:
        try:
            parameters = {name: parameter.data() for name, parameter in self._reg_params.items()}
        except DeferredInitializationError:
            return deferred_shapes.first_forward(self, x, args)
        return self.hybrid_forward(nd, x, *args, **parameters)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """What the block computes, with the operations of ``F``."""
        raise NotImplementedError(f"{type(self).__name__} defines neither hybrid_forward() nor forward()")

    def infer_shape(self, *args: Any) -> None:
        """Makes parameters' shapes known from inputs of these shapes, by computing once."""
        self(*args)

    def export(self, path: str, epoch: int = 0, remove_amp_cast: bool = True) -> None:
        raise NotImplementedError("graphs of symbols are not offered; save_parameters() writes the parameters")
