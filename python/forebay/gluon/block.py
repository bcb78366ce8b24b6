"""`Block`: a layer, a loss or a model, made of parameters and other blocks."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..init import Initializer
from ..nd import NDArray
from . import names, parameter_files
from .block_summary import print_summary
from .parameter import Contexts, Parameter
from .parameter_dict import ParameterDict

Self = TypeVar("Self", bound="Block")
PreHook = Callable[["Block", tuple[Any, ...]], object]
Hook = Callable[["Block", tuple[Any, ...], Any], object]


class HookHandle:
    """A registered hook; `detach` (or the end of a ``with``) takes it away."""

    _numbers = itertools.count()

    def __init__(self, hooks: dict[int, Any], hook: Any) -> None:
        self._hooks = hooks
        self._number = next(HookHandle._numbers)
        hooks[self._number] = hook

    def detach(self) -> None:
        self._hooks.pop(self._number, None)

    def __enter__(self) -> HookHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.detach()


class Block:
    """Derive from it, make children and parameters in ``__init__`` and define ``forward(*inputs)``.

    Blocks and parameters that are assigned to attributes are children. ``prefix`` begins the names of parameters;
    without one it is made of the class's name and a count. ``params`` are another block's, to be shared.
    """

    _has_summary_row = True  # in the table that summary() prints

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        self._empty_prefix = prefix == ""
        self._name_within(names.enclosing_block(), names.own_prefix(self._alias(), prefix), params)
        self._name = self._prefix.removesuffix("_")
        self._scope = names.NameScope(self, self._empty_prefix)
        self._children: dict[str, Block] = {}
        self._reg_params: dict[str, Parameter] = {}
        self._forward_hooks: dict[int, Hook] = {}
        self._forward_pre_hooks: dict[int, PreHook] = {}

    def _name_within(self, around: Block | None, own: str, shared: ParameterDict | None) -> None:
        self._prefix = own if around is None else around.prefix + own
        if shared is not None:
            self._params = ParameterDict(shared.prefix, shared)
        elif around is not None:
            self._params = ParameterDict(around.params.prefix + own, around.params._shared)
        else:
            self._params = ParameterDict(own)

    def _alias(self) -> str:
        """What names of blocks of the class begin with."""
        return type(self).__name__.lower()

    def __repr__(self) -> str:
        children = ((name, value) for name, value in self.__dict__.items() if isinstance(value, Block))
        lines = "\n".join(f"  ({name}): {indented(repr(child))}" for name, child in children)
        return f"{type(self).__name__}(\n{lines}\n)"

    def __setattr__(self, name: str, value: Any) -> None:
        present = self.__dict__.get(name)
        if isinstance(present, (Block, Parameter)) and not _may_replace(present, value):
            raise TypeError(f"the attribute {name} stays a {type(present).__name__}: {value!r} is none")
        if isinstance(value, Block):
            self.register_child(value, name)
        elif isinstance(value, Parameter):
            if self._reg_params.get(name, value) is not value:
                raise AssertionError(f"{name} is a parameter already; share parameters by the argument params")
            self._reg_params[name] = value
        super().__setattr__(name, value)

    # Names and members.

    @property
    def prefix(self) -> str:
        return self._prefix

    @property
    def name(self) -> str:
        return self._name

    @property
    def params(self) -> ParameterDict:
        """The block's own parameters, without its children's."""
        return self._params

    def name_scope(self) -> names.NameScope:
        """``with self.name_scope():`` lets the names of what is made there begin with the block's prefix."""
        return self._scope

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """The parameters of the block and its children, or those whose names match a regular expression."""
        found = ParameterDict(self._params.prefix)
        found.update(_matching(self.params, select))
        for child in self._children.values():
            found.update(child.collect_params(select))
        return found

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """Parameters by where they are ("0.weight"), which does not depend on the names of blocks."""
        start = prefix + "." if prefix else ""
        found = {start + name: parameter for name, parameter in self._reg_params.items()}
        for name, child in self._children.items():
            found.update(child._collect_params_with_prefix(start + name))
        return found

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Makes a block a child, whose parameters are collected with the block's."""
        self._children[str(len(self._children)) if name is None else name] = block

    def apply(self: Self, fn: Callable[[Block], object]) -> Self:
        """Calls ``fn`` with each descendant, then with the block."""
        for child in self._children.values():
            child.apply(fn)
        fn(self)
        return self

    # Hooks.

    def register_forward_pre_hook(self, hook: PreHook) -> HookHandle:
        """``hook(block, inputs)`` is called before each `forward`."""
        return HookHandle(self._forward_pre_hooks, hook)

    def register_forward_hook(self, hook: Hook) -> HookHandle:
        """``hook(block, inputs, outputs)`` is called after each `forward`."""
        return HookHandle(self._forward_hooks, hook)

    def register_op_hook(self, callback: Any, monitor_all: bool = False) -> None:
        raise NotImplementedError("hooks of single operations are not offered; register_forward_hook() sees each block")

    # Parameters.

    def initialize(
        self,
        init: Initializer | str | None = None,
        ctx: Contexts = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initializes all parameters; see `ParameterDict.initialize`."""
        self.collect_params().initialize(init, ctx, verbose, force_reinit)

    def cast(self, dtype: Any) -> None:
        """Converts all parameters, and what the block computes, to another element type."""
        for child in self._children.values():
            child.cast(dtype)
        for parameter in self.params.values():
            parameter.cast(dtype)

    def hybridize(self, active: bool = True, **options: Any) -> None:
        """Compiles the `HybridBlock`s among the descendants, in MXNet. Here arrays are asynchronous anyway."""
        for child in self._children.values():
            child.hybridize(active, **options)

    def save_parameters(self, filename: str, deduplicate: bool = False) -> None:
        """Writes the parameters in MXNet's format, by where they are in the block ("0.weight"). ``deduplicate``
        writes shared ones once."""
        parameter_files.save(self._collect_params_with_prefix(), filename, deduplicate)

    def load_parameters(
        self,
        filename: str,
        ctx: Contexts = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Takes the parameters of a file of `save_parameters`, or of ``collect_params().save()``."""
        options = parameter_files.LoadOptions(allow_missing, ignore_extra, cast_dtype, dtype_source)
        parameter_files.load(self, filename, ctx, options)

    def save_params(self, filename: str) -> None:
        """The old name of writing by the names of parameters."""
        self.collect_params().save(filename, strip_prefix=self.prefix)

    def load_params(
        self, filename: str, ctx: Contexts = None, allow_missing: bool = False, ignore_extra: bool = False
    ) -> None:
        """The old name of `load_parameters`."""
        self.load_parameters(filename, ctx, allow_missing, ignore_extra)

    # Computing.

    def __call__(self, *args: Any) -> Any:
        for pre_hook in self._forward_pre_hooks.values():
            pre_hook(self, args)
        outputs = self.forward(*args)
        for hook in self._forward_hooks.values():
            hook(self, args, outputs)
        return outputs

    def forward(self, *args: Any) -> Any:
        """What the block computes."""
        raise NotImplementedError(f"{type(self).__name__} defines no forward()")

    def summary(self, *inputs: NDArray) -> None:
        """Prints the blocks, the shapes of what they give and the numbers of their parameters, for these inputs."""
        print_summary(self, inputs)


def indented(text: str) -> str:
    """All lines but the first moved right."""
    return text.replace("\n", "\n  ")


def _may_replace(present: Block | Parameter, value: object) -> bool:
    return isinstance(value, type(present)) or isinstance(present, type(value))


def _matching(parameters: ParameterDict, select: str | None) -> ParameterDict:
    if select is None:
        return parameters
    pattern = re.compile(select)
    found = ParameterDict(parameters.prefix)
    found._params.update((name, p) for name, p in parameters.items() if pattern.match(name))
    return found


