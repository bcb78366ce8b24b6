"""The network that the PyTorch examples of this folder train."""

import torch


def small_network(classes):
    torch.manual_seed(1)
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 5, stride=2), torch.nn.ReLU(), torch.nn.Conv2d(16, 32, 3, stride=2), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(32, classes),
    )


def optimizer_of(network):
    return torch.optim.Adam(network.parameters(), 0.003)


def scored(network, images, labels):
    """The loss, and how many are right."""
    scores = network(images)
    return torch.nn.functional.cross_entropy(scores, labels), int((scores.argmax(dim=1) == labels).sum())


def train_epoch(network, optimizer, batches):
    """A step for each batch of (images, labels); what :func:`photo_pipeline.report` takes."""
    steps = []
    for images, labels in batches:
        loss, right = scored(network, images, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        steps.append((len(labels), loss.item(), right))
    return steps
