"""tf.data with decode_and_crop_jpeg, as TensorFlow's ImageNet recipes have it."""

import contender
import tensorflow as tf

ENVIRONMENT = "tf"


def fixed_window(shape):
    start = tf.cast(contender.WINDOW_START * tf.cast(shape[:2], tf.float32) + 0.5, tf.int32)
    share = contender.WINDOW_START + contender.WINDOW_SHAPE
    end = tf.cast(share * tf.cast(shape[:2], tf.float32) + 0.5, tf.int32)
    return tf.concat([start, end - start], axis=0)


def random_window(shape):
    begin, size, _ = tf.image.sample_distorted_bounding_box(
        shape, tf.zeros([1, 0, 4]), min_object_covered=0.0, aspect_ratio_range=(3 / 4, 4 / 3), area_range=(0.08, 1.0),
        max_attempts=10, use_image_if_no_bounding_boxes=True)
    return tf.concat([begin[:2], size[:2]], axis=0)


def load(path, checked):
    data = tf.io.read_file(path)
    shape = tf.image.extract_jpeg_shape(data)
    box = fixed_window(shape) if checked else random_window(shape)
    image = tf.image.decode_and_crop_jpeg(data, box, channels=3, dct_method="INTEGER_ACCURATE")
    image = tf.image.resize(image, (contender.SIZE, contender.SIZE), antialias=True)
    if not checked:
        image = tf.image.random_flip_left_right(image)
    image = (image - contender.MEAN) / contender.STD
    return tf.transpose(image, (2, 0, 1))


def open_loader(work):
    tf.config.threading.set_intra_op_parallelism_threads(work.threads)
    tf.config.threading.set_inter_op_parallelism_threads(work.threads)
    data = tf.data.Dataset.from_tensor_slices(work.files)
    if not work.checked:
        data = data.shuffle(len(work.files))
    data = data.map(lambda path: load(path, work.checked), num_parallel_calls=work.threads)
    data = data.batch(work.batch_size, drop_remainder=True).prefetch(2)
    options = tf.data.Options()
    options.threading.private_threadpool_size = work.threads
    return lambda: data.with_options(options).as_numpy_iterator()


if __name__ == "__main__":
    contender.loader(open_loader, lambda: {"tensorflow": tf.__version__})
