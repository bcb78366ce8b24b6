"""Operations are enqueued; printing, reading and waiting wait."""

import os
import time

from mxnet import nd

side = int(os.environ.get("SEED_SIDE", 4000))


class Benchmark:
    def __init__(self, prefix=None):
        self.prefix = prefix + " " if prefix else ""

    def __enter__(self):
        self.start = time.time()

    def __exit__(self, *args):
        print("%stime: %.4f sec" % (self.prefix, time.time() - self.start))


with Benchmark("Workloads are queued."):
    x = nd.random.uniform(shape=(side, side))
    y = nd.dot(x, x).sum()

with Benchmark("Workloads are finished."):
    print("sum =", y)

with Benchmark():
    y = nd.dot(x, x)
    y.wait_to_read()

with Benchmark():
    y = nd.dot(x, x)
    z = nd.dot(x, x)
    nd.waitall()

with Benchmark():
    y = nd.dot(x, x)
    values = y.asnumpy()

with Benchmark():
    y = nd.dot(x, x)
    length = y.norm().asscalar()
print("values:", values.shape, values.dtype, "norm:", type(length).__name__)

with Benchmark("synchronous."):
    for _ in range(1000):
        y = x + 1
        y.wait_to_read()

with Benchmark("asynchronous."):
    for _ in range(1000):
        y = x + 1
    nd.waitall()

ones = nd.ones((2, 3))
print(ones * 2 + nd.array([0, 1, 2]))
print(nd.ones((2, 2)).norm().asscalar(), (ones == 1).asnumpy().all())
