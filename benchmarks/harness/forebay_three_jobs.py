"""The jobs of the contenders of `outage/` that are Forebay; in the environment of their peers, for its PyTorch."""

import fsspec
import own_package
import three_jobs
from training_job import SIZE

own_package.make_importable()

import forebay.filesystem  # noqa: E402, F401
from forebay import fn, pipeline_def  # noqa: E402


def four_workers(row, rank):
    """Forked after their parent has read."""
    import counted_objects

    files = fsspec.filesystem("forebay")
    assert len(files.find(row["root"])) == row["samples"]
    return counted_objects.batches_of(row["keys"], lambda: lambda key: files.cat_file(f"s3://{row['bucket']}/{key}"))


def resized(jpegs):
    return fn.resize(fn.decoders.image_random_crop(jpegs), size=(SIZE, SIZE), antialias=True)


@pipeline_def
def from_files(root, rank, ranks):
    jpegs, labels = fn.readers.file(file_root=root, random_shuffle=True, shard_id=rank, num_shards=ranks, name="reader")
    return resized(jpegs), labels


@pipeline_def
def from_tars(paths):
    jpegs, numbers = fn.readers.webdataset(paths=paths, ext=["jpg", "cls"], random_shuffle=True, name="reader")
    return resized(jpegs), numbers


def batches_of(pipe, number_of):
    pipe.build()
    while True:
        _, numbers = pipe.run()
        yield [number_of(numbers.at(place)) for place in range(len(numbers))]


def ranks(row, rank):
    pipe = from_files(row["root"], rank, row["processes"], batch_size=three_jobs.BATCH_SIZE, num_threads=1,
                      device_id=None, seed=1)
    return batches_of(pipe, lambda label: int(label[0]))


def tars(row, rank):
    pipe = from_tars([f"s3://{row['bucket']}/{key}" for key in row["tars"]], batch_size=three_jobs.BATCH_SIZE,
                     num_threads=2, device_id=None, seed=1)
    return batches_of(pipe, lambda text: int(bytes(text)))


STREAMS = {"workers": four_workers, "ranks": ranks, "tars": tars}
