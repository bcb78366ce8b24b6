"""`ParameterDict`: parameters by name, in the order in which they came."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any

import numpy

from .. import nd
from ..init import Initializer, Uniform
from ..nd import Context, NDArray
from .parameter import Constant, Contexts, Parameter, one_context


class ParameterDict:
    """The parameters of a block. Their names begin with ``prefix``; those of ``shared`` are found as well."""

    def __init__(self, prefix: str = "", shared: ParameterDict | None = None) -> None:
        self._prefix = prefix
        self._shared = shared
        self._params: dict[str, Parameter] = {}

    def __repr__(self) -> str:
        lines = "\n".join(f"  {parameter!r}" for parameter in self.values())
        return f"{self._prefix + ' ' if self._prefix else ''}(\n{lines}\n)"

    def __getitem__(self, name: str) -> Parameter:
        return self._params[name]

    def __contains__(self, name: object) -> bool:
        return name in self._params

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __len__(self) -> int:
        return len(self._params)

    def items(self) -> ItemsView[str, Parameter]:
        return self._params.items()

    def keys(self) -> KeysView[str]:
        return self._params.keys()

    def values(self) -> ValuesView[Parameter]:
        return self._params.values()

    @property
    def prefix(self) -> str:
        return self._prefix

    # Members.

    def _find(self, name: str) -> Parameter | None:
        if name in self._params:
            return self._params[name]
        found = self._shared._find(name) if self._shared is not None else None
        if found is not None:
            self._params[name] = found
        return found

    def get(self, name: str, **attributes: Any) -> Parameter:
        """The parameter of that name (the prefix is put before it), made if there is none. AssertionError when there
        is one with other attributes; unknown extents of a shape become known."""
        full_name = self._prefix + name
        found = self._find(full_name)
        if found is None:
            found = self._params[full_name] = Parameter(full_name, **attributes)
            return found
        for attribute, wanted in attributes.items():
            _agree(found, attribute, wanted)
        return found

    def get_constant(self, name: str, value: Any = None) -> Constant:
        """The constant of that name, made if there is none. KeyError without a value then."""
        full_name = self._prefix + name
        found = self._find(full_name)
        if found is None:
            if value is None:
                raise KeyError(f"there is no constant '{full_name}'; give its value to make it")
            found = self._params[full_name] = Constant(full_name, value)
        if not isinstance(found, Constant):
            raise AssertionError(f"Parameter '{full_name}' is not a constant")
        if value is not None and not _equal_values(found.value, value):
            raise AssertionError(f"Constant '{full_name}' has another value")
        return found

    def update(self, other: ParameterDict) -> None:
        """Adds the other's parameters. ValueError when a name stands for different parameters."""
        for name, parameter in other.items():
            if self._params.setdefault(name, parameter) is not parameter:
                raise ValueError(f"there are two different parameters '{name}'; blocks need prefixes that differ")

    # All of them.

    def initialize(
        self,
        init: Initializer | str | None = None,
        ctx: Contexts = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initializes each; ``init`` (Uniform() by default) fills those that have no way of their own."""
        one_context(ctx)
        for parameter in self.values():
            parameter.initialize(None, ctx, init or Uniform(), force_reinit)

    def zero_grad(self) -> None:
        for parameter in self.values():
            parameter.zero_grad()

    def reset_ctx(self, ctx: Contexts) -> None:
        for parameter in self.values():
            parameter.reset_ctx(ctx)

    def list_ctx(self) -> list[Context]:
        if not self:
            raise AssertionError("there are no parameters")
        return next(iter(self.values())).list_ctx()

    def setattr(self, name: str, value: Any) -> None:
        """Sets an attribute of each: ``setattr('grad_req', 'null')``."""
        for parameter in self.values():
            setattr(parameter, name, value)

    # Files.

    def save(self, filename: str, strip_prefix: str = "") -> None:
        """Writes the values in MXNet's format, by names from which ``strip_prefix`` is taken. ValueError for a name
        that does not begin with it."""
        values = {}
        for name, parameter in self.items():
            if not name.startswith(strip_prefix):
                raise ValueError(f"the name of Parameter '{name}' does not begin with '{strip_prefix}'")
            values[name[len(strip_prefix) :]] = parameter.data()
        nd.save(filename, values)

    def load(
        self,
        filename: str,
        ctx: Contexts = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Takes the values of a file of `save`; ``restore_prefix`` is put before its names."""
        loaded = nd.load(filename)
        self.load_dict(
            named(loaded, filename), ctx, allow_missing, ignore_extra, restore_prefix, filename, cast_dtype, dtype_source
        )

    def load_dict(
        self,
        param_dict: Mapping[str, NDArray],
        ctx: Contexts = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        filename: str | None = None,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Takes values by name; those in files of older programs begin with ``arg:`` or ``aux:``."""
        one_context(ctx)
        source = filename or "the given arrays"
        values = {restore_prefix + name.removeprefix("arg:").removeprefix("aux:"): v for name, v in param_dict.items()}
        if not allow_missing:
            check_complete(self.keys(), values, source)
        for name, value in values.items():
            if name in self:
                self[name].load(value, cast_dtype, dtype_source, source)
            elif not ignore_extra:
                raise ValueError(unexpected(name, source, self.keys()))


def named(loaded: dict[str, NDArray] | list[NDArray], source: str) -> dict[str, NDArray]:
    """What `nd.load` gave, or ValueError when the arrays of the file have no names."""
    if isinstance(loaded, list) and loaded:
        raise ValueError(f"{source}: its {len(loaded)} arrays have no names, so they are nobody's parameters")
    return loaded if isinstance(loaded, dict) else {}


def check_complete(wanted: Any, values: Mapping[str, NDArray], source: str) -> None:
    for name in wanted:
        if name not in values:
            raise AssertionError(
                f"Parameter '{name}' is missing in {source}, which has {brief(values)}. Set allow_missing=True to leave"
                " it as it is"
            )


def unexpected(name: str, source: str, known: Any) -> str:
    return (
        f"Parameter '{name}' of {source} is not among the block's: {brief(known)}. Set ignore_extra=True to leave it out"
    )


def brief(names: Any) -> str:
    """A list of names that stays readable."""
    quoted = [f"'{name}'" for name in names]
    return ", ".join(quoted if len(quoted) <= 10 else [*quoted[:5], "...", *quoted[-5:]]) or "nothing"


def _agree(parameter: Parameter, attribute: str, wanted: Any) -> None:
    present = getattr(parameter, attribute, None)
    if attribute == "shape" and wanted is not None:
        merged = _merged(present, (wanted,) if isinstance(wanted, int) else tuple(wanted))
        if merged is not None:
            parameter._shape = merged
            return
    elif attribute == "dtype" and numpy.dtype(wanted) == numpy.dtype(present):
        return
    elif present is None or wanted is None or present == wanted:
        if present is None and wanted is not None:
            setattr(parameter, attribute, wanted)
        return
    raise AssertionError(f"Parameter '{parameter.name}' is there with {attribute}={present}, not {wanted}")


def _merged(known: tuple[int, ...] | None, wanted: tuple[int, ...]) -> tuple[int, ...] | None:
    """Both shapes' known extents, or None where they contradict each other."""
    if known is None:
        return wanted
    if len(known) != len(wanted):
        return None
    if any(k > 0 and w > 0 and k != w for k, w in zip(known, wanted, strict=True)):
        return None
    return tuple(k if k > 0 else w for k, w in zip(known, wanted, strict=True))


def _equal_values(held: NDArray, value: Any) -> bool:
    other = value.asnumpy() if isinstance(value, NDArray) else numpy.asarray(value)
    return held.shape == other.shape and bool(numpy.all(held.asnumpy() == other))
