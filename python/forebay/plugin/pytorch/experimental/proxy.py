"""A pipeline as a transform of a PyTorch data set: the workers of a DataLoader read, the pipeline does the rest.

    with DALIServer(pipeline) as server:
        data = Folder(root, transform=server.proxy)     # what the loader's workers call
        for images, labels in DataLoader(server, data, batch_size=64, num_workers=8):
            ...

The proxy runs nothing: it notes the inputs, which travel with the batch. The process of the pipeline runs it on the whole
batch, one batch ahead of the one that is used. Order and results do not depend on the workers.
"""

from __future__ import annotations

import concurrent.futures
from collections import deque
from typing import Any, Callable, Concatenate, Iterator, ParamSpec, Sequence, TypeVar

import torch  # type: ignore[import-not-found, unused-ignore]
from torch.utils.data import DataLoader as _TorchLoader  # type: ignore[import-not-found, unused-ignore]
from torch.utils.data._utils import collate  # type: ignore[import-not-found, unused-ignore]

from ....pipeline import Pipeline
from ....tensors import TensorListCPU

__all__ = ["DALIServer", "DataLoader"]

_AHEAD = 1

P = ParamSpec("P")
Loader = TypeVar("Loader")


class _Call:
    """A call of the proxy: the inputs of one sample."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        self.inputs = inputs


class _SampleRef:
    """An output of the pipeline for one sample, to come."""

    def __init__(self, call: _Call, output: int) -> None:
        self.call = call
        self.output = output


class _BatchRef:
    """An output of the pipeline for a batch, to come."""

    def __init__(self, calls: list[_Call], output: int) -> None:
        self.calls = calls
        self.output = output


def _collate(samples: Sequence[_SampleRef], *, collate_fn_map: Any = None) -> _BatchRef:
    return _BatchRef([sample.call for sample in samples], samples[0].output)


collate.default_collate_fn_map[_SampleRef] = _collate


class Proxy:
    """Takes the inputs of a sample, one by position or all by name, and gives what stands for the outputs."""

    def __init__(self, names: Sequence[str], num_outputs: int) -> None:
        self._names = tuple(names)
        self._num_outputs = num_outputs

    def __call__(self, *positional: Any, **inputs: Any) -> Any:
        if len(positional) == 1 and len(self._names) == 1 and not inputs:
            inputs = {self._names[0]: positional[0]}
        elif positional or inputs.keys() != set(self._names):
            given = ", ".join([*(type(value).__name__ for value in positional), *(f"{name}=..." for name in inputs)])
            wanted = ", ".join(f"{name}=..." for name in self._names)
            raise ValueError(f"the pipeline takes the inputs ({wanted}); it was given ({given})")
        call = _Call(inputs)
        refs = tuple(_SampleRef(call, output) for output in range(self._num_outputs))
        return refs[0] if self._num_outputs == 1 else refs


class DALIServer:
    """Runs a pipeline on batches of inputs that come from the workers of a :class:`DataLoader`.

    :param pipeline: each of its external sources has a name and no source.
    :param deterministic: accepted; batches always come in their order.
    """

    def __init__(self, pipeline: Pipeline, deterministic: bool = False) -> None:
        if not isinstance(pipeline, Pipeline):
            raise TypeError(f"DALIServer runs a Pipeline, not {type(pipeline).__name__}")
        pipeline.build()
        names = sorted(pipeline._named_feeds())
        if not names:
            raise RuntimeError("the pipeline has no fn.external_source, so there is nothing that it could be given")
        self._pipeline = pipeline
        self.proxy = Proxy(names, pipeline.num_outputs)
        self._executor: concurrent.futures.ThreadPoolExecutor | None = None

    def start_thread(self) -> None:
        if self._executor is None:
            self._executor = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="forebay-proxy")

    def stop_thread(self) -> None:
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(cancel_futures=True)

    def __enter__(self) -> DALIServer:
        self.start_thread()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_thread()

    def _run(self, calls: Sequence[_Call]) -> list[torch.Tensor]:
        most = self._pipeline.max_batch_size
        if len(calls) > most:
            raise ValueError(f"a batch of {len(calls)} samples is more than the pipeline's batch_size={most}")
        inputs = {name: [call.inputs[name] for call in calls] for name in calls[0].inputs}
        return [_as_tensor(batch) for batch in self._pipeline.run(**inputs)]

    def submit(self, data: Any) -> _Pending:
        """Starts the pipeline for what in `data` stands for its outputs."""
        if self._executor is None:
            raise RuntimeError("the server is not running: use it in `with`, or call start_thread()")
        runs: dict[tuple[int, ...], concurrent.futures.Future[list[torch.Tensor]]] = {}
        for ref in _refs_in(data):
            key = tuple(map(id, ref.calls))
            if key not in runs:
                runs[key] = self._executor.submit(self._run, ref.calls)
        return _Pending(data, runs)

    def produce_data(self, obj: Any) -> Any:
        """`obj` with the outputs in it."""
        return self.submit(obj).result()


def _as_tensor(batch: TensorListCPU) -> torch.Tensor:
    return torch.from_numpy(batch.as_array())


class _Pending:
    """A batch whose outputs are being made."""

    def __init__(self, data: Any, runs: dict[tuple[int, ...], concurrent.futures.Future[list[torch.Tensor]]]) -> None:
        self._data = data
        self._runs = runs

    def result(self) -> Any:
        return self._filled(self._data)

    def _filled(self, value: Any) -> Any:
        if isinstance(value, _BatchRef):
            return self._runs[tuple(map(id, value.calls))].result()[value.output]
        if isinstance(value, dict):
            return {key: self._filled(item) for key, item in value.items()}
        if isinstance(value, tuple) and hasattr(value, "_make"):
            return value._make(self._filled(item) for item in value)
        if isinstance(value, (list, tuple)):
            return type(value)(self._filled(item) for item in value)
        return value


def _refs_in(value: Any) -> Iterator[_BatchRef]:
    if isinstance(value, _BatchRef):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _refs_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _refs_in(item)


def _with_arguments_of(
    made_like: Callable[Concatenate[Any, P], None],
) -> Callable[[Callable[..., None]], Callable[Concatenate[Loader, DALIServer, P], None]]:
    """Tells type checkers that the arguments behind the server are those of PyTorch's loader, whichever version it is."""
    return lambda make: make


class DataLoader(_TorchLoader):  # type: ignore[misc, unused-ignore]
    """A :class:`torch.utils.data.DataLoader` whose batches hold the outputs of a server's pipeline. The server is
    started where it does not run, and then stopped at the end of each epoch."""

    @_with_arguments_of(_TorchLoader.__init__)
    def __init__(self, dali_server: DALIServer, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.dali_server = dali_server

    def __iter__(self) -> Iterator[Any]:
        batches = super().__iter__()
        server = self.dali_server
        starts = server._executor is None
        server.start_thread()
        try:
            ahead: deque[_Pending] = deque()
            for batch in batches:
                ahead.append(server.submit(batch))
                if len(ahead) > _AHEAD:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            if starts:
                server.stop_thread()
