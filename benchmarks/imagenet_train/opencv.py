"""OpenCV and NumPy in a pool of threads. INTER_AREA where the window shrinks: OpenCV has no antialiased linear."""

import concurrent.futures
import random

import contender
import cv2
import numpy

ENVIRONMENT = "torch"
MEAN = numpy.array(contender.MEAN, numpy.float32)
SCALE = 1 / numpy.array(contender.STD, numpy.float32)


def random_window(height, width):
    """As torchvision's RandomResizedCrop draws it."""
    for _ in range(10):
        area = height * width * random.uniform(0.08, 1)
        ratio = numpy.exp(random.uniform(numpy.log(3 / 4), numpy.log(4 / 3)))
        w, h = round((area * ratio) ** 0.5), round((area / ratio) ** 0.5)
        if w <= width and h <= height:
            return random.randint(0, height - h), random.randint(0, width - w), h, w
    side = min(height, width)
    return (height - side) // 2, (width - side) // 2, side, side


def load(work, path, slot):
    image = cv2.imdecode(numpy.fromfile(path, numpy.uint8), cv2.IMREAD_COLOR_RGB)
    top, left, height, width = (contender.window if work.checked else random_window)(*image.shape[:2])
    shrinks = height * width > contender.SIZE**2
    image = cv2.resize(image[top : top + height, left : left + width], (contender.SIZE, contender.SIZE),
                       interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    if not work.checked and random.random() < 0.5:
        image = cv2.flip(image, 1)
    slot[:] = ((image - MEAN) * SCALE).transpose(2, 0, 1)


def open_loader(work):
    cv2.setNumThreads(1)
    pool = concurrent.futures.ThreadPoolExecutor(work.threads)

    def epoch():
        files = work.files if work.checked else random.sample(work.files, len(work.files))
        for first in range(0, len(files) - work.batch_size + 1, work.batch_size):
            batch = numpy.empty((work.batch_size, 3, contender.SIZE, contender.SIZE), numpy.float32)
            list(pool.map(load, [work] * work.batch_size, files[first : first + work.batch_size], batch))
            yield batch

    return epoch


if __name__ == "__main__":
    contender.loader(open_loader, lambda: {"opencv": cv2.__version__, "numpy": numpy.__version__})
