"""`Parameter`: an array that a block learns, and its gradient."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy

from .. import autograd, init as initializers, nd
from ..errors import ArrayError
from ..init import InitDesc, Initializer
from ..nd import Context, NDArray
from ..nd.context import checked

Contexts = Context | Sequence[Context] | None
Initialization = Initializer | str | None

_UNINITIALIZED = (
    "Parameter '{}' has not been initialized: call initialize() of the block. Create a Trainer with"
    " Block.collect_params(), which includes the parameters of children; Block.params does not"
)
_DEFERRED = (
    "Parameter '{}' has not been initialized yet, because its shape is not known before data has passed: call the block"
    " once, or give in_units, in_channels and the like"
)


class DeferredInitializationError(ArrayError):
    """A parameter waits for the shape of the first input."""


def one_context(ctx: Contexts) -> Context:
    """The device that parameters lie on. ArrayError for several devices or one that is not here."""
    if ctx is None or isinstance(ctx, Context):
        return checked(ctx)
    devices = list(dict.fromkeys(ctx))
    if len(devices) > 1:
        raise ArrayError(f"parameters lie on one device, not on {devices}: the CPU's cores share it")
    return checked(devices[0] if devices else None)


def is_known(shape: Sequence[int] | None) -> bool:
    """Whether all extents are known: 0, or -1 in newer scripts, stands for one that the first input determines."""
    return shape is not None and all(extent > 0 for extent in shape)


class Parameter:
    """An array with a gradient, made when its shape is known.

    ``grad_req`` is what backward does with the gradient: "write", "add" or "null" (there is none). ``lr_mult`` and
    ``wd_mult`` scale the trainer's learning rate and weight decay.
    """

    def __init__(
        self,
        name: str,
        grad_req: str = "write",
        shape: int | Sequence[int] | None = None,
        dtype: Any = numpy.float32,
        lr_mult: float = 1.0,
        wd_mult: float = 1.0,
        init: Initialization = None,
        allow_deferred_init: bool = False,
        differentiable: bool = True,
        stype: str = "default",
        grad_stype: str = "default",
    ) -> None:
        for value in (stype, grad_stype):
            if value != "default":
                raise ValueError(f"Parameter '{name}': arrays are dense, not of storage type '{value}'")
        self.name = name
        self.dtype = dtype
        self.lr_mult = lr_mult
        self.wd_mult = wd_mult
        self.init = init
        self.allow_deferred_init = allow_deferred_init
        self._differentiable = differentiable
        self._shape = (shape,) if isinstance(shape, int) else None if shape is None else tuple(shape)
        self._data: NDArray | None = None
        self._deferred: tuple[Initialization, NDArray | None] | None = None  # how, or with which values
        self._grad_req = "null"
        self.grad_req = grad_req

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.name} (shape={self._shape}, dtype={self.dtype})"

    @property
    def shape(self) -> tuple[int, ...] | None:
        return self._shape

    @shape.setter
    def shape(self, wanted: Sequence[int]) -> None:
        wanted = tuple(wanted)
        known = self._shape
        if known is not None and not fits(known, wanted):
            raise AssertionError(f"Parameter '{self.name}': the shape {wanted} does not fit the shape {known}")
        self._shape = wanted

    @property
    def grad_req(self) -> str:
        return self._grad_req

    @grad_req.setter
    def grad_req(self, wanted: str) -> None:
        if wanted not in ("write", "add", "null"):
            raise AssertionError(f"grad_req is 'write', 'add' or 'null', not '{wanted}'")
        wanted = wanted if self._differentiable else "null"
        if wanted != self._grad_req:
            self._grad_req = wanted
            self._attach_gradient()

    # Initialization.

    def initialize(
        self,
        init: Initialization = None,
        ctx: Contexts = None,
        default_init: Initialization = None,
        force_reinit: bool = False,
    ) -> None:
        """Makes the array by ``init``, else the parameter's own way, else ``default_init``; later, when its shape is
        not known yet and it may wait. ValueError when it may not."""
        one_context(ctx)
        if self._data is not None and not force_reinit:
            warnings.warn(
                f"Parameter '{self.name}' is already initialized, ignoring. Set force_reinit=True to re-initialize.",
                stacklevel=2,
            )
            return
        self._data = None
        chosen = init or self.init or default_init or initializers.Uniform()
        self._deferred = (chosen, None)
        if is_known(self._shape):
            self.finish_deferred()
        elif not self.allow_deferred_init:
            self._deferred = None
            raise ValueError(f"Cannot initialize Parameter '{self.name}': its shape is {self._shape}")

    def finish_deferred(self) -> None:
        """Makes the array of a parameter whose shape has become known."""
        if self._deferred is None:
            return
        how, values = self._deferred
        shape = self._shape
        if shape is None or not is_known(shape):
            raise DeferredInitializationError(_DEFERRED.format(self.name))
        with autograd.pause():
            if values is None:
                values = nd.zeros(shape, dtype=self.dtype)
                initializers.create(how or "uniform")(InitDesc(self.name, {"__init__": how}), values)
            self._deferred = None
            self._adopt(values)

    def load(self, values: NDArray, cast_dtype: bool = False, dtype_source: str = "current", source: str = "") -> None:
        """Takes values read from a file. AssertionError when shape or type do not fit."""
        where = f"Parameter '{self.name}'" + (f" from {source}" if source else "")
        if self._shape is not None and not fits(self._shape, values.shape):
            raise AssertionError(f"{where}: the shape {values.shape} does not fit the shape {self._shape}")
        if dtype_source not in ("current", "saved"):
            raise AssertionError(f"dtype_source is 'current' or 'saved', not '{dtype_source}'")
        if numpy.dtype(self.dtype) != values.dtype:
            if not cast_dtype:
                raise AssertionError(
                    f"{where}: the type {numpy.dtype(values.dtype)} is not {numpy.dtype(self.dtype)};"
                    " cast_dtype=True converts"
                )
            if dtype_source == "current":
                values = values.astype(self.dtype)
            else:
                self.dtype = values.dtype
        self._shape = values.shape
        self.set_or_adopt(values)

    def set_or_adopt(self, values: NDArray) -> None:
        """Copies the values into the array, or makes a copy of them the array where there is none."""
        self._deferred = None
        if self._data is not None and self._data.dtype == values.dtype:
            values.copyto(self._data)
        else:
            self._adopt(values.copy())

    def _adopt(self, values: NDArray) -> None:
        self._data = values
        self._attach_gradient()

    def _attach_gradient(self) -> None:
        if self._data is None:
            return
        if self._grad_req == "null":
            self._data = self._data.detach()
        else:
            self._data.attach_grad(self._grad_req)

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copy.deepcopy(): with the gradient, which an array by itself does not keep."""
        gradient = None if self._data is None or self._grad_req == "null" else self._data.grad
        return {**self.__dict__, "gradient": gradient}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: value for name, value in state.items() if name != "gradient"})
        gradient = state.get("gradient")
        if gradient is not None and self._data is not None and self._data.grad is None:
            self._attach_gradient()
            self.grad()[:] = gradient

    # Values.

    def data(self, ctx: Context | None = None) -> NDArray:
        """The array. DeferredInitializationError while its shape is not known, RuntimeError before initialize()."""
        if ctx is not None:
            checked(ctx)
        if self._data is None:
            raise self._absence()
        return self._data

    def _absence(self) -> RuntimeError:
        if self._deferred is not None:
            return DeferredInitializationError(_DEFERRED.format(self.name))
        return RuntimeError(_UNINITIALIZED.format(self.name))

    def list_data(self) -> list[NDArray]:
        return [self.data()]

    def grad(self, ctx: Context | None = None) -> NDArray:
        """The gradient that backward fills. RuntimeError when ``grad_req`` is "null"."""
        if self._data is not None and self._grad_req == "null":
            raise RuntimeError(f"Cannot get gradient array for Parameter '{self.name}' because grad_req='null'")
        gradient = self.data().grad
        assert gradient is not None
        return gradient

    def list_grad(self) -> list[NDArray]:
        return [self.grad()]

    def list_ctx(self) -> list[Context]:
        if self._data is None and self._deferred is None:
            raise self._absence()
        return [nd.cpu()]

    def set_data(self, data: NDArray) -> None:
        """Other values of the same shape; before the array is made, those that it will have."""
        self.shape = data.shape
        if self._data is None:
            if self._deferred is None:
                raise self._absence()
            self._deferred = (None, data.astype(self.dtype))
            return
        with autograd.pause():
            data.copyto(self._data)

    def zero_grad(self) -> None:
        if self._data is not None and self._grad_req != "null":
            gradient = self.grad()
            gradient[:] = 0

    def reset_ctx(self, ctx: Contexts) -> None:
        """Arrays lie on the CPU; ArrayError for what is not here."""
        one_context(ctx)
        self.list_ctx()

    def cast(self, dtype: Any) -> None:
        """Converts the array; its gradient begins anew."""
        self.dtype = dtype
        if self._data is not None:
            with autograd.pause():
                self._adopt(self._data.detach().astype(dtype))

    def var(self) -> None:
        raise NotImplementedError(f"Parameter '{self.name}': symbols are not offered; blocks run on arrays")


def fits(known: Sequence[int], shape: Sequence[int]) -> bool:
    """True when the shape has all known extents of the other."""
    return len(known) == len(shape) and all(k in (0, -1, s) for k, s in zip(known, shape, strict=True))


class Constant(Parameter):
    """A parameter that no trainer changes: its gradient is never taken."""

    def __init__(self, name: str, value: Any) -> None:
        self.value: NDArray = value if isinstance(value, NDArray) else nd.array(value)
        super().__init__(
            name, "null", self.value.shape, self.value.dtype, init=_Fixed(self.value), differentiable=False
        )


class _Fixed(Initializer):
    """Gives the values of an array."""

    def __init__(self, value: NDArray) -> None:
        super().__init__()
        self._value = value

    def _init_weight(self, name: str, arr: NDArray) -> None:
        self._value.copyto(arr)
