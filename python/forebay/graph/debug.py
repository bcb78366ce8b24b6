"""Pipelines with debug=True: each operator runs when it is called, on real data, and its results can be looked at.

The definition runs once for each batch. Every call of an operator in it is a step: a small pipeline of that operator
alone, made in the first run and kept, which is fed what the operators before it gave.
"""

from __future__ import annotations

import os
import weakref
from typing import Any, Callable, Iterator, Sequence

import numpy as np

from .. import _core
from ..errors import InvalidError, UnknownNameError
from ..tensors import TensorCPU, TensorListCPU, to_batch
from ..types import PipelineAPIType
from . import enumerations, expressions
from .data_node import DataNode
from .debug_step import BATCH, Given, Step
from .pipeline import Pipeline
from .sources import Feed
from .writer import Edge, Recipe

Samples = list[TensorCPU | None]
"""What an operator gave for each sample; None where a branch has not run."""


class DebugNode(DataNode):
    """An output of an operator that has run."""

    _pipeline: DebugPipeline

    def get(self) -> TensorListCPU:
        """What the operator gave, in this batch."""
        return self._pipeline._given(self)

    def shape(self, *, dtype: Any = None, device: str = "cpu") -> Any:
        """The shapes of the samples."""
        return self.get().shape()


class DebugPipeline(Pipeline):
    """What @pipeline_def makes with debug=True.

    :param define: the function that calls the operators and returns their outputs.
    """

    _node_class = DebugNode

    def __init__(self, define: Callable[[], Any], **arguments: Any) -> None:
        super().__init__(**arguments)
        if self._on_error != "raise" or self._enable_checkpointing:
            raise NotImplementedError("debug=True goes with on_error='raise', and without checkpoints")
        self._define = define
        self._steps: list[Step] = []
        self._is_complete = False  # all operators have been called once
        self._called = 0
        self._samples: dict[Edge, Samples] = {}
        self._lists: dict[Edge, TensorListCPU] = {}
        self._constants: set[Edge] = set()
        self._waiting: dict[str, list[tuple[Any, str | None]]] = {}
        self._size: int | None = None
        self._is_closed = False

    def _part(self) -> Pipeline:
        """A pipeline for one step."""
        part = Pipeline(self._batch_size, self._num_threads, seed=self._seed, prefetch_queue_depth=1)
        part._simulated_device = self._simulated_device
        return part

    # --- running -----------------------------------------------------------------------------------------------------

    def build(self) -> None:
        if self._batch_size is None:
            raise ValueError("the pipeline has no batch_size")

    _has_state = False

    def _iterations(self) -> int:
        return 0

    def _compiled(self, seed: int) -> Any:
        return self._built()

    def _built(self) -> Any:
        raise NotImplementedError("a pipeline with debug=True runs operator by operator: it has no state as a whole")

    def serialize(self, define_graph: Any = None, filename: str | os.PathLike[str] | None = None) -> bytes:
        self._built()
        raise AssertionError

    def run(self, cuda_stream: Any = None, /, **inputs: Any) -> tuple[TensorListCPU, ...]:
        """Runs the definition: the next batch."""
        self._go(PipelineAPIType.BASIC)
        if self._is_closed:
            raise RuntimeError("the pipeline is closed")
        self.build()
        for name, data in inputs.items():
            self.feed_input(name, data)
        self.iter_setup()
        self._begin()
        try:
            nodes = self._write()
        finally:
            self._marks.clear()
        if self._called < len(self._steps):
            raise RuntimeError(f"operator '{self._steps[self._called].recipe.op}' of the first run was not called")
        self._is_complete = True
        self._output_count = len(nodes)
        return tuple(self._given(node) for node in nodes)

    def _write(self) -> list[DataNode]:
        """Runs the definition, and gives its outputs."""
        with self:
            outputs = self._define()
            outputs = () if outputs is None else outputs if isinstance(outputs, (tuple, list)) else (outputs,)
            self._check_outputs(outputs)
            return [self._own(expressions.as_node(output)) for output in outputs]

    def _begin(self) -> None:
        self._called = 0
        self._size = None
        self._samples.clear()
        self._lists.clear()
        self._constants.clear()
        self._counts.clear()
        self._guards.clear()
        self._adopted = weakref.WeakKeyDictionary()

    def _given(self, node: DataNode) -> TensorListCPU:
        edge = node._edge
        if edge not in self._samples:
            raise RuntimeError("the node belongs to a batch before this one")
        if edge not in self._lists:
            samples = self._samples[edge][: self._size]
            self._lists[edge] = TensorListCPU([sample for sample in samples if sample is not None])
        kind = enumerations.of(node)
        if kind is not None:
            _core.mark_as_enumeration(self._lists[edge], kind)
        return self._lists[edge]

    def _batch_node(self, value: Any) -> DataNode | None:
        is_list = isinstance(value, (list, tuple)) and len(value) > 0
        if not isinstance(value, TensorListCPU) and not (is_list and all(map(_is_array, value))):
            return None
        node = self._put(Recipe(BATCH, "", "cpu", [], {}, {}, [], None))[0]
        samples = to_batch(value)
        self._note_size(len(samples), "Input")
        self._samples[node._edge] = list(samples)
        return node

    def _put(self, recipe: Recipe, feed: Feed | None = None, function: Any = None) -> list[DataNode]:
        number = self._called
        if number == len(self._steps):
            if self._is_complete:
                raise RuntimeError(f"Unexpected operator '{recipe.op}': it was not called in the first run.")
            self._steps.append(Step(self._part(), recipe, feed, function, self._counts) if recipe.op != BATCH else Given(recipe))
            self._feed_waiting(self._steps[-1])
        kind = enumerations.made_by(recipe, self._enumerations)
        if kind is not None:
            self._enumerations[number] = kind
        step = self._steps[number]
        step.check(recipe)
        step.function = function
        self._called += 1
        columns = self._run(step, recipe)
        nodes = self._nodes_of(recipe, number, len(columns))
        for node, column in zip(nodes, columns):
            self._samples[node._edge] = column
        return nodes

    def _run(self, step: Step, recipe: Recipe) -> list[Samples]:
        """What the operator gives: a column for each output."""
        if recipe.op == BATCH:
            return [[]]
        edges = [*recipe.inputs, *recipe.tensors.values()]
        if not edges:
            return self._run_source(step, recipe)
        given = self._columns(recipe.op, edges)
        if recipe.op == "_merge":
            return [_merged(recipe.constants["variable"], *given)]
        return self._run_on(step, recipe, given)

    def _columns(self, op: str, edges: Sequence[Edge]) -> list[Samples]:
        """The operator's inputs; constants are as long as the others."""
        columns = [self._samples[edge] for edge in edges]
        sizes = {len(column) for edge, column in zip(edges, columns) if edge not in self._constants}
        if len(sizes) > 1:
            raise InvalidError(f"Batch size must be uniform across an iteration. Inputs of '{op}' have {sorted(sizes)}.")
        size = sizes.pop() if sizes else self._size
        return [column[:size] for column in columns]

    def _run_on(self, step: Step, recipe: Recipe, given: list[Samples]) -> list[Samples]:
        size = len(given[0])
        active = [
            index for index in range(size)
            if self._is_wanted(recipe, index) and all(column[index] is not None for column in given)
        ]
        if not active:
            if step.draws:
                step.skip(size)
            return [[None] * size for _ in range(step.count)]
        wanted = set(active)
        # What is drawn depends on the place in the batch: another sample stands in for each that is absent.
        places = range(size) if step.takes_rest else active
        rows = [index if index in wanted else active[0] for index in places]
        columns: list[Samples] = []
        for output in step.run([[_there(column[index]) for index in rows] for column in given]):
            column: Samples = [None] * size
            for place, index in enumerate(places):
                if index in wanted:
                    column[index] = output[place]
            if len(active) == size:
                self._lists[(self._called - 1, len(columns))] = output
            columns.append(column)
        return columns

    def _run_source(self, step: Step, recipe: Recipe) -> list[Samples]:
        outputs = step.run([])
        is_constant = recipe.op == "constant"
        if recipe.op == "external_source" or step.is_reader:
            self._note_size(len(outputs[0]), f"'{recipe.op}' returned batch size")
        elif not is_constant:
            self._note_size(self.max_batch_size if self._size is None else self._size, f"'{recipe.op}' gives")
        if is_constant:
            self._constants.add((self._called - 1, 0))
        return [
            [sample if self._is_wanted(recipe, index) else None for index, sample in enumerate(list(output)[: self._size])]
            for output in outputs
        ]

    def _is_wanted(self, recipe: Recipe, index: int) -> bool:
        """Whether all branches that the operator is in run for the sample."""
        for node, output, wanted in recipe.guards:
            asked = self._samples[(node, output)][index]
            if asked is None or bool(asked.as_array()) is not wanted:
                return False
        return True

    def _note_size(self, size: int, what: str) -> None:
        if self._size is not None and self._size != size:
            raise InvalidError(
                f"Batch size must be uniform across an iteration. {what}: {size} samples, where there were {self._size}."
            )
        self._size = size

    # --- data, epochs, ends ------------------------------------------------------------------------------------------

    def _feed_waiting(self, step: Step) -> None:
        for data, layout in self._waiting.pop(step.recipe.name, []) if step.recipe.name else []:
            step.pipe.feed_input(step.recipe.name, data, layout)

    def _step_named(self, name: str) -> Step | None:
        return next((step for step in self._steps if step.recipe.name == name), None)

    def feed_input(
        self, data_node: str | DataNode, data: Any, layout: str | None = None, cuda_stream: Any = None,
        use_copy_kernel: bool = False,
    ) -> None:
        name = data_node.name if isinstance(data_node, DataNode) else data_node
        step = self._step_named(name)
        if step is not None:
            step.pipe.feed_input(name, data, layout)
        elif self._is_complete:
            raise UnknownNameError(f"there is no external_source named '{name}'")
        else:
            self._waiting.setdefault(name, []).append((data, layout))

    def reader_meta(self, name: str | None = None) -> dict[str, Any]:
        readers = [step for step in self._steps if step.is_reader and step.recipe.name]
        if name is None:
            return {step.recipe.name: step.pipe.reader_meta(step.recipe.name) for step in readers}
        for step in readers:
            if step.recipe.name == name:
                return step.pipe.reader_meta(name)
        raise UnknownNameError(f"there is no reader named '{name}'; with debug=True, run the pipeline once before you ask")

    def _reader_facts(self, reader: str) -> Any:
        return self.reader_meta(reader)

    def reset(self) -> None:
        for step in self._parts():
            step.pipe.reset()

    def close(self) -> None:
        self._is_closed = True
        for step in self._parts():
            step.pipe.close()

    def _parts(self) -> Iterator[Step]:
        return (step for step in self._steps if not isinstance(step, Given))

    def start_py_workers(self) -> None:
        """Does nothing: the first run calls the operators, and starts the processes of each when it is met."""

    @property
    def num_outputs(self) -> int:
        if self._output_count is None:
            raise NotImplementedError("with debug=True the number of outputs is known by running the pipeline")
        return self._output_count


def _merged(name: str, if_true: Samples, if_false: Samples) -> Samples:
    """What the branch that has run gives for each sample."""
    merged = [second if first is None else first for first, second in zip(if_true, if_false)]
    layouts = sorted({sample.layout() for sample in merged if sample is not None})
    if len(layouts) > 1:
        raise InvalidError(f"the branches of an `if` give {name} different layouts: '{layouts[0]}' and '{layouts[1]}'")
    return merged


def _there(sample: TensorCPU | None) -> TensorCPU:
    assert sample is not None
    return sample


def _is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, TensorCPU)) or hasattr(value, "__dlpack__")
