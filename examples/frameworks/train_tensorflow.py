"""Trains a small Keras network on pictures that a pipeline reads: the pipeline is a `tf.data.Dataset`.

    python examples/frameworks/train_tensorflow.py [FOLDER] [--epochs N]
"""

import tensorflow as tf
from photo_pipeline import BATCH, SIZE, arguments_of, pictures

from forebay.plugin.tf import DALIDataset


def network(classes):
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        tf.keras.Input((SIZE, SIZE, 3)),
        layers.Conv2D(16, 5, strides=2, activation="relu"),
        layers.Conv2D(32, 3, strides=2, activation="relu"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(classes),
    ])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=tf.keras.optimizers.Adam(0.003), loss=loss, metrics=["accuracy"])
    return model


def main():
    folder, classes, epochs = arguments_of(__doc__)
    tf.keras.utils.set_random_seed(1)
    pipe = pictures(folder)
    steps = -(-pipe.epoch_size("reader") // BATCH)
    dataset = DALIDataset(pipe, batch_size=BATCH, output_shapes=((BATCH, SIZE, SIZE, 3), (BATCH, 1)),
                          output_dtypes=(tf.float32, tf.int32), device_id=None)
    history = network(classes).fit(dataset, steps_per_epoch=steps, epochs=epochs, verbose=2).history
    for epoch, (loss, right) in enumerate(zip(history["loss"], history["accuracy"]), 1):
        print(f"epoch {epoch}: {steps * BATCH} images, loss {loss:.3f}, {right:.0%} right")


if __name__ == "__main__":
    main()
