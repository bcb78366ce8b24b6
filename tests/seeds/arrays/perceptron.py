"""Softmax regression and a multilayer perceptron with gluon, on images of the folder given."""

import sys

import d2lzh as d2l
from mxnet import gluon, init
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn

batch_size = 64
train_iter, test_iter = d2l.load_data_fashion_mnist(batch_size, root=sys.argv[1])
loss = gloss.SoftmaxCrossEntropyLoss()


def train(net, rate):
    net.initialize(init.Normal(sigma=0.01))
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": rate})
    d2l.train_ch3(net, train_iter, test_iter, loss, 4, batch_size, None, None, trainer)
    score = d2l.evaluate_accuracy(test_iter, net)
    assert score > 0.9, score


net = nn.Sequential()
net.add(nn.Dense(10))
train(net, 0.1)

net = nn.Sequential()
net.add(nn.Dense(256, activation="relu"), nn.Dropout(0.2), nn.Dense(10))
train(net, 0.5)
print("learned")
