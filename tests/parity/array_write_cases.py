"""Gradients of operations whose operand or result is written before backward(), written to run under `mxnet` and under
Forebay in its name: ``array_write_cases.py OUT.npz``. A gradient that is refused is empty."""

import sys

import numpy as np
from mxnet import autograd, nd

VALUES = {"small": (0.25, 0.5, -0.75), "large": (4.0, -3.0, 0.125)}
CONSTANT = (2.0, 3.0, 1.5)

FUNCTIONS = """
abs arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh degrees erf erfinv exp expm1 gamma gammaln
hard_sigmoid log log10 log1p log2 log_softmax max mean min negative norm prod radians rcbrt reciprocal relu rsqrt
sigmoid sign sin sinh smooth_l1 softmax softmin softsign sqrt square sum tan tanh
""".split()

EXPRESSIONS = """
x+c x-c x*c c*x x/c c/x x**c c**x x%c c%x x+2 x*3 3/x x/3 x**2 2**x x%2 5%x x*x (x+c)/x (x*x)**x
nd.maximum(x,c) nd.minimum(c,x) nd.broadcast_hypot(x,c) nd.broadcast_hypot(c,x) nd.dot(x,c) nd.dot(c,x)
nd.maximum(x,0.3) nd.minimum(x,0.3) nd.where(c>1.7,x,c) nd.clip(x,-0.3,0.3) nd.take(x,c) nd.concat(x,c,dim=0)
nd.Activation(x,'relu') nd.Activation(x,'sigmoid') nd.Activation(x,'tanh') nd.Activation(x,'softrelu')
nd.Activation(x,'softsign') nd.LeakyReLU(x,slope=0.1) nd.LeakyReLU(x,act_type='elu',slope=0.5)
nd.LeakyReLU(x,act_type='gelu') nd.L2Normalization(x.reshape((1,3))) nd.LayerNorm(x.reshape((1,3)),c,c)
nd.FullyConnected(x.reshape((1,3)),c.reshape((1,3)),no_bias=True,num_hidden=1)
nd.FullyConnected(c.reshape((1,3)),x.reshape((1,3)),no_bias=True,num_hidden=1)
nd.FullyConnected(c.reshape((1,3)),c.reshape((1,3)),x[0:1],num_hidden=1)
nd.Pooling(x.reshape((1,1,3)),kernel=(2,),pool_type='avg') nd.Pooling(x.reshape((1,1,3)),kernel=(2,),pool_type='sum')
nd.Convolution(x.reshape((1,1,3)),c.reshape((1,1,3)),no_bias=True,kernel=(3,),num_filter=1)
nd.Convolution(c.reshape((1,1,3)),x.reshape((1,1,3)),no_bias=True,kernel=(3,),num_filter=1)
nd.batch_dot(x.reshape((1,1,3)),c.reshape((1,3,1))) nd.softmax_cross_entropy(x.reshape((1,3)),c[0:1])
nd.SoftmaxOutput(x.reshape((1,3)),c[0:1]) nd.Embedding(c,x.reshape((3,1)),input_dim=3,output_dim=1)
nd.sort(x,axis=0) nd.gather_nd(x,c.reshape((1,3))*0) nd.pick(x,c[0:1]) nd.cumsum(x) nd.sum(x*x) nd.tile(x,2) nd.stop_gradient(x)*x
""".split()


def gradient(expression: str, values: tuple[float, ...], written: str, value: float) -> np.ndarray:
    arrays = {"x": nd.array(values), "c": nd.array(CONSTANT)}
    arrays["x"].attach_grad()
    with autograd.record():
        result = eval(expression, {"nd": nd}, arrays)
    arrays["y"] = result
    if written:
        arrays[written].detach()[:] = value
    try:
        result.backward()
        return arrays["x"].grad.asnumpy()
    except Exception:
        return np.empty(0)


def main(path: str) -> None:
    results = {}
    for expression in [f"nd.{name}(x)" for name in FUNCTIONS] + EXPRESSIONS:
        for name, values in VALUES.items():
            results[f"{expression} | {name}"] = gradient(expression, values, "", 0)
            for written in "xcy":
                for value in (-7.0, 0.6):
                    results[f"{expression} | {name} | {written} {value}"] = gradient(expression, values, written, value)
    np.savez(path, **{name.replace("/", "÷"): value for name, value in results.items()})


if __name__ == "__main__":
    main(sys.argv[1])
