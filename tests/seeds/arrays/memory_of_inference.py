"""The plainer experiment: batches made and sent through a network, with and without a wait in between."""

import os
import subprocess

from mxnet import nd
from mxnet.gluon import nn

num_batches = int(os.environ.get("SEED_BATCHES", 60))
side = int(os.environ.get("SEED_SIDE", 1024))


def get_data():
    for _ in range(num_batches):
        yield nd.ones((side, side))


def get_mem():
    res = subprocess.check_output(["ps", "u", "-p", str(os.getpid())])
    return int(str(res).split()[15]) / 1e3


net = nn.Sequential()
net.add(nn.Dense(side, activation="relu"), nn.Dense(1))
net.initialize()
for X in get_data():
    net(X).wait_to_read()
    break

mem = get_mem()
for X in get_data():
    y = net(X)
    y.wait_to_read()
print("increased memory: %f MB" % (get_mem() - mem))

mem = get_mem()
for X in get_data():
    y = net(X)
nd.waitall()
print("increased memory: %f MB" % (get_mem() - mem))
print("same:", bool((y == net(nd.ones((side, side)))).asnumpy().all()))
