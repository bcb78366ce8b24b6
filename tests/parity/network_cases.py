"""Operators of networks that MXNet and Forebay both run: values, gradients, and what is updated in place.

Runs under either: `python network_cases.py mxnet|forebay results.npz`. A case is one expression over `nd` and arrays
named in CASES' second column by their shapes; the gradients are those of all of them.
"""

import sys

import numpy

IMAGES = "x=4,3,9,8"
# name: expression, arrays by shape (drawn from a fixed sequence)
CASES = {
    "dense": ("nd.FullyConnected(x, w, b, num_hidden=5)", "x=4,3,2 w=5,6 b=5"),
    "dense, no bias": ("nd.FullyConnected(x, w, num_hidden=5, no_bias=True)", "x=4,6 w=5,6"),
    "dense, last axis": ("nd.FullyConnected(x, w, b, num_hidden=5, flatten=False)", "x=4,3,2 w=5,2 b=5"),
    "convolution": ("nd.Convolution(x, w, b, kernel=(3,3), num_filter=6)", IMAGES + " w=6,3,3,3 b=6"),
    "convolution, padded": (
        "nd.Convolution(x, w, kernel=(3,2), stride=(2,1), pad=(1,2), num_filter=6, no_bias=True)",
        IMAGES + " w=6,3,3,2"),
    "convolution, dilated": (
        "nd.Convolution(x, w, b, kernel=(3,2), dilate=(2,3), num_filter=2)", IMAGES + " w=2,3,3,2 b=2"),
    "convolution, grouped": (
        "nd.Convolution(x, w, b, kernel=(3,3), num_filter=6, num_group=2, pad=(1,1))", "x=2,4,6,6 w=6,2,3,3 b=6"),
    "convolution, 1-D": ("nd.Convolution(x, w, b, kernel=(4,), stride=(3,), num_filter=2)", "x=2,3,17 w=2,3,4 b=2"),
    "convolution, 3-D": ("nd.Convolution(x, w, b, kernel=(2,3,2), num_filter=2)", "x=2,2,4,5,6 w=2,2,2,3,2 b=2"),
    "deconvolution": (
        "nd.Deconvolution(x, w, kernel=(3,3), stride=(2,2), pad=(1,1), adj=(1,1), num_filter=4)",
        "x=2,3,5,4 w=3,4,3,3"),
    "deconvolution, bias": (
        "nd.Deconvolution(x, w, b, kernel=(2,2), num_filter=4, no_bias=False)", "x=2,3,5,4 w=3,4,2,2 b=4"),
    "max": ("nd.Pooling(x, kernel=(2,2), stride=(2,2), pool_type='max')", IMAGES),
    "max, padded": ("nd.Pooling(x, kernel=(3,2), stride=(2,2), pad=(1,1), pool_type='max')", IMAGES),
    "max, full": ("nd.Pooling(x, kernel=(2,3), stride=(2,2), pooling_convention='full')", IMAGES),
    "max of equals": ("nd.Pooling(nd.Activation(x - 1, 'relu'), kernel=(3,3), stride=(1,1))", IMAGES),
    "average": ("nd.Pooling(x, kernel=(3,2), stride=(2,2), pad=(1,1), pool_type='avg')", IMAGES),
    "average, padding left out": (
        "nd.Pooling(x, kernel=(3,2), stride=(2,2), pad=(1,1), pool_type='avg', count_include_pad=False)", IMAGES),
    "average, full": (
        "nd.Pooling(x, kernel=(2,3), stride=(2,2), pool_type='avg', pooling_convention='full')", IMAGES),
    "sum": ("nd.Pooling(x, kernel=(3,2), stride=(2,1), pool_type='sum')", IMAGES),
    "norm": ("nd.Pooling(x, kernel=(2,2), stride=(2,2), pool_type='lp', p_value=2)", IMAGES),
    "global": ("nd.Pooling(x, global_pool=True, pool_type='avg')", IMAGES),
    "pooling, 1-D": ("nd.Pooling(x, kernel=(3,), stride=(2,), pool_type='avg')", "x=2,3,11"),
    "pooling, 3-D": ("nd.Pooling(x, kernel=(2,2,2), stride=(2,2,2), pool_type='max')", "x=2,2,4,5,6"),
    **{f"{kind}": (f"nd.Activation(x * 4, act_type='{kind}')", "x=5,70")
       for kind in ("relu", "sigmoid", "tanh", "softrelu", "softsign")},
    **{kind: (f"nd.LeakyReLU(x * 2, act_type='{kind}', slope=0.3)", "x=5,70")
       for kind in ("leaky", "elu", "selu", "gelu")},
    "prelu": ("nd.LeakyReLU(x, g, act_type='prelu')", "x=4,3,5 g=3"),
    "softmax": ("nd.softmax(x * 5)", "x=4,3,7"),
    "softmax, axis": ("nd.softmax(x * 5, axis=1, temperature=2.0)", "x=4,3,7"),
    "softmax, lengths": ("nd.softmax(x, nd.array([1, 3, 7, 2], dtype='int32'), use_length=True)", "x=4,7"),
    "log_softmax": ("nd.log_softmax(x * 50, axis=0)", "x=4,3,7"),
    "softmin": ("nd.softmin(x * 5)", "x=4,7"),
    "softmax activation": ("nd.SoftmaxActivation(x, mode='channel')", "x=4,3,2,2"),
    "softmax_cross_entropy": ("nd.softmax_cross_entropy(x, nd.array([0, 2, 1, 2]))", "x=4,3"),
    **{f"softmax output {more}": (f"nd.SoftmaxOutput(x, nd.array([0, 2, 1, 2]){more})", "x=4,3")
       for more in ("", ", grad_scale=2", ", normalization='batch'", ", use_ignore=True, ignore_label=2",
                    ", use_ignore=True, ignore_label=2, normalization='valid'", ", smooth_alpha=0.2")},
    **{f"softmax output, several {more}": (
        f"nd.SoftmaxOutput(x, nd.array([[0, 2], [1, 2]]), multi_output=True{more})", "x=2,3,2")
       for more in ("", ", normalization='batch'", ", normalization='valid', use_ignore=True, ignore_label=1")},
    "softmax output, kept shape": (
        "nd.SoftmaxOutput(x, nd.array([[0, 2], [1, 2]]), preserve_shape=True)", "x=2,2,3"),
    "softmax output, distributions": ("nd.SoftmaxOutput(x, nd.softmax(y).detach(), grad_scale=3)", "x=4,3 y=4,3"),
    "batch norm": ("nd.BatchNorm(x, g, b, m, v)", "x=4,3,5 g=3 b=3 m=3 v=3"),
    "batch norm, gamma": ("nd.BatchNorm(x, g, b, m, v, fix_gamma=False, eps=1e-5, momentum=0.7)",
                          "x=4,3,5 g=3 b=3 m=3 v=3"),
    "batch norm, last axis": ("nd.BatchNorm(x, g, b, m, v, fix_gamma=False, axis=-1)", "x=4,3,5 g=5 b=5 m=5 v=5"),
    "batch norm, moving": ("nd.BatchNorm(x, g, b, m, v, fix_gamma=False, use_global_stats=True)",
                           "x=4,3,5 g=3 b=3 m=3 v=3"),
    "layer norm": ("nd.LayerNorm(x, g, b)", "x=4,3,5 g=5 b=5"),
    "layer norm, axis": ("nd.LayerNorm(x, g, b, axis=1, eps=0.1)", "x=4,3,5 g=3 b=3"),
    "instance norm": ("nd.InstanceNorm(x, g, b)", "x=4,3,5 g=3 b=3"),
    "group norm": ("nd.GroupNorm(x, g, b, num_groups=2)", "x=3,4,5 g=2 b=2"),
    **{f"L2 {mode}": (f"nd.L2Normalization(x, mode='{mode}')", "x=3,4,5") for mode in
       ("instance", "channel", "spatial")},
    "LRN": ("nd.LRN(x, nsize=3, alpha=0.5)", "x=2,7,3,3"),
    "embedding": ("nd.Embedding(nd.array([[1, 0], [4, 1]]), w, input_dim=5, output_dim=3)", "w=5,3"),
    "sequence mask": (
        "nd.SequenceMask(x, nd.array([1, 3]), use_sequence_length=True, value=-1)", "x=4,2,3"),
    "sequence mask, axis": (
        "nd.SequenceMask(x, nd.array([1, 3]), use_sequence_length=True, axis=1)", "x=2,4,3"),
    "up-sampling": ("nd.UpSampling(x, scale=3, sample_type='nearest')", "x=2,3,2,4"),
}

# Where MXNet is wrong: its gradient of selu below 0 is scale * (alpha + y), which misses the scale of alpha.
DEPARTURES = ("selu: gradient of x",)

OPTIONS = "lr=0.1, wd=0.3, rescale_grad=0.5, clip_gradient=0.6"
UPDATES = {
    "sgd_update": ("", OPTIONS),
    "sgd_mom_update": ("m", OPTIONS + ", momentum=0.9"),
    "nag_mom_update": ("m", OPTIONS + ", momentum=0.9"),
    "signsgd_update": ("", OPTIONS),
    "adam_update": ("mv", OPTIONS + ", epsilon=0.01"),
    "rmsprop_update": ("v", OPTIONS + ", epsilon=0.01, clip_weights=0.9"),
    "rmspropalex_update": ("vmd", OPTIONS + ", epsilon=5"),
}


def drawn(arrays, nd):
    """The arrays of a case; `v` and `m`, which are statistics, are positive."""
    numbers = numpy.random.RandomState(1)
    made = {}
    for item in arrays.split():
        name, shape = item.split("=")
        values = numbers.uniform(-2, 2, [int(extent) for extent in shape.split(",")]).astype("float32")
        made[name] = nd.array(abs(values) if name in "vm" else values)
    return made


def run_case(expression, arrays, nd, autograd):
    found = {}
    names = drawn(arrays, nd)
    for name, value in names.items():
        if name not in "mv":
            value.attach_grad()
    with autograd.record():
        result = eval(expression, {"nd": nd, **names})
    weights = nd.array(numpy.random.RandomState(2).uniform(0.5, 1.5, result.shape).astype("float32"))
    result.backward(weights)
    found["value"] = result.asnumpy()
    for name, value in names.items():
        found[name if name in "mv" else f"gradient of {name}"] = (value if name in "mv" else value.grad).asnumpy()
    return found


def run_update(name, states, options, nd):
    names = drawn("w=41 g=41 m=41 v=41 d=41", nd)
    inputs = ", ".join(states)
    call = f"nd.{name}(w, g, {inputs + ', ' if inputs else ''}{options})"
    for _ in range(2):  # not into w: MXNet's nag_mom_update decays the momentum by what it has just written
        names["w"] = eval(call, {"nd": nd, **names})
    return {key: names[key].asnumpy() for key in "w" + states}


def results(nd, autograd):
    found = {}
    for name, (expression, arrays) in CASES.items():
        found.update({f"{name}: {what}": value
                      for what, value in run_case(expression, arrays, nd, autograd).items()})
    for name, (states, options) in UPDATES.items():
        found.update({f"{name}: {what}": value for what, value in run_update(name, states, options, nd).items()})
    return found


if __name__ == "__main__":
    if sys.argv[1] == "mxnet":
        from mxnet import autograd, nd
    else:
        from forebay import autograd, nd
    numpy.savez(sys.argv[2], **results(nd, autograd))
