"""Softmax regression with arrays alone, on images of the folder given."""

import sys

import d2lzh as d2l
from mxnet import autograd, nd

batch_size = 64
train_iter, test_iter = d2l.load_data_fashion_mnist(batch_size, root=sys.argv[1])

num_inputs, num_outputs = 784, 10
W = nd.random.normal(scale=0.01, shape=(num_inputs, num_outputs))
b = nd.zeros(num_outputs)
W.attach_grad()
b.attach_grad()

X = nd.array([[1, 2, 3], [4, 5, 6]])
print(X.sum(axis=0, keepdims=True), X.sum(axis=1, keepdims=True))


def softmax(X):
    X_exp = X.exp()
    partition = X_exp.sum(axis=1, keepdims=True)
    return X_exp / partition


def net(X):
    return softmax(nd.dot(X.reshape((-1, num_inputs)), W) + b)


y_hat = nd.array([[0.1, 0.3, 0.6], [0.3, 0.2, 0.5]])
y = nd.array([0, 2], dtype="int32")
print(nd.pick(y_hat, y))


def cross_entropy(y_hat, y):
    return -nd.pick(y_hat, y).log()


def accuracy(y_hat, y):
    return (y_hat.argmax(axis=1) == y.astype("float32")).mean().asscalar()


print(accuracy(y_hat, y))
d2l.train_ch3(net, train_iter, test_iter, cross_entropy, 4, batch_size, [W, b], 0.1)
score = d2l.evaluate_accuracy(test_iter, net)
assert score > 0.9, score

for X, y in test_iter:
    break
assert len(d2l.get_fashion_mnist_labels(net(X).argmax(axis=1).asnumpy())) == len(y)
print("learned")
