"""Cases: what the backend says of operators, flags for the compiler and plugins."""

from __future__ import annotations

from typing import Any

import nvidia.dali.backend as backend

from catalogue import Group

case = Group("backend")

case.table(
    {
        "schema_try_none": lambda: backend.TryGetSchema("Nonsense"),
        "schema_get_none": lambda: backend.GetSchema("Nonsense"),
        "schema_doc": lambda: len(backend.GetSchema("Resize").Dox()) > 50,
        "registered_on_the_cpu": lambda: [
            x in backend.RegisteredCPUOps()
            for x in (
                "Cast",
                "readers__File",
                "Resize",
                "random__Uniform",
                "decoders__Image",
                "ExternalSource",
                "Nonsense",
            )
        ],
        "registered_on_the_gpu": lambda: type(backend.RegisteredGPUOps()).__name__,
    }
)


@case
def schema_get() -> Any:
    s = backend.GetSchema("Cast")
    return (
        s.Name(),
        s.MinNumInput(),
        s.MaxNumInput(),
        s.HasArgument("dtype"),
        s.IsArgumentOptional("dtype"),
        s.GetArgumentNames() is not None,
    )


@case
def schema_facts() -> Any:
    s = backend.GetSchema("Resize")
    return (
        s.IsTensorArgument("resize_x"),
        s.GetArgumentDefaultValueString("interp_type"),
        s.HasArgument("nonsense"),
        s.IsNoPrune(),
        s.GetArgumentType("interp_type"),
        s.AllowsSequences(),
    )


@case
def schema_deprecated() -> Any:
    s = backend.GetSchema("CoinFlip")
    return s.IsDeprecated(), s.DeprecatedInFavorOf()


@case
def schema_io() -> Any:
    s = backend.GetSchema("readers__File")
    return s.MinNumInput(), s.MaxNumInput(), s.CalculateOutputs(backend.OpSpec("readers__File"))


@case
def spec_of_an_operator() -> Any:
    s = backend.OpSpec("Cast")
    s.AddArg("dtype", 5)
    return type(s).__name__


@case
def sysconfig_flags() -> Any:
    import nvidia.dali.sysconfig as s

    return [
        type(f()).__name__
        for f in (s.get_include_dir, s.get_lib_dir, s.get_include_flags, s.get_compile_flags, s.get_link_flags)
    ]


@case
def plugin_load_absent() -> Any:
    import nvidia.dali.plugin_manager as p

    p.load_library("/nonexistent/lib.so")


@case
def plugin_dir_absent() -> Any:
    import nvidia.dali.plugin_manager as p

    p.load_directory("/nonexistent")
