"""The functions that `forebay.nd` offers, by the modules that define them; some are methods of arrays as well:
``x.relu()`` is ``nd.relu(x)``. What `forebay.nd` exports, the methods and their stubs are made from this table."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Functions:
    """Names in one module: those that are methods as well, and the others. ``renamed``: what `nd` calls others of
    it."""

    module: str
    methods: str = ""
    others: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)

    def names(self) -> dict[str, str]:
        """{the name in `nd`: the name in the module}"""
        return {**{name: name for name in (self.methods + " " + self.others).split()}, **self.renamed}


TABLE = (
    Functions(
        "ndarray",
        others="array",
    ),
    Functions(
        "creation",
        methods="ones_like to_dlpack_for_read to_dlpack_for_write zeros_like",
        others="arange empty eye from_dlpack from_numpy full full_like linspace ones zeros",
    ),
    Functions(
        "files",
        others="load load_frombuffer save",
    ),
    Functions(
        "arithmetic",
        methods="""
            abs arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh exp floor log log10 log2 rsqrt sin
            sinh sqrt tan tanh
        """,
        others="""
            add arctan2 broadcast_add broadcast_div broadcast_equal broadcast_greater broadcast_greater_equal
            broadcast_lesser broadcast_lesser_equal broadcast_maximum broadcast_minimum broadcast_minus
            broadcast_mul broadcast_not_equal broadcast_plus broadcast_power broadcast_sub divide elemwise_add
            elemwise_div elemwise_mul elemwise_sub equal greater greater_equal lesser lesser_equal maximum minimum
            multiply negative not_equal power subtract true_divide
        """,
    ),
    Functions(
        "functions",
        methods="""
            clip degrees erf erfinv expm1 fix gamma gammaln log1p radians rcbrt reciprocal relu rint round sigmoid
            sign square trunc
        """,
        others="""
            BlockGrad Cast ElementWiseSum MakeLoss add_n amp_cast broadcast_hypot broadcast_logical_and
            broadcast_logical_or broadcast_logical_xor broadcast_mod cast hard_sigmoid identity logical_and
            logical_not logical_or logical_xor make_loss modulo smooth_l1 softsign stop_gradient
        """,
    ),
    Functions(
        "gathering",
        methods="one_hot pick take",
        others="batch_take choose_element_0index gather_nd scatter_nd where",
    ),
    Functions(
        "networks",
        methods="log_softmax softmax softmin",
        others="""
            Activation Convolution Deconvolution FullyConnected LeakyReLU Pooling SoftmaxActivation
            SoftmaxOutput softmax_cross_entropy
        """,
    ),
    Functions(
        "normalization",
        others="BatchNorm Dropout Embedding GroupNorm InstanceNorm L2Normalization LRN LayerNorm SequenceMask UpSampling",
    ),
    Functions(
        "optimizers",
        others="""
            adagrad_update adam_update nag_mom_update rmsprop_update rmspropalex_update sgd_mom_update sgd_update
            signsgd_update
        """,
    ),
    Functions(
        "parts",
        methods="slice slice_axis slice_like split split_v2",
        others="SliceChannel crop",
    ),
    Functions(
        "products",
        others="batch_dot dot",
    ),
    Functions(
        "reduction",
        others="argmax argmin max max_axis mean min min_axis norm prod sum sum_axis",
    ),
    Functions(
        "repetition",
        methods="broadcast_axes broadcast_like broadcast_to pad repeat tile",
        others="Pad broadcast_axis",
    ),
    Functions(
        "shapes",
        methods="""
            depth_to_space diag expand_dims flatten flip reshape_like shape_array size_array space_to_depth squeeze
            swapaxes transpose
        """,
        others="Concat Flatten Reshape SwapAxis concat concatenate moveaxis reshape reverse stack",
    ),
    Functions(
        "sorting",
        methods="argmax_channel argsort cumsum nanprod nansum sort topk",
        others="all_finite moments",
    ),
    Functions(
        "random",
        others="normal random_exponential shuffle uniform",
        renamed={
            "random_gamma": "gamma",
            "random_generalized_negative_binomial": "generalized_negative_binomial",
            "random_negative_binomial": "negative_binomial",
            "random_normal": "normal",
            "random_poisson": "poisson",
            "random_randint": "randint",
            "random_uniform": "uniform",
            "sample_exponential": "random_exponential",
            "sample_gamma": "gamma",
            "sample_generalized_negative_binomial": "generalized_negative_binomial",
            "sample_multinomial": "multinomial",
            "sample_negative_binomial": "negative_binomial",
            "sample_normal": "normal",
            "sample_poisson": "poisson",
            "sample_uniform": "uniform",
        },
    ),
)


def functions() -> dict[str, Callable[..., Any]]:
    """All functions of the table by their names in `nd`."""
    return {name: function for row in TABLE for name, function in _found(row)}


def methods() -> dict[str, Callable[..., Any]]:
    """Those that are methods."""
    offered = functions()
    return {name: offered[name] for row in TABLE for name in row.methods.split()}


def _found(row: Functions) -> Iterator[tuple[str, Callable[..., Any]]]:
    module = importlib.import_module(f"{__package__}.{row.module}")
    return ((name, getattr(module, own_name)) for name, own_name in row.names().items())
