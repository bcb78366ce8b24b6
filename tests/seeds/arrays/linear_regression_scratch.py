"""Linear regression with nothing but arrays and autograd."""

import random

from mxnet import autograd, nd

num_inputs, num_examples = 2, 1000
true_w, true_b = [2, -3.4], 4.2
features = nd.random.normal(scale=1, shape=(num_examples, num_inputs))
labels = true_w[0] * features[:, 0] + true_w[1] * features[:, 1] + true_b
labels += nd.random.normal(scale=0.01, shape=labels.shape)


def data_iter(batch_size, features, labels):
    indices = list(range(len(features)))
    random.shuffle(indices)
    for i in range(0, len(features), batch_size):
        j = nd.array(indices[i : min(i + batch_size, len(features))])
        yield features.take(j), labels.take(j)


w = nd.random.normal(scale=0.01, shape=(num_inputs, 1))
b = nd.zeros(shape=(1,))
w.attach_grad()
b.attach_grad()


def linreg(X, w, b):
    return nd.dot(X, w) + b


def squared_loss(y_hat, y):
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2


def sgd(params, lr, batch_size):
    for param in params:
        param[:] = param - lr * param.grad / batch_size


lr, batch_size = 0.03, 10
for epoch in range(3):
    for X, y in data_iter(batch_size, features, labels):
        with autograd.record():
            l = squared_loss(linreg(X, w, b), y)
        l.backward()
        sgd([w, b], lr, batch_size)
    train_l = squared_loss(linreg(features, w, b), labels)
    print("epoch %d, loss %f" % (epoch + 1, train_l.mean().asnumpy().item()))

assert train_l.mean().asscalar() < 1e-3
assert abs(w.reshape((2,)).asnumpy() - true_w).max() < 0.01
assert abs(b.asscalar() - true_b) < 0.01
print("found", "w and b")
