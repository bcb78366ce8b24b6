"""Trains a small Keras network on pictures that a pipeline reads: the pipeline is a `tf.data.Dataset`.

    python examples/frameworks/train_tensorflow.py [FOLDER] [--epochs N]

With `reader_name` a pass over the data set is an epoch, so `model.fit` is told no steps.
"""

import tensorflow as tf
from photo_pipeline import SIZE, arguments_of, pictures

from forebay.plugin.tf import DALIDataset, LastBatchPolicy


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
    dataset = DALIDataset(pictures(folder), reader_name="reader", last_batch_policy=LastBatchPolicy.PARTIAL,
                          output_shapes=((None, SIZE, SIZE, 3), (None, 1)), output_dtypes=(tf.float32, tf.int32))
    history = network(classes).fit(dataset, epochs=epochs, verbose=0).history
    for epoch, (loss, right) in enumerate(zip(history["loss"], history["accuracy"]), 1):
        print(f"epoch {epoch}: loss {loss:.3f}, {right:.0%} right")


if __name__ == "__main__":
    main()
