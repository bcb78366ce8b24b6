"""The iterators of all frameworks, for test_iterator_suite.py: how each is made, what its batches hold as NumPy arrays, and
which cases are not for it, and why.

    iterator_frameworks.py [--write]    prints the table of docs/iterators.md, or writes it there
"""

from __future__ import annotations

import importlib.util
import pathlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from iterator_pipelines import Graph

Arrays = dict[str, np.ndarray]
NAMES = ["data", "label"]

CASES = {
    "epochs": "FILL and DROP, where batches divide the data and where not, and where a batch is larger than the data",
    "partial": "PARTIAL, the same",
    "padding": "readers that pad, and `last_batch_padded`",
    "size": "`size` in place of a reader",
    "reset": "reset() amid an epoch is ignored with a warning; `auto_reset`; without it the end stays the end",
    "left early": "a pass that was left is followed by the rest of its epoch",
    "resume": "the state behind every batch, loaded into a new iterator",
    "checkpoint": "checkpoints() behind every batch, for new pipelines",
    "two at once": "two iterators by turns",
    "error": "a broken batch is raised, with its message, and the next one comes",
    "early end": "a source that ends before `size`",
    "short batch": "a source whose last batch is short",
    "several": "two pipelines in one iterator",
    "types": "element types",
    "copies": "no byte is copied; what is, is counted",
    "labels": "`squeeze_labels`",
    "memory": "epochs from a worker process leave its memory, this one's and descriptors as they are; nightly a thousand",
    "fork": "in a forked child an error says so, and the parent goes on",
    "spawn": "an iterator is not pickled, by name; one that a spawned process makes goes on from its state",
    "exit": "the interpreter ends amid an epoch with status 0 and no word",
}


@dataclass(frozen=True)
class Row:
    """An iterator."""

    name: str
    module: str  # without which it is skipped
    framework: str
    make: Callable[..., Any]  # of a Graph or several, and the iterator's arguments; a pass over it is an epoch
    parts: Callable[[Any, int], list[Arrays]]  # what a batch holds, for each of so many pipelines
    not_for: Mapping[str, str] = field(default_factory=dict)  # case: why
    saved: Callable[[Any], Any] = lambda made: made  # what has the states
    narrowed: Mapping[str, str] = field(default_factory=dict)  # element types that become others
    squeezed: str = ""  # the type of labels with squeeze_labels=True; "": it has none

    def is_installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None

    def labels(self, batch: Any) -> list[int]:
        (part,) = self.parts(batch, 1)
        return [int(label) for label in part["label"].ravel()]

    def passed(self, made: Any) -> list[list[int]]:
        """An epoch."""
        return [self.labels(batch) for batch in made]


def pipelines_of(graphs: Graph | Sequence[Graph]) -> Any:
    return graphs.pipeline() if isinstance(graphs, Graph) else [graph.pipeline() for graph in graphs]


def _numpy(graphs: Any, **named: Any) -> Any:
    from forebay.plugin.numpy import NumpyIterator

    return NumpyIterator(pipelines_of(graphs), NAMES, **named)


def _by_name(batch: list[dict[str, Any]], _: int) -> list[Arrays]:
    return [{name: np.asarray(part[name]) for name in NAMES} for part in batch]


def _torch(graphs: Any, **named: Any) -> Any:
    from forebay.plugin.pytorch import DALIGenericIterator

    return DALIGenericIterator(pipelines_of(graphs), NAMES, **named)


def _torch_classification(graphs: Any, **named: Any) -> Any:
    from forebay.plugin.pytorch import DALIClassificationIterator

    return DALIClassificationIterator(pipelines_of(graphs), **named)


def _torch_ragged(graphs: Any, **named: Any) -> Any:
    from forebay.plugin.pytorch import DALIRaggedIterator

    tags = [DALIRaggedIterator.DENSE_TAG, DALIRaggedIterator.SPARSE_LIST_TAG]
    return DALIRaggedIterator(pipelines_of(graphs), NAMES, output_types=tags, **named)


def _of_ragged(batch: list[dict[str, Any]], _: int) -> list[Arrays]:
    return [{"data": part["data"].numpy(), "label": np.stack([each.numpy() for each in part["label"]])} for part in batch]


def _torch_loader(graph: Any, **named: Any) -> Any:
    import torch

    from forebay.plugin.pytorch import IterableDataset

    return torch.utils.data.DataLoader(IterableDataset(_torch(graph, **named)), batch_size=None)


def _jax(graphs: Any, **named: Any) -> Any:
    from forebay.plugin.jax import DALIGenericIterator

    return DALIGenericIterator(pipelines_of(graphs), NAMES, **named)


def _jax_decorated(decorate: Callable[..., Any], graph: Graph, named: Mapping[str, Any]) -> Any:
    settings = dict(graph.with_settings().settings)
    checkpoint = settings.pop("checkpoint", None)
    make = decorate(graph.write, output_map=NAMES, **named)
    return make(checkpoints=None if checkpoint is None else [checkpoint], **graph.arguments, **settings)


def _jax_function(graph: Any, **named: Any) -> Any:
    from forebay.plugin.jax import data_iterator

    return _jax_decorated(data_iterator, graph, named)


def _jax_peekable(graph: Any, **named: Any) -> Any:
    from forebay.plugin.jax.clu import peekable_data_iterator

    return _jax_decorated(peekable_data_iterator, graph, named)


def _of_jax(batch: dict[str, Any], count: int) -> list[Arrays]:
    arrays = {name: np.asarray(batch[name]) for name in NAMES}
    return [arrays] if count == 1 else [{name: arrays[name][place] for name in NAMES} for place in range(count)]


def _tensorflow(graph: Any, dtype: Any = np.float32, **named: Any) -> Any:
    import tensorflow

    from forebay.plugin.tf import DALIDataset

    return DALIDataset(graph.pipeline(), output_dtypes=(tensorflow.as_dtype(dtype), tensorflow.int32), **named)


def _in_order(batch: Any, _: int) -> list[Arrays]:
    return [{name: array.numpy() for name, array in zip(NAMES, batch)}]


def _paddle(graphs: Any, **named: Any) -> Any:
    from forebay.plugin.paddle import DALIGenericIterator

    return DALIGenericIterator(pipelines_of(graphs), NAMES, **named)


def _paddle_classification(graphs: Any, **named: Any) -> Any:
    from forebay.plugin.paddle import DALIClassificationIterator

    return DALIClassificationIterator(pipelines_of(graphs), **named)


def _of_paddle(batch: list[dict[str, Any]], _: int) -> list[Arrays]:
    return [{name: part[name].numpy() for name in NAMES} for part in batch]


def _mxnet(graphs: Any, squeeze_labels: bool = False, **named: Any) -> Any:
    from forebay.plugin.mxnet import DALIGenericIterator

    tags = [("data", DALIGenericIterator.DATA_TAG), ("label", DALIGenericIterator.LABEL_TAG)]
    return DALIGenericIterator(pipelines_of(graphs), tags, squeeze_labels=squeeze_labels, **named)


def _mxnet_classification(graphs: Any, squeeze_labels: bool = False, **named: Any) -> Any:
    from forebay.plugin.mxnet import DALIClassificationIterator

    return DALIClassificationIterator(pipelines_of(graphs), squeeze_labels=squeeze_labels, **named)


def _gluon(graphs: Any, **named: Any) -> Any:
    from forebay.plugin.mxnet import DALIGluonIterator

    return DALIGluonIterator(pipelines_of(graphs), **named)


def _as_mxnet_sees_it(array: Any) -> np.ndarray:
    """By MXNet's own arrays where it is installed: over the same memory."""
    if importlib.util.find_spec("mxnet") is None or array.dtype_name in ("bool", "int16"):  # which MXNet takes not
        return np.asarray(array.asnumpy())
    import mxnet

    return np.asarray(mxnet.nd.from_dlpack(array.__dlpack__()).asnumpy())


def _of_mxnet(batch: list[Any], _: int) -> list[Arrays]:
    return [
        {"data": _as_mxnet_sees_it(part.data[0]), "label": _as_mxnet_sees_it(part.label[0])} for part in batch
    ]


def _of_gluon(batch: list[Any], _: int) -> list[Arrays]:
    return [{name: _as_mxnet_sees_it(array) for name, array in zip(NAMES, part)} for part in batch]


NO_LABELS = {"labels": "has no `squeeze_labels`"}
ONE = {"several": "is over one pipeline"}
NO_RESET = {"reset": "has no reset(): each pass begins the next epoch"}
WHOLE = {"partial": "gives whole batches, as compiled functions take them; PARTIAL is refused by name"}
PLAIN_ARGUMENTS = {"several": "is given a function, and devices where it makes several pipelines of it"}
NO_FORK = {"fork": "TensorFlow itself does not run in a forked child"}
STEADY = {"short batch": "promises one shape; another is refused by name"}
NARROWED = {"int64": "int32", "float64": "float32"}  # unless JAX is set to keep 64 bits

ROWS = [
    Row("NumpyIterator", "numpy", "numpy", _numpy, _by_name, NO_LABELS),
    Row("pytorch DALIGenericIterator", "torch", "torch", _torch, _by_name, NO_LABELS),
    Row("pytorch DALIClassificationIterator", "torch", "torch", _torch_classification, _by_name, squeezed="int64"),
    Row("pytorch DALIRaggedIterator", "torch", "torch", _torch_ragged, _of_ragged, NO_LABELS),
    Row("pytorch IterableDataset", "torch", "torch", _torch_loader, lambda batch, _: _by_name([batch], 1),
        {**NO_LABELS, **ONE, **NO_RESET}, saved=lambda made: made.dataset),
    Row("jax DALIGenericIterator", "jax", "jax", _jax, _of_jax, {**NO_LABELS, **WHOLE}, narrowed=NARROWED),
    Row("jax data_iterator", "jax", "jax", _jax_function, _of_jax, {**NO_LABELS, **WHOLE, **PLAIN_ARGUMENTS},
        narrowed=NARROWED),
    Row("jax peekable_data_iterator", "clu", "jax", _jax_peekable, _of_jax,
        {**NO_LABELS, **WHOLE, **PLAIN_ARGUMENTS, **STEADY}, narrowed=NARROWED),
    Row("tf DALIDataset", "tensorflow", "tensorflow", _tensorflow, _in_order,
        {**NO_LABELS, **ONE, **NO_RESET, **NO_FORK}),
    Row("paddle DALIGenericIterator", "paddle", "paddle", _paddle, _of_paddle, NO_LABELS),
    Row("paddle DALIClassificationIterator", "paddle", "paddle", _paddle_classification, _of_paddle, squeezed="int64"),
    Row("mxnet DALIGenericIterator", "numpy", "mxnet", _mxnet, _of_mxnet, squeezed="int32"),
    Row("mxnet DALIClassificationIterator", "numpy", "mxnet", _mxnet_classification, _of_mxnet, squeezed="int32"),
    Row("mxnet DALIGluonIterator", "numpy", "mxnet", _gluon, _of_gluon, NO_LABELS),
]

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "iterators.md"
BEGIN, END = "<!-- the table of tests/interop/iterator_frameworks.py -->", "<!-- its end -->"


def table() -> str:
    """Markdown: a row for each iterator, a column for each case; numbers stand for the reasons below."""
    reasons = list(dict.fromkeys(why for row in ROWS for why in row.not_for.values()))
    lines = [f"| iterator | {' | '.join(CASES)} |", "|---" * (len(CASES) + 1) + "|"]
    for row in ROWS:
        cells = (str(reasons.index(row.not_for[case]) + 1) if case in row.not_for else "✓" for case in CASES)
        lines.append(f"| {row.name} | {' | '.join(cells)} |")
    lines += ["", *(f"* {case}: {text}" for case, text in CASES.items())]
    lines += ["", "Not for all:", "", *(f"{number}. {why}" for number, why in enumerate(reasons, 1))]
    return "\n".join(lines)


def page() -> str:
    """The page as it must be."""
    head, _, rest = PAGE.read_text().partition(BEGIN)
    return f"{head}{BEGIN}\n\n{table()}\n\n{END}{rest.partition(END)[2]}"


def installed(framework: str) -> Iterator[Row]:
    return (row for row in ROWS if row.framework == framework and row.is_installed())


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page())
    else:
        print(table())
