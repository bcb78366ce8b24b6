"""What blocks, losses, optimizers, schedulers, metrics and initial values give, written to run under `mxnet` and under
Forebay in its name: ``array_training_cases.py OUT.npz``. Nothing is random but what is seeded by NumPy."""

import sys

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon, init, lr_scheduler, metric, nd
from mxnet.gluon import data as gdata
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn
from mxnet.gluon.data.vision import transforms

results = {}
random = np.random.RandomState(7)


def numbers(*shape):
    return nd.array(random.uniform(-1, 1, shape).astype("float32"))


def fill(block):
    """Fixed values for all parameters, by their place."""
    state = np.random.RandomState(3)
    for parameter in block._collect_params_with_prefix().values():
        if parameter.grad_req == "null" and "gamma" in parameter.name:
            continue  # MXNet makes it 1 at the first call
        values = state.uniform(0.5, 1) if "running_var" in parameter.name else state.uniform(-0.5, 0.5, parameter.shape)
        parameter.set_data(nd.array(np.broadcast_to(values, parameter.shape).astype("float32")))


def run_layer(name, block, x):
    block.initialize()
    block(x)
    fill(block)
    x.attach_grad()
    with autograd.record():
        y = block(x)
        total = (y * y).sum()
    total.backward()
    results[name + ".out"] = y.asnumpy()
    results[name + ".grad"] = x.grad.asnumpy()
    for place, parameter in block._collect_params_with_prefix().items():
        results[f"{name}.{place}"] = parameter.data().asnumpy()
        if parameter.grad_req != "null":
            results[f"{name}.{place}.grad"] = parameter.grad().asnumpy()
    results[name + ".predicts"] = block(x).asnumpy()
    results[name + ".repr"] = np.array(repr(block))


def layers():
    image = numbers(2, 3, 7, 8)
    run_layer("dense", nn.Dense(4, activation="tanh"), numbers(3, 2, 5))
    run_layer("dense_last", nn.Dense(4, flatten=False, use_bias=False), numbers(3, 2, 5))
    run_layer("conv1d", nn.Conv1D(4, 3, strides=2, padding=1), numbers(2, 3, 9))
    run_layer("conv2d", nn.Conv2D(4, 3, padding=(1, 2), activation="relu"), image)
    run_layer("conv2d_groups", nn.Conv2D(6, (3, 2), dilation=(2, 1), groups=3, use_bias=False), image)
    run_layer("conv3d", nn.Conv3D(2, 2), numbers(1, 2, 4, 5, 3))
    run_layer("transposed", nn.Conv2DTranspose(4, 3, strides=2, padding=1, output_padding=1), image)
    run_layer("maxpool", nn.MaxPool2D(3, 2, 1, ceil_mode=True), image)
    run_layer("maxpool1d", nn.MaxPool1D(), numbers(2, 3, 9))
    run_layer("avgpool", nn.AvgPool2D(2, 2, 1, count_include_pad=False), image)
    run_layer("avgpool3d", nn.AvgPool3D(2), numbers(1, 2, 4, 5, 4))
    run_layer("global_avg", nn.GlobalAvgPool2D(), image)
    run_layer("global_max", nn.GlobalMaxPool2D(), image)
    run_layer("batch_norm", nn.BatchNorm(momentum=0.8), image)
    run_layer("batch_norm_plain", nn.BatchNorm(scale=False, center=False, axis=-1), numbers(4, 5))
    run_layer("layer_norm", nn.LayerNorm(), numbers(3, 4, 5))
    run_layer("instance_norm", nn.InstanceNorm(scale=True), image)
    for name, block in {
        "relu": nn.Activation("relu"), "softsign": nn.Activation("softsign"), "leaky": nn.LeakyReLU(0.1),
        "prelu": nn.PReLU(), "elu": nn.ELU(0.7), "gelu": nn.GELU(), "swish": nn.Swish(),
        "flatten": nn.Flatten(), "hybrid_lambda": nn.HybridLambda("tanh"),
    }.items():
        run_layer(name, block, image)
    selu = nn.SELU()  # MXNet's gradient of it is not its derivative
    results["selu.out"] = selu(image).asnumpy()
    lookup = nn.Embedding(5, 3)
    lookup.initialize()
    fill(lookup)
    with autograd.record():
        found = lookup(nd.array([[0, 4], [4, 1]]))
        total = (found * found).sum()
    total.backward()
    results["embedding.out"] = found.asnumpy()
    results["embedding.grad"] = lookup.weight.grad().asnumpy()


def losses():
    pred, label, weight = numbers(4, 3), numbers(4, 3), nd.array([[1], [0], [0.5], [2]])
    classes, signs = nd.array([0, 2, 1, 2]), nd.sign(label)
    probabilities = nd.softmax(label)
    for name, loss, inputs in [
        ("l2", gloss.L2Loss(), (pred, label)),
        ("l2_weighted", gloss.L2Loss(weight=3), (pred, label, weight)),
        ("l1", gloss.L1Loss(), (pred, label)),
        ("softmax", gloss.SoftmaxCrossEntropyLoss(), (pred, classes)),
        ("softmax_weighted", gloss.SoftmaxCrossEntropyLoss(weight=0.5), (pred, classes, weight)),
        ("softmax_dense", gloss.SoftmaxCrossEntropyLoss(sparse_label=False), (pred, probabilities)),
        ("softmax_logits", gloss.SoftmaxCrossEntropyLoss(from_logits=True), (nd.log_softmax(pred), classes)),
        ("softmax_axis", gloss.SoftmaxCrossEntropyLoss(axis=1), (numbers(2, 3, 4), nd.array([[0, 1, 2, 0]] * 2))),
        ("bce", gloss.SigmoidBinaryCrossEntropyLoss(), (pred, probabilities)),
        ("bce_pos", gloss.SigmoidBCELoss(), (pred, probabilities, None, nd.array([[1, 2, 3]]))),
        ("bce_sigmoid", gloss.SigmoidBCELoss(from_sigmoid=True), (nd.sigmoid(pred), probabilities)),
        ("kl", gloss.KLDivLoss(), (nd.log_softmax(pred), probabilities)),
        ("kl_numbers", gloss.KLDivLoss(from_logits=False), (pred, probabilities)),
        ("huber", gloss.HuberLoss(rho=0.4), (pred, label)),
        ("hinge", gloss.HingeLoss(), (pred, signs)),
        ("squared_hinge", gloss.SquaredHingeLoss(margin=0.5), (pred, signs)),
        ("logistic", gloss.LogisticLoss(), (pred, signs)),
        ("triplet", gloss.TripletLoss(), (pred, label, probabilities)),
    ]:
        variable = inputs[0].copy()
        variable.attach_grad()
        with autograd.record():
            value = loss(variable, *inputs[1:])
        value.backward()
        results[f"loss.{name}"] = value.asnumpy()
        results[f"loss.{name}.grad"] = variable.grad.asnumpy()
        results[f"loss.{name}.repr"] = np.array(repr(loss))


def optimizers():
    settings = [
        ("sgd", {"learning_rate": 0.1, "wd": 0.01}),
        ("sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 0.1, "clip_gradient": 0.2}),
        ("nag", {"learning_rate": 0.1, "momentum": 0.9}),  # with decay MXNet reads the weight that it has just written
        ("adam", {}),
        ("adam", {"learning_rate": 0.05, "wd": 0.1, "beta1": 0.8}),
        ("adagrad", {"learning_rate": 0.1, "wd": 0.05}),
        ("rmsprop", {"learning_rate": 0.01, "wd": 0.05}),
        ("rmsprop", {"learning_rate": 0.01, "centered": True, "clip_weights": 0.3}),
        ("adadelta", {"wd": 0.01}),
        ("sgd", {"learning_rate": 0.1, "lr_scheduler": lr_scheduler.FactorScheduler(2, 0.5)}),
    ]
    x, y = numbers(8, 3), numbers(8, 1)
    for number, (name, options) in enumerate(settings):
        net = nn.Dense(1, in_units=3)
        net.initialize()
        fill(net)
        net.bias.lr_mult = 0.5
        net.weight.wd_mult = 2.0
        trainer = gluon.Trainer(net.collect_params(), name, dict(options))
        for _ in range(6):
            with autograd.record():
                value = gloss.L2Loss()(net(x), y)
            value.backward()
            trainer.step(8)
        results[f"optimizer.{number}.{name}.weight"] = net.weight.data().asnumpy()
        results[f"optimizer.{number}.{name}.bias"] = net.bias.data().asnumpy()
        results[f"optimizer.{number}.{name}.rate"] = np.array(trainer.learning_rate)


def schedulers():
    for number, scheduler in enumerate([
        lr_scheduler.FactorScheduler(3, 0.5, base_lr=1.0, stop_factor_lr=0.2),
        lr_scheduler.MultiFactorScheduler([2, 5], 0.1, base_lr=1),
        lr_scheduler.PolyScheduler(6, 1, 2, warmup_steps=2),
        lr_scheduler.CosineScheduler(6, 1, 0.1, warmup_steps=2, warmup_begin_lr=0.2),
        lr_scheduler.FactorScheduler(2, 0.5, base_lr=1, warmup_steps=3, warmup_mode="constant", warmup_begin_lr=0.3),
    ]):
        results[f"scheduler.{number}"] = np.array([float(scheduler(i)) for i in range(12)])


def metrics():
    labels, preds = nd.array([0, 0, 1]), nd.array([[0.3, 0.7], [0.9, 0.1], [0.4, 0.6]])
    for name in ("acc", "ce", "nll_loss", "loss", "mse", "mae", "rmse"):
        made = metric.create(name)
        made.update([labels], [preds])
        made.update([labels[:2]], [preds[:2]])
        results[f"metric.{name}"] = np.array(made.get()[1])
    for made in (metric.TopKAccuracy(2), metric.Perplexity(0), metric.CompositeEvalMetric(["acc", "ce"])):
        made.update([labels], [preds])
        results[f"metric.{made.name}"] = np.array(made.get()[1])
        results[f"metric.{made.name}.str"] = np.array(str(made)[:30])


def initial_values():
    for name, made in {
        "zero": init.Zero(), "one": init.One(), "constant": init.Constant(3), "bilinear": init.Bilinear(),
        "lstm": init.LSTMBias(2.0),
    }.items():
        for kind in ("weight", "bias", "gamma", "beta"):
            array = nd.ones((4, 2, 3, 4)) * 9
            made(init.InitDesc("a_" + kind), array)
            results[f"init.{name}.{kind}"] = array.asnumpy()
    for name, made in {
        "uniform": init.Uniform(), "normal": init.Normal(), "xavier": init.Xavier(), "msra": init.MSRAPrelu(),
        "xavier_in": init.Xavier("gaussian", "in", 2), "xavier_out": init.Xavier("uniform", "out", 2.5),
    }.items():
        array = nd.zeros((100, 80, 3, 3))
        made(init.InitDesc("a_weight"), array)
        results[f"deviation.{name}"] = np.array(array.asnumpy().std())
        results[f"dumps.{name}"] = np.array(made.dumps())


def data():
    dataset = gdata.ArrayDataset(nd.arange(10).reshape((5, 2)), np.arange(5) * 2.0)
    for last in ("keep", "discard", "rollover"):
        loader = gdata.DataLoader(dataset, 2, last_batch=last)
        batches = [part.asnumpy() for _ in range(2) for batch in loader for part in batch]
        results[f"loader.{last}"] = np.concatenate([batch.ravel() for batch in batches])
        results[f"loader.{last}.shapes"] = np.array(str([(b.shape, b.dtype.name) for b in batches]))
    simple = gdata.SimpleDataset(list(range(7)))
    results["shards"] = np.array(str([list(simple.shard(3, i)) for i in range(3)]))
    results["filter"] = np.array(str(list(simple.filter(lambda x: x % 2).transform(lambda x: x * 2).take(2))))
    image = nd.array(random.randint(0, 256, (5, 7, 3)).astype("uint8"), dtype="uint8")
    for name, made in {
        "to_tensor": transforms.ToTensor(),
        "center": transforms.CenterCrop((4, 3)),
        "crop": transforms.CropResize(1, 2, 3, 2),
        "cast": transforms.Cast("float32"),
        "normalize": transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1, 0.2, 0.3), 0.5)]),
    }.items():
        results[f"transform.{name}"] = made(image).asnumpy()
    smooth = nd.array(np.add.outer(np.arange(8) * 9, np.arange(12) * 5)[..., None].repeat(3, 2), dtype="uint8")
    for name, made in {
        "resize": transforms.Resize((6, 5)), "wider": transforms.Resize((20, 16)),
        "ratio": transforms.Resize(4, keep_ratio=True),
    }.items():
        results[f"rounded.{name}"] = made(smooth).asnumpy()


def names():
    net = nn.HybridSequential(prefix="model_")
    with net.name_scope():
        net.add(nn.Dense(4), nn.Conv2D(3, 3), nn.BatchNorm(), nn.HybridSequential())
        with net[3].name_scope():
            net[3].add(nn.Dense(2), nn.Dense(2, prefix="last_"))
    shared = nn.Dense(4, prefix="twin_", params=net[0].params)
    results["names"] = np.array(str(list(net.collect_params())))
    results["names.select"] = np.array(str(list(net.collect_params(".*weight|.*gamma"))))
    results["names.shared"] = np.array(str([list(shared.collect_params()), shared.prefix, shared.name]))
    results["names.places"] = np.array(str(list(net._collect_params_with_prefix())))
    results["repr"] = np.array(repr(net))
    results["repr.params"] = np.array(repr(net[0].collect_params()))


def printing():
    for number, array in enumerate([
        nd.array([[1, 2.5], [-3, 0]]), nd.arange(6, dtype="int32").reshape((1, 2, 3)), nd.ones((1,)),
        nd.arange(3000).reshape((60, 50)), nd.array([1e-6, 1, 1e6]), nd.array([0.1, np.nan, np.inf]), nd.array([255], dtype="uint8"),
        nd.array([1 / 3], dtype="float64"), nd.array([0.1, 0.2], dtype="float16"),
    ]):
        results[f"printed.{number}"] = np.array(str(array))


for part in (printing, layers, losses, optimizers, schedulers, metrics, initial_values, data, names):
    part()
np.savez(sys.argv[1], **results)
print(len(results), "results of", mx.__name__)
