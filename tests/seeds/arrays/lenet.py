"""LeNet, on images of the folder given."""

import sys

import d2lzh as d2l
import mxnet as mx
from mxnet import autograd, gluon, init, nd
from mxnet.gluon import nn

net = nn.Sequential()
net.add(
    nn.Conv2D(channels=6, kernel_size=5, activation="sigmoid"),
    nn.MaxPool2D(pool_size=2, strides=2),
    nn.Conv2D(channels=16, kernel_size=5, activation="sigmoid"),
    nn.MaxPool2D(pool_size=2, strides=2),
    nn.Dense(120, activation="sigmoid"),
    nn.Dense(84, activation="sigmoid"),
    nn.Dense(10),
)

X = nd.random.uniform(shape=(1, 1, 28, 28))
net.initialize()
for layer in net:
    X = layer(X)
    print(layer.name, "output shape:\t", X.shape)

batch_size = 64
train_iter, test_iter = d2l.load_data_fashion_mnist(batch_size=batch_size, root=sys.argv[1])
ctx = d2l.try_gpu()
lr, num_epochs = 0.005, 6
net.initialize(force_reinit=True, ctx=ctx, init=init.Xavier())
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": lr})
d2l.train_ch5(net, train_iter, test_iter, batch_size, trainer, ctx, num_epochs)
score = d2l.evaluate_accuracy(test_iter, net, ctx)
assert score > 0.9, score
print("learned")
