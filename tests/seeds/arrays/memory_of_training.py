"""Whether a loop that never waits takes more memory: a perceptron trained with and without a wait in each step."""

import os
import subprocess
import time

from mxnet import autograd, gluon, nd
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn

num_batches = int(os.environ.get("SEED_BATCHES", 100))
batch_size = int(os.environ.get("SEED_BATCH_SIZE", 1024))


def data_iter():
    start = time.time()
    for i in range(num_batches):
        X = nd.random.normal(shape=(batch_size, 512))
        y = nd.ones((batch_size,))
        yield X, y
        if (i + 1) % 50 == 0:
            print("batch %d, time %f sec" % (i + 1, time.time() - start))


net = nn.Sequential()
net.add(nn.Dense(2048, activation="relu"), nn.Dense(512, activation="relu"), nn.Dense(1))
net.initialize()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.005})
loss = gloss.L2Loss()


def get_mem():
    res = subprocess.check_output(["ps", "u", "-p", str(os.getpid())])
    return int(str(res).split()[15]) / 1e3


for X, y in data_iter():
    break
loss(y, net(X)).wait_to_read()

l_sum, mem = 0, get_mem()
for X, y in data_iter():
    with autograd.record():
        l = loss(y, net(X))
    l_sum += l.mean().asscalar()
    l.backward()
    trainer.step(X.shape[0])
nd.waitall()
print("increased memory: %f MB" % (get_mem() - mem))
print("mean loss: %.4f" % (l_sum / num_batches))

mem = get_mem()
for X, y in data_iter():
    with autograd.record():
        l = loss(y, net(X))
    l.backward()
    trainer.step(X.shape[0])
nd.waitall()
print("increased memory: %f MB" % (get_mem() - mem))
print("last loss: %.4f" % l.mean().asscalar())
