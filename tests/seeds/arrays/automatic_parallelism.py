"""Products on the CPU and, where there is one, on a GPU, apart and together; results copied back to the CPU."""

import os

import d2lzh as d2l
import mxnet as mx
from mxnet import nd

side = int(os.environ.get("SEED_SIDE", 2000))
side_gpu = 3 * side


def run(x):
    return [nd.dot(x, x) for _ in range(10)]


x_cpu = nd.random.uniform(shape=(side, side))
run(x_cpu)
nd.waitall()

with d2l.Benchmark("Run on CPU."):
    run(x_cpu)
    nd.waitall()


def copy_to_cpu(x):
    return [y.copyto(mx.cpu()) for y in x]


try:
    x_gpu = nd.random.uniform(shape=(side_gpu, side_gpu), ctx=mx.gpu(0))
    run(x_gpu)
    nd.waitall()
except mx.base.MXNetError as error:
    print("No GPU:", str(error).strip().splitlines()[-1])
    x_gpu = None

if x_gpu is not None:
    with d2l.Benchmark("Then run on GPU."):
        run(x_gpu)
        nd.waitall()
    with d2l.Benchmark("Run on both CPU and GPU in parallel."):
        run(x_cpu)
        run(x_gpu)
        nd.waitall()

x = x_cpu if x_gpu is None else x_gpu
with d2l.Benchmark("Run."):
    y = run(x)
    nd.waitall()
with d2l.Benchmark("Then copy to CPU."):
    copies = copy_to_cpu(y)
    nd.waitall()
with d2l.Benchmark("Run and copy in parallel."):
    y = run(x)
    copies = copy_to_cpu(y)
    nd.waitall()
print("same:", all((a.asnumpy() == b.asnumpy()).all() for a, b in zip(y, copies)))
print("on the CPU:", {str(each.context) for each in copies})
