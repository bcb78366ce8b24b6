"""The same with gluon."""

from mxnet import autograd, gluon, init, nd
from mxnet.gluon import data as gdata
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn

num_inputs, num_examples = 2, 1000
true_w, true_b = nd.array([2, -3.4]), 4.2
features = nd.random.normal(scale=1, shape=(num_examples, num_inputs))
labels = nd.dot(features, true_w) + true_b
labels += nd.random.normal(scale=0.01, shape=labels.shape)

batch_size = 10
dataset = gdata.ArrayDataset(features, labels)
data_iter = gdata.DataLoader(dataset, batch_size, shuffle=True)
for X, y in data_iter:
    print(X.shape, y.shape)
    break

net = nn.Sequential()
net.add(nn.Dense(1))
net.initialize(init.Normal(sigma=0.01))
loss = gloss.L2Loss()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.03})

for epoch in range(1, 4):
    for X, y in data_iter:
        with autograd.record():
            l = loss(net(X), y)
        l.backward()
        trainer.step(batch_size)
    l = loss(net(features), labels)
    print("epoch %d, loss: %f" % (epoch, l.mean().asnumpy().item()))

dense = net[0]
assert l.mean().asscalar() < 1e-3
assert abs(dense.weight.data() - true_w.reshape((1, 2))).max().asscalar() < 0.01
assert abs(dense.bias.data().asscalar() - true_b) < 0.01
print("found", "w and b")
