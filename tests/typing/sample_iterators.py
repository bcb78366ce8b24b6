"""The frameworks' iterators as type checkers see them. The frameworks need not be installed: what they give is then of any
type, and arguments are checked all the same."""

from __future__ import annotations

from typing import assert_type

import numpy as np

from forebay import Pipeline
from forebay.plugin import jax, mxnet, paddle, pytorch, tf
from forebay.plugin.base_iterator import LastBatchPolicy
from forebay.plugin.jax import clu
from forebay.plugin.numpy import NumpyIterator
from forebay.plugin.pytorch.experimental import proxy
from forebay.plugin.tf.experimental import DALIDatasetWithInputs


def numpy_arrays(pipe: Pipeline) -> None:
    batches = NumpyIterator(pipe, ["x", "y"], reader_name="reader", last_batch_policy=LastBatchPolicy.PARTIAL)
    assert_type(batches, NumpyIterator)
    assert_type(next(batches), list[dict[str, np.ndarray]])
    assert_type(batches.next()[0]["x"], np.ndarray)
    for (batch,) in batches:
        assert_type(batch, dict[str, np.ndarray])
    NumpyIterator(pipe)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    NumpyIterator(pipe, ["x"], reader="reader")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def torch_tensors(pipe: Pipeline) -> None:
    pytorch.DALIGenericIterator([pipe, pipe], ["x"], 100, auto_reset=True, dynamic_shape=True)
    pytorch.DALIGenericIterator(pipe, ["x"], "100")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    pytorch.DALIClassificationIterator(pipe, -1, "reader", squeeze_labels=True, prepare_first_batch=False)
    pytorch.DALIClassificationIterator(pipe, reader_nam="reader")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    pytorch.DALIClassificationIterator(pipe, last_batch_policy="FILL")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ragged = pytorch.DALIRaggedIterator(pipe, ["x"], 100, output_types=[pytorch.DALIRaggedIterator.SPARSE_LIST_TAG])
    pytorch.DALIRaggedIterator(pipe, ["x"], fill_last_bach=True)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    pytorch.IterableDataset(ragged).state_dict()
    pytorch.IterableDataset(ragged, rewind=True, all_ranks=True).load_state_dict({})
    pytorch.IterableDataset(pipe)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    pytorch.TorchPythonFunction(lambda x: x, 2, output_layouts=["HWC", ""])
    pytorch.TorchPythonFunction(lambda x: x, num_output=2)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    with proxy.DALIServer(pipe) as server:
        assert_type(server, proxy.DALIServer)
    proxy.DALIServer()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def jax_arrays(pipe: Pipeline) -> None:
    jax.DALIGenericIterator(pipe, ["x"], reader_name="reader", pmap_compatible=True)
    jax.DALIGenericIterator(pipe, ["x"], fill_last_batch=True)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    clu.DALIGenericPeekableIterator(pipe, ["x"], size=10).peek()
    clu.DALIGenericPeekableIterator(pipe, ["x"], sizes=10)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    @jax.data_iterator(output_map=["x"], reader_name="reader")
    def arrays(folder: str, shard_id: int = 0, num_shards: int = 1) -> None: ...

    assert_type(arrays("folder"), jax.DALIGenericIterator)
    assert_type(arrays("folder", batch_size=8, checkpoints=None), jax.DALIGenericIterator)
    arrays(3)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    arrays("folder", batch_size="8")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]

    @clu.peekable_data_iterator(output_map=["x"])
    def peekable(folder: str) -> None: ...

    assert_type(peekable("folder", batch_size=8), clu.DALIGenericPeekableIterator)
    jax.data_iterator(output_maps=["x"])  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]


def other_frameworks(pipe: Pipeline) -> None:
    described = mxnet.DALIGenericIterator(pipe, [("x", "data")], data_layout="NHWC", squeeze_labels=False)
    assert_type(next(described), list[mxnet.DataBatch])
    mxnet.DALIClassificationIterator(pipe, 10, data_name="x", label_name="y", auto_reset=True, dynamic_shape=True)
    mxnet.DALIClassificationIterator(pipe, label="y")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    mxnet.DALIGluonIterator(pipe, output_types=[mxnet.DALIGluonIterator.SPARSE_TAG], last_batch_padded=True)
    mxnet.DALIGluonIterator(pipe, output_map=["x"])  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    paddle.DALIGenericIterator(pipe, ["x", ("y", 0)], 10, last_batch_policy=paddle.LastBatchPolicy.DROP)
    paddle.DALIGenericIterator(pipe, ["x"], squeeze_labels=True)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    paddle.DALIClassificationIterator(pipe, reader_name="reader", squeeze_labels=True)
    paddle.DALIClassificationIterator(pipe, ["x"])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    tf.DALIDataset(pipe, batch_size=8, output_shapes=((8, 64, 64, 3), (8, 1)), output_dtypes=None, device_id=0)
    tf.DALIDataset(pipe, input_datasets={"x": 3})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    tf.DALIDataset(pipe, output_dtype=None)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    DALIDatasetWithInputs(pipe, input_datasets={"x": 3})
