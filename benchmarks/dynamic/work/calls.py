"""What both contenders do, with the dynamic mode of one library."""

import pathlib

import numpy

import contender

BATCH = 64


def call(ndd, row):
    shape = (2, 2, 3)
    size = row["size"]
    data = numpy.ones((size, *shape) if size else shape, numpy.uint8)
    x = ndd.batch(data, layout="HWC") if size else ndd.tensor(data, layout="HWC")
    calls = {"add": lambda: x + 1, "cast": lambda: ndd.cast(x, dtype=ndd.float32), "flip": lambda: ndd.flip(x)}
    last = []

    def enqueue():
        last[:] = [calls[row["op"]]()]

    return enqueue, lambda: last[0].evaluate(), lambda seconds, _: {"call_ns": seconds * 1e9}


def look(ndd, _):
    one, two = ndd.tensor(1), ndd.tensor(2)
    return (lambda: (one + two).item()), (lambda: None), lambda seconds, _: {"call_ns": seconds * 1e9}


def pictures(ndd, row):
    ndd.set_num_threads(row["threads"])
    paths = contender.list_files(row["folder"])[:BATCH]
    files = ndd.batch([numpy.frombuffer(pathlib.Path(path).read_bytes(), numpy.uint8) for path in paths])

    def prepare():
        images = ndd.resize(ndd.decoders.image(files, device="cpu"), size=(224, 224))
        ndd.crop_mirror_normalize(images, mean=[128.0], std=[64.0], dtype=ndd.float32).evaluate()

    return prepare, (lambda: None), lambda seconds, cpu: {
        "images_per_second": BATCH / seconds, "images_per_cpu_second": BATCH / cpu}


def measure(ndd, versions):
    kinds = {"call": call, "look": look, "pictures": pictures}
    contender.repeated(lambda row: kinds[row["kind"]](ndd, row), versions)
