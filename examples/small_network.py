"""A small network for pictures: 16x16 patches; one layer over them, averaged; one over the classes.

In PyTorch where that is importable, else the same in NumPy; both have `step(images, labels) -> (loss, hits)` and
`guess(images) -> labels`.
"""

import numpy as np

PATCH = 16
HIDDEN = 64
RATE = 0.001


class NumpyNetwork:
    """Adam, gradients by hand."""

    name = "NumPy"

    def __init__(self, classes, rate=RATE):
        rng = np.random.default_rng(1)
        inputs = 3 * PATCH * PATCH
        self.rate = rate
        self.weights = [rng.normal(0, (2 / inputs) ** 0.5, (inputs, HIDDEN)).astype(np.float32),
                        np.zeros(HIDDEN, np.float32),
                        rng.normal(0, (1 / HIDDEN) ** 0.5, (HIDDEN, classes)).astype(np.float32),
                        np.zeros(classes, np.float32)]
        self.means = [np.zeros_like(weight) for weight in self.weights]
        self.squares = [np.zeros_like(weight) for weight in self.weights]
        self.steps = 0

    @staticmethod
    def patches(images):
        """(batch, patches, values of a patch)."""
        n, c, h, w = images.shape
        grid = images.reshape(n, c, h // PATCH, PATCH, w // PATCH, PATCH).transpose(0, 2, 4, 1, 3, 5)
        return grid.reshape(n, -1, c * PATCH * PATCH)

    def forward(self, inputs):
        first, first_bias, second, second_bias = self.weights
        hidden = np.maximum(inputs @ first + first_bias, 0)
        features = hidden.mean(axis=1)
        return hidden, features, features @ second + second_bias

    def guess(self, images):
        return self.forward(self.patches(images))[2].argmax(axis=1)

    def step(self, images, labels):
        inputs = self.patches(images)
        hidden, features, scores = self.forward(inputs)
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        chances /= chances.sum(axis=1, keepdims=True)
        rows = np.arange(len(labels))
        loss = -np.log(chances[rows, labels] + 1e-9).mean()
        hits = int((chances.argmax(axis=1) == labels).sum())

        error = chances
        error[rows, labels] -= 1
        error /= len(labels)
        back = (error @ self.weights[2].T)[:, None, :] * (hidden > 0) / hidden.shape[1]
        slopes = [np.tensordot(inputs, back, axes=([0, 1], [0, 1])), back.sum(axis=(0, 1)),
                  features.T @ error, error.sum(axis=0)]
        self.descend(slopes)
        return float(loss), hits

    def descend(self, slopes):
        self.steps += 1
        rate = self.rate * (1 - 0.999**self.steps) ** 0.5 / (1 - 0.9**self.steps)
        for weight, mean, square, slope in zip(self.weights, self.means, self.squares, slopes):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            weight -= rate * mean / (np.sqrt(square) + 1e-8)


class TorchNetwork:
    """The same layers, trained by PyTorch."""

    name = "PyTorch"

    def __init__(self, classes, rate=RATE):
        import torch

        self.torch = torch
        torch.manual_seed(1)
        self.layer = torch.nn.Linear(3 * PATCH * PATCH, HIDDEN)
        self.last = torch.nn.Linear(HIDDEN, classes)
        self.optimizer = torch.optim.Adam(
            [*self.layer.parameters(), *self.last.parameters()], lr=rate)

    def forward(self, images):
        patches = self.torch.nn.functional.unfold(self.torch.from_numpy(images), PATCH, stride=PATCH).transpose(1, 2)
        return self.last(self.layer(patches).relu().mean(dim=1))

    def guess(self, images):
        with self.torch.no_grad():
            return self.forward(images).argmax(dim=1).numpy()

    def step(self, images, labels):
        scores, labels = self.forward(images), self.torch.from_numpy(labels)
        loss = self.torch.nn.functional.cross_entropy(scores, labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item(), int((scores.argmax(dim=1) == labels).sum())


def small_network(classes):
    try:
        return TorchNetwork(classes)
    except ImportError:
        return NumpyNetwork(classes)
