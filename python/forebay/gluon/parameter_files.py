"""Parameters of a block to and from files in MXNet's format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import nd
from ..nd import NDArray
from .parameter import Contexts, Parameter, one_context
from .parameter_dict import check_complete, named, unexpected

if TYPE_CHECKING:
    from .block import Block


@dataclass(frozen=True)
class LoadOptions:
    allow_missing: bool
    ignore_extra: bool
    cast_dtype: bool
    dtype_source: str


def save(parameters: Mapping[str, Parameter], filename: str, deduplicate: bool) -> None:
    """Writes the values by these names; ``deduplicate``: a parameter that has several only by the last."""
    kept = {id(parameter): name for name, parameter in parameters.items()}
    nd.save(
        filename,
        {
            name: parameter.data()
            for name, parameter in parameters.items()
            if not deduplicate or kept[id(parameter)] == name
        },
    )


def load(block: Block, filename: str, ctx: Contexts, options: LoadOptions) -> None:
    """Takes a file's values by where parameters are in the block, or, where no name of the file has a dot, by the
    parameters' names."""
    one_context(ctx)
    values = named(nd.load(filename), filename)
    parameters = block._collect_params_with_prefix()
    if not values and not parameters:
        return
    if not any("." in name for name in values) and any("." in name for name in parameters):
        block.collect_params().load_dict(
            values,
            ctx,
            options.allow_missing,
            options.ignore_extra,
            block.prefix,
            filename,
            options.cast_dtype,
            options.dtype_source,
        )
        return
    _load_by_place(parameters, values, filename, options)


def _load_by_place(
    parameters: Mapping[str, Parameter], values: Mapping[str, NDArray], filename: str, options: LoadOptions
) -> None:
    if not options.allow_missing:
        found = {id(parameters[name]) for name in values if name in parameters}
        check_complete([n for n, p in parameters.items() if id(p) not in found], values, filename)
    for name, value in values.items():
        if name in parameters:
            parameters[name].load(value, options.cast_dtype, options.dtype_source, filename)
        elif not options.ignore_extra:
            raise ValueError(unexpected(name, filename, parameters))
