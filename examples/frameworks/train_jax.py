"""Trains a small network in JAX on pictures that a pipeline reads: the iterator gives JAX's arrays, without a copy.

    python examples/frameworks/train_jax.py [FOLDER] [--epochs N]
"""

import jax
import jax.numpy as jnp
from photo_pipeline import arguments_of, pictures, report

from forebay.plugin.jax import DALIGenericIterator

RATE = 0.05
MOMENTUM = 0.9


def weights_of(key, classes):
    """Two convolutions and a layer over the classes."""
    shapes = [(5, 5, 3, 16), (3, 3, 16, 32), (32, classes)]
    keys = jax.random.split(key, len(shapes))
    return [jax.random.normal(each, shape) * (2 / jnp.prod(jnp.array(shape[:-1]))) ** 0.5
            for each, shape in zip(keys, shapes)]


def scores_of(weights, images):
    for kernel in weights[:2]:
        images = jax.nn.relu(jax.lax.conv_general_dilated(images, kernel, (2, 2), "VALID",
                                                          dimension_numbers=("NHWC", "HWIO", "NHWC")))
    return images.mean(axis=(1, 2)) @ weights[2]


def loss_of(weights, images, labels):
    """The loss, and how many are right."""
    chances = jax.nn.log_softmax(scores_of(weights, images))
    loss = -jnp.take_along_axis(chances, labels[:, None], axis=1).mean()
    return loss, (chances.argmax(axis=1) == labels).sum()


@jax.jit
def step(weights, moments, images, labels):
    (loss, right), slopes = jax.value_and_grad(loss_of, has_aux=True)(weights, images, labels.reshape(-1))
    moments = [MOMENTUM * moment + slope for moment, slope in zip(moments, slopes)]
    weights = [weight - RATE * moment for weight, moment in zip(weights, moments)]
    return weights, moments, loss, right


def main():
    folder, classes, epochs = arguments_of(__doc__)
    batches = DALIGenericIterator(pictures(folder), ["images", "labels"], reader_name="reader", auto_reset=True)
    weights = weights_of(jax.random.key(1), classes)
    moments = [jnp.zeros_like(weight) for weight in weights]
    for epoch in range(1, epochs + 1):
        steps = []
        for batch in batches:
            weights, moments, loss, right = step(weights, moments, batch["images"], batch["labels"])
            steps.append((len(batch["labels"]), loss, right))
        report(epoch, steps)


if __name__ == "__main__":
    main()
