"""Blocks: names, parameters, deferred shapes, hooks, files."""

from __future__ import annotations

import copy
import pathlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from forebay import autograd, gluon, init, nd
from forebay.gluon import nn


class TwoLayers(nn.Block):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.hidden = nn.Dense(4, activation="relu")
            self.output = nn.Dense(2)
            self.scale = self.params.get_constant("scale", nd.ones((2,)) * 3)

    def forward(self, x: Any) -> Any:
        return self.output(self.hidden(x)) * self.scale.data()


def test_names_and_members() -> None:
    model = TwoLayers(prefix="model_")
    names = ["model_scale", "model_dense0_weight", "model_dense0_bias", "model_dense1_weight", "model_dense1_bias"]
    assert list(model.collect_params()) == names
    assert list(model.collect_params(".*weight")) == ["model_dense0_weight", "model_dense1_weight"]
    assert list(model.params) == ["model_scale"]
    assert model.name == "model" and model.hidden.prefix == "model_dense0_"
    assert list(model._collect_params_with_prefix())[:2] == ["scale", "hidden.weight"]


def test_attributes_keep_their_kind() -> None:
    model = TwoLayers()
    with pytest.raises(TypeError, match="stays a Dense"):
        model.hidden = 3  # type: ignore[assignment]
    model.hidden = nn.Dense(4)
    assert len(model._children) == 2
    with pytest.raises(AssertionError, match="parameter already"):
        model.scale = model.params.get("other", shape=(1,))  # type: ignore[assignment]


def test_shapes_are_known_after_the_first_call() -> None:
    model = TwoLayers()
    with pytest.raises(RuntimeError, match="has not been initialized: call initialize"):
        model(nd.ones((1, 3)))
    model.initialize()
    with pytest.raises(gluon.DeferredInitializationError, match="shape is not known"):
        model.hidden.weight.data()
    assert model(nd.ones((5, 3))).shape == (5, 2)
    assert model.hidden.weight.shape == (4, 3)
    with pytest.raises(ValueError):
        model(nd.ones((5, 7)))


def test_a_block_of_ones_own_gets_its_shapes() -> None:
    class Mine(nn.HybridBlock):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.weight = self.params.get("weight", shape=(3, 0), allow_deferred_init=True)
            self.factor = self.params.get("factor", shape=(0,), allow_deferred_init=True)

        def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
            made = F.FullyConnected(x, kwargs["weight"], None, num_hidden=3, no_bias=True)
            return made if self.factor.shape == (0,) and not args else made * kwargs["factor"]

    block = Mine()
    block.initialize()
    assert block(nd.ones((2, 6))).shape == (2, 3)
    assert block.weight.shape == (3, 6)
    with pytest.raises(gluon.DeferredInitializationError, match="factor"):
        block(nd.ones((2, 6)), True)


def test_parameters() -> None:
    dense = nn.Dense(2, in_units=3, weight_initializer="ones")
    dense.initialize(init.Constant(5))
    assert (dense.weight.data().asnumpy() == 1).all() and (dense.bias.data().asnumpy() == 0).all()
    dense.weight.set_data(nd.ones((2, 3)) * 4)
    assert (dense(nd.ones((1, 3))).asnumpy() == 12).all()
    with pytest.raises(AssertionError, match="does not fit"):
        dense.weight.set_data(nd.ones((3, 3)))
    with autograd.record():
        dense(nd.ones((1, 3))).sum().backward()
    assert dense.weight.grad().asnumpy().tolist() == [[1, 1, 1], [1, 1, 1]]
    dense.collect_params().zero_grad()
    assert not dense.weight.grad().asnumpy().any()
    dense.weight.grad_req = "null"
    with pytest.raises(RuntimeError, match="grad_req='null'"):
        dense.weight.grad()
    dense.cast("float64")
    assert dense(nd.ones((1, 3), dtype="float64")).dtype == np.float64
    with pytest.warns(UserWarning, match="already initialized"):
        dense.initialize()
    dense.initialize(force_reinit=True)
    with pytest.raises(RuntimeError, match="no gpu"):
        dense.initialize(ctx=nd.gpu(), force_reinit=True)


def test_gradients_add_up_where_asked() -> None:
    dense = nn.Dense(1, in_units=1, use_bias=False)
    dense.initialize()
    dense.collect_params().setattr("grad_req", "add")
    for _ in range(3):
        with autograd.record():
            value = dense(nd.ones((1, 1)))
        value.backward()
    assert dense.weight.grad().asscalar() == 3


def test_sharing() -> None:
    first = nn.Dense(3, in_units=3)
    second = nn.Dense(3, params=first.params)
    net = nn.Sequential()
    net.add(first, second)
    net.initialize()
    net(nd.ones((1, 3)))
    assert len(net.collect_params()) == 2 and second.weight is first.weight
    with autograd.record():
        net(nd.ones((1, 3))).sum().backward()
    single = first.weight.grad().asnumpy()
    assert np.abs(single).sum() > 0


def test_containers() -> None:
    net = nn.Sequential()
    net.add(nn.Dense(2), nn.Lambda(lambda x: (x, x + 1)), nn.Lambda(lambda a, b: a + b))
    net.initialize()
    assert len(net) == 3 and [type(block).__name__ for block in net] == ["Dense", "Lambda", "Lambda"]
    part = net[0:1]
    assert isinstance(part, nn.Sequential) and part[0] is net[0]
    x = nd.ones((1, 2))
    assert np.allclose(net(x).asnumpy(), 2 * net[0](x).asnumpy() + 1)
    with pytest.raises(ValueError, match="HybridBlocks"):
        nn.HybridSequential().add(nn.Lambda("tanh"))  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="nothing_such"):
        nn.Lambda("nothing_such")
    net.hybridize(static_alloc=True)


def test_hooks() -> None:
    dense = nn.Dense(2)
    dense.initialize()
    seen: list[Any] = []
    before = dense.register_forward_pre_hook(lambda block, inputs: seen.append(inputs[0].shape))
    with dense.register_forward_hook(lambda block, inputs, outputs: seen.append(outputs.shape)):
        dense(nd.ones((3, 4)))
    before.detach()
    dense(nd.ones((3, 4)))
    assert seen == [(3, 4), (3, 2)]
    names: list[str] = []
    net = nn.Sequential()
    net.add(nn.Dense(1), nn.Dense(1))
    assert net.apply(lambda block: names.append(type(block).__name__)) is net
    assert names == ["Dense", "Dense", "Sequential"]


def test_summary(capsys: pytest.CaptureFixture[str]) -> None:
    net = nn.Sequential()
    net.add(nn.Dense(4, activation="relu"), nn.Dense(1))
    net.initialize()
    net.summary(nd.ones((2, 3)))
    printed = capsys.readouterr().out
    assert "Activation-1" in printed and "Dense-3" in printed and "Sequential" not in printed
    assert "Total params: 21" in printed


def test_files_by_place(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "net.params")
    net = TwoLayers()
    net.initialize(init.Normal(1))
    x = nd.random.normal(shape=(2, 3))
    expected = net(x).asnumpy()
    net.save_parameters(path)
    assert set(nd.load(path)) == set(net._collect_params_with_prefix())
    other = TwoLayers()
    other.load_parameters(path)
    assert (other(x).asnumpy() == expected).all()
    wider = nn.Sequential()
    wider.add(nn.Dense(4))
    with pytest.raises(AssertionError, match="'0.weight' is missing"):
        wider.load_parameters(path)
    with pytest.raises(ValueError, match="not among the block's"):
        wider.load_parameters(path, allow_missing=True)
    wider.load_parameters(path, allow_missing=True, ignore_extra=True)
    odd = TwoLayers()
    odd.hidden = nn.Dense(5)
    with pytest.raises(AssertionError, match=r"does not fit the shape \(5, 0\)"):
        odd.load_parameters(path)


def test_files_by_name_and_type(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "net.params")
    net = nn.Dense(2, in_units=2, prefix="old_")
    net.initialize()
    nd.save(path, {"arg:old_weight": nd.ones((2, 2)), "aux:old_bias": nd.ones((2,), dtype="float64")})
    with pytest.raises(AssertionError, match="cast_dtype"):
        net.collect_params().load(path)
    net.collect_params().load(path, cast_dtype=True)
    assert net.bias.data().asnumpy().tolist() == [1, 1] and net.bias.data().dtype == np.float32
    net.collect_params().save(path, strip_prefix="old_")
    assert set(nd.load(path)) == {"weight", "bias"}
    nd.save(path, [nd.ones((1,))])
    with pytest.raises(ValueError, match="no names"):
        net.load_parameters(path)


def test_batch_norm_gathers() -> None:
    norm = nn.BatchNorm(momentum=0.5)
    norm.initialize()
    x = nd.array([[1.0], [3.0]])
    assert np.allclose(norm(x).asnumpy(), x.asnumpy(), atol=1e-4)
    with autograd.record():
        made = norm(x)
    made.backward()
    assert np.allclose(made.asnumpy(), [[-1], [1]], atol=1e-4)
    assert norm.running_mean.data().asscalar() == 1.0


def test_utils() -> None:
    data = nd.arange(10).reshape((5, 2))
    assert [part.shape for part in gluon.utils.split_data(data, 2, even_split=False)] == [(2, 2), (3, 2)]
    with pytest.raises(ValueError, match="equal parts"):
        gluon.utils.split_data(data, 2)
    assert len(gluon.utils.split_and_load(data, [nd.cpu()])) == 1
    arrays = [nd.ones((2,)) * 3, nd.ones((1,)) * 4]
    assert gluon.utils.clip_global_norm(arrays, 1.0) == pytest.approx(34**0.5)
    assert sum(float((array * array).sum().asscalar()) for array in arrays) == pytest.approx(1, rel=1e-4)


def test_initial_values_are_those_of_the_seed() -> None:
    def values() -> np.ndarray[Any, Any]:
        nd.random.seed(4)
        dense = nn.Dense(3, in_units=3)
        dense.initialize(init.Xavier())
        return dense.weight.data().asnumpy()

    first = values()
    assert (first == values()).all() and len(np.unique(first)) == 9


def test_orthogonal() -> None:
    made = nd.zeros((3, 5))
    init.Orthogonal(scale=2)("a_weight", made)
    values = made.asnumpy()
    assert np.allclose(values @ values.T, 4 * np.eye(3), atol=1e-5)


def test_mixed_and_load() -> None:
    dense = nn.Dense(2, in_units=2, prefix="d_", bias_initializer=None)
    dense.initialize(init.Mixed([".*bias", ".*"], [init.Constant(2), init.One()]))
    assert dense.weight.data().asnumpy().tolist() == [[1, 1], [1, 1]]
    assert dense.bias.data().asnumpy().tolist() == [0, 0]  # a bias is 0 by its name
    loaded = init.Load({"arg:d_weight": nd.ones((2, 2)) * 7}, init.Zero())
    dense.initialize(loaded, force_reinit=True)
    assert dense.weight.data().asnumpy().tolist() == [[7, 7], [7, 7]]
    with pytest.raises(ValueError, match="there is no initializer 'nothing'"):
        init.create("nothing")


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_of_a_block_learn(copied: Callable[[Any], Any]) -> None:
    model = nn.Dense(2, in_units=3, prefix="model_")
    model.initialize()
    model.bias.grad_req = "add"
    inputs = nd.array(np.arange(6).reshape(2, 3), dtype="float32")

    def gradients(block: Any) -> list[np.ndarray]:
        with autograd.record():
            result = block(inputs).sum()
        result.backward()
        return [parameter.grad().asnumpy() for parameter in block.collect_params().values()]

    gradients(model)
    other = copied(model)
    for own, theirs in zip(model.collect_params().values(), other.collect_params().values()):
        np.testing.assert_array_equal(own.grad().asnumpy(), theirs.grad().asnumpy())
    other.weight.grad()[:] = 9  # the original's is another array
    assert not np.any(model.weight.grad().asnumpy() == 9)
    for own_gradient, copied_gradient in zip(gradients(model), gradients(other)):
        np.testing.assert_array_equal(own_gradient, copied_gradient)


def test_a_copy_keeps_what_has_no_gradient() -> None:
    model = nn.Dense(2, in_units=3, prefix="model_")
    model.weight.grad_req = "null"
    waiting = copy.deepcopy(model)  # before it is initialized
    model.initialize()
    waiting.initialize()
    with pytest.raises(RuntimeError, match="grad_req='null'"):
        copy.deepcopy(model).weight.grad()
    assert waiting.bias.grad().shape == (2,)
