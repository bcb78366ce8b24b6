"""What sessions deliver: epochs, shards, resuming, broken samples, replay, and operators that the parity cases leave out.

The pictures are those of `tests/parity/decode`, so that no encoder has a part in what is hashed.
"""

from __future__ import annotations

import json
import pathlib
import shutil
import struct
import zipfile
from typing import Any, Callable, Iterator

import numpy as np
import reader_cases

import forebay
from forebay import SampleError, fn, pipeline_def, types

PICTURES = pathlib.Path(__file__).parents[1] / "parity" / "decode"
CASES: dict[str, Callable[[pathlib.Path, int], Any]] = {}


def make_data(root: pathlib.Path) -> None:
    """21 pictures in three folders, the same with broken ones among them, and the data set of `reader_cases`."""
    pictures = sorted([*PICTURES.glob("s4*_45x67_*.jpg"), *PICTURES.glob("exif*_420.jpg"), PICTURES / "rgb8.png",
                       PICTURES / "palette8.png", PICTURES / "grey.jpg"])
    for number, picture in enumerate(pictures):
        for name in ("pictures", "broken"):
            folder = root / name / f"class{number % 3}"
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(picture, folder / f"{number:02}{picture.suffix}")
    for number, content in ((3, pictures[3].read_bytes()[:150]), (8, b""), (12, b"no picture at all" * 10)):
        next((root / "broken").glob(f"*/{number:02}.*")).write_bytes(content)
    reader_cases.make_data(root / "readers")


def case(function: Callable[[pathlib.Path, int], Any]) -> Callable[[pathlib.Path, int], Any]:
    CASES[function.__name__.replace("_", " ")] = function
    return function


def delivered(pipe: Any, batches: int) -> Iterator[Any]:
    """Of each sample of the next batches: who it is and its outputs; of a batch that is not there: the error."""
    for _ in range(batches):
        try:
            outputs = pipe.run()
        except StopIteration:
            yield "end"
            continue
        except SampleError as error:
            yield "error", error.position, error.epoch
            continue
        for place, who in enumerate(pipe.delivered()):
            arrays = [np.asarray(output.at(place)) for output in outputs]
            yield who["epoch"], who["position"], who["is_replacement"], [output.layout() for output in outputs], arrays


@pipeline_def(batch_size=4, seed=7)
def augmented(root: pathlib.Path, folder: str = "pictures", **reader: Any) -> Any:
    jpegs, labels = fn.readers.file(file_root=str(root / folder), name="reader", **reader)
    images = fn.decoders.image_random_crop(jpegs)
    images = fn.resize(images, size=(24, 20))
    images = fn.crop_mirror_normalize(images, mirror=fn.random.coin_flip(), mean=[100.0], std=[50.0])
    return images, labels


@pipeline_def(batch_size=4, seed=3)
def decoded(root: pathlib.Path, folder: str = "pictures", **reader: Any) -> Any:
    jpegs, labels = fn.readers.file(file_root=str(root / folder), name="reader", **reader)
    return fn.resize(fn.decoders.image(jpegs), size=(16, 16)), labels


@case
def epochs_in_order(root: pathlib.Path, threads: int) -> Any:
    return delivered(augmented(root, num_threads=threads), 13)


@case
def epochs_shuffled(root: pathlib.Path, threads: int) -> Any:
    return delivered(augmented(root, random_shuffle=True, num_threads=threads), 13)


@case
def epochs_shuffled_far_ahead(root: pathlib.Path, threads: int) -> Any:
    pipe = augmented(root, random_shuffle=True, num_threads=threads, batch_size=5, prefetch_queue_depth=3)
    return delivered(pipe, 11)


@case
def epochs_without_fusion(root: pathlib.Path, threads: int) -> Any:
    return delivered(augmented(root, random_shuffle=True, num_threads=threads, fuse=False), 7)


@case
def shuffled_anew_after_each_epoch(root: pathlib.Path, threads: int) -> Any:
    return delivered(augmented(root, shuffle_after_epoch=True, num_threads=threads), 13)


@case
def a_padded_epoch(root: pathlib.Path, threads: int) -> Any:
    return delivered(decoded(root, pad_last_batch=True, num_threads=threads, batch_size=8), 7)


@case
def shards(root: pathlib.Path, threads: int) -> Any:
    for stick in (False, True):
        for rank in range(3):
            pipe = augmented(root, random_shuffle=True, num_shards=3, shard_id=rank, stick_to_shard=stick,
                             num_threads=threads)
            yield from delivered(pipe, 5)


@case
def resumed(root: pathlib.Path, threads: int) -> Any:
    for batches in (0, 1, 4, 6):
        first = augmented(root, random_shuffle=True, num_threads=threads)
        for _ in range(batches):
            first.run()
        other = augmented(root, random_shuffle=True, num_threads=threads)
        other.load_state_dict(first.state_dict())
        yield from delivered(other, 4)


@case
def replayed(root: pathlib.Path, threads: int) -> Any:
    pipe = augmented(root, random_shuffle=True, num_threads=threads)
    for epoch in range(2):
        for position in (0, 7, 20):
            yield [np.asarray(output) for output in pipe.replay(position, epoch)]


def _broken(policy: str) -> None:
    def run(root: pathlib.Path, threads: int) -> Any:
        for make in (augmented, decoded):
            pipe = make(root, "broken", num_threads=threads, on_error=policy)
            yield from delivered(pipe, 8)
            yield sorted((error["epoch"], error["position"], error["action"]) for error in pipe.errors())

    CASES[f"broken samples: {policy}"] = run


for _policy in ("raise", "skip", "replace"):
    _broken(_policy)


@pipeline_def(batch_size=6, seed=11)
def drawn() -> Any:
    numbers = fn.external_source(lambda info: np.int32(info.idx_in_epoch), batch=False)
    weights = np.float32([0.2, 0.3, 0.5])
    return (
        fn.random.coin_flip(), fn.random.coin_flip(probability=0.2, shape=[5], dtype=types.FLOAT),
        fn.random.uniform(), fn.random.uniform(range=[-3.0, 4.0], shape=[2, 3]), fn.random.uniform(values=[1.5, 7, 9]),
        fn.random.choice(9), fn.random.choice(3, p=weights, shape=[4]), fn.random.uniform(seed=5), numbers,
        *fn.random_crop_generator(fn.constant(idata=[40, 60, 3]), random_area=[0.2, 0.9]),
    )


@case
def random_numbers(root: pathlib.Path, threads: int) -> Any:
    return delivered(drawn(num_threads=threads), 3)


@case
def random_numbers_close(root: pathlib.Path, threads: int) -> Any:
    @pipeline_def(batch_size=6, seed=11, num_threads=threads)
    def make() -> Any:
        grey = fn.full(np.uint8(100), shape=[5, 4, 3], layout="HWC")
        return (fn.random.normal(), fn.random.normal(mean=3.0, stddev=0.5, shape=[3, 2]),
                fn.random.beta(alpha=0.7, beta=2.0, shape=[3]), fn.noise.gaussian(grey, stddev=9.0), fn.noise.shot(grey))

    return delivered(make(), 3)


@case
def augmented_images_close(root: pathlib.Path, threads: int) -> Any:
    amounts = [0.0, 1.3, 0.6, 1.5, 0.1, 1.7, 4.0, 130.0, 0.0, 0.0, 0.0, 0.0, 0.8, 0.1, -0.1, 1.0, -2.0, 15.0]

    @pipeline_def(batch_size=6, seed=11, num_threads=threads)
    def make() -> Any:
        slope = fn.full(np.arange(0, 240, 2, dtype=np.uint8).reshape(8, 5, 3), shape=[8, 5, 3], layout="HWC")
        order = fn.random.uniform(range=[0.0, 1.0], shape=[len(amounts)])
        each = [fn.experimental.augment(slope, operations=[i], amounts=[amount]) for i, amount in enumerate(amounts)]
        return fn.experimental.augment(slope, operations=[*range(18)], amounts=amounts, order=order), *each

    return delivered(make(), 2)


@case
def random_jitter(root: pathlib.Path, threads: int) -> Any:
    @pipeline_def(batch_size=6, seed=11, num_threads=threads)
    def make() -> Any:
        slope = fn.full(np.arange(60, dtype=np.uint8).reshape(5, 4, 3), shape=[5, 4, 3], layout="HWC")
        return fn.jitter(slope, nDegree=4), fn.jitter(fn.stack(slope, slope, axis_name="F"))

    return delivered(make(), 3)


@case
def random_orders_and_places(root: pathlib.Path, threads: int) -> Any:
    @pipeline_def(batch_size=6, seed=11, num_threads=threads)
    def make() -> Any:
        grey = fn.full(np.uint8(100), shape=[5, 4, 3], layout="HWC")
        return (fn.batch_permutation(), fn.batch_permutation(allow_repetitions=True, no_fixed_points=True),
                fn.roi_random_crop(grey, crop_shape=[4, 2], roi_start=[1, 1], roi_end=[3, 4]),
                fn.noise.salt_and_pepper(grey, prob=0.4), fn.noise.salt_and_pepper(grey, per_channel=True))

    return delivered(make(), 3)


@case
def random_boxes_and_masks(root: pathlib.Path, threads: int) -> Any:
    @pipeline_def(batch_size=6, seed=11, num_threads=threads)
    def make() -> Any:
        boxes = fn.constant(fdata=[0.1, 0.2, 0.5, 0.6, 0.4, 0.3, 0.9, 0.8], shape=[2, 4])
        labels = fn.constant(idata=[3, 4], shape=[2])
        mask = fn.constant(idata=[0, 1, 1, 0, 2, 2, 0, 0, 0, 1, 0, 2], shape=[3, 4])
        image = fn.full(np.uint8(100), shape=[20, 30, 3], layout="HWC")
        return (*fn.random_bbox_crop(boxes, labels, scaling=[0.3, 1.0], aspect_ratio=[0.5, 2.0], thresholds=[0.0, 0.2],
                                     num_attempts=20, output_bbox_indices=True),
                *fn.random_bbox_crop(boxes, crop_shape=[9, 8], input_shape=[20, 30], all_boxes_above_threshold=False),
                *fn.ssd_random_crop(image, boxes, labels, num_attempts=20),
                fn.segmentation.random_mask_pixel(mask, foreground=1),
                *fn.segmentation.random_object_bbox(mask, output_class=True, foreground_prob=0.8))

    return delivered(make(), 4)


def speech_manifest(root: pathlib.Path) -> str:
    """Of WAVs of other numbers and lengths, and of parts of one."""
    folder = root / "speech"
    if folder.exists():
        return str(folder / "manifest.json")
    folder.mkdir()
    entries = []
    for number in range(5):
        samples = ((np.arange(400 + 90 * number) * (number + 3)) % 2001 - 1000).astype("<i2").tobytes()
        header = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(samples), b"WAVE", b"fmt ", 16, 1, 1, 8000, 16000, 2,
                             16, b"data", len(samples))
        (folder / f"{number}.wav").write_bytes(header + samples)
        entries.append({"audio_filepath": f"{number}.wav", "text": f"word {number}"})
        entries.append({"audio_filepath": f"{number}.wav", "text": "part", "offset": 0.01, "duration": 0.02})
    (folder / "manifest.json").write_text("\n".join(json.dumps(entry) for entry in entries) + "\n")
    return str(folder / "manifest.json")


@case
def readers_of_objects(root: pathlib.Path, threads: int) -> Any:
    @pipeline_def(batch_size=3, num_threads=threads, seed=9)
    def make() -> Any:
        folder = root / "readers/coco"
        return tuple(fn.readers.coco(file_root=str(folder), annotations_file=str(folder / "annotations.json"),
                                     pixelwise_masks=True, image_ids=True, random_shuffle=True, name="reader"))

    return delivered(make(), 5)


@case
def entries_of_speech(root: pathlib.Path, threads: int) -> Any:
    @pipeline_def(batch_size=3, num_threads=threads, seed=9)
    def make() -> Any:
        return tuple(fn.readers.nemo_asr(manifest_filepaths=[speech_manifest(root)], sample_rate=12000.0, read_idxs=True,
                                         random_shuffle=True, name="reader"))

    return delivered(make(), 4)


@case
def random_windows(root: pathlib.Path, threads: int) -> Any:
    @pipeline_def(batch_size=4, seed=2, num_threads=threads)
    def make() -> Any:
        jpegs, _ = fn.readers.file(file_root=str(root / "pictures"), name="reader", random_shuffle=True)
        whole = fn.decoders.image(jpegs)
        return (fn.random_resized_crop(whole, size=[12, 17], random_area=[0.3, 0.8]), fn.copy(whole),
                fn.get_property(whole, key="layout"), fn.shapes(whole))

    return delivered(make(), 6)


@case
def samples_kept_and_permuted(root: pathlib.Path, threads: int) -> Any:
    @pipeline_def(batch_size=4, seed=2, num_threads=threads)
    def make() -> Any:
        jpegs, labels = fn.readers.file(file_root=str(root / "pictures"), name="reader")
        jpegs = fn.permute_batch(jpegs, indices=[3, 1, 1, 0])
        images = fn.decoders.image_crop(jpegs, crop=(9, 7), crop_pos_x=fn.random.uniform(range=[0.0, 1.0]))
        return fn.keep(images, labels, where=labels != 1)

    return delivered(make(), 6)


@case
def conditionals(root: pathlib.Path, threads: int) -> Any:
    @pipeline_def(batch_size=5, seed=2, num_threads=threads, enable_conditionals=True)
    def make() -> Any:
        jpegs, labels = fn.readers.file(file_root=str(root / "pictures"), name="reader")
        images = fn.resize(fn.decoders.image_slice(jpegs, rel_start=(0.1, 0.2), rel_end=(0.7, 0.9)), size=(11, 13))
        if labels == 1:
            images = fn.flip(images)
        elif fn.random.coin_flip() == 1:
            images = fn.flip(images, vertical=1)
        return images, labels

    return delivered(make(), 6)


@case
def functions_of_python(root: pathlib.Path, threads: int) -> Any:
    @pipeline_def(batch_size=4, num_threads=threads, seed=9)
    def make() -> Any:
        numbers = fn.external_source(lambda i: [np.full((2, 3), 10 * i + k, np.int32) for k in range(4)])
        return fn.python_function(numbers, function=lambda array: array * 2 + 1), numbers[1]

    return delivered(make(), 4)


@case
def readers_of_shards(root: pathlib.Path, threads: int) -> Any:
    @pipeline_def(batch_size=3, num_threads=threads, seed=9)
    def make() -> Any:
        paths = [str(root / "readers" / f"{shard}.tar") for shard in range(2)]
        return tuple(fn.readers.webdataset(paths=paths, ext=["jpg", "seg.png"], random_shuffle=True, name="reader"))

    return delivered(make(), 7)


@case
def readers_of_records(root: pathlib.Path, threads: int) -> Any:
    @pipeline_def(batch_size=3, num_threads=threads, seed=9)
    def make() -> Any:
        record = fn.readers.tfrecord(
            path=str(root / "readers/data.tfrecord"), index_path=str(root / "readers/data.idx"), random_shuffle=True,
            name="reader", features={"label": forebay.tfrecord.FixedLenFeature([1], forebay.tfrecord.int64, -1)})
        return record["label"]

    return delivered(make(), 5)


@case
def readers_of_arrays_and_pictures(root: pathlib.Path, threads: int) -> Any:
    image = root / "image.fits"
    cards = ("SIMPLE  = T", "BITPIX  = 16", "NAXIS   = 2", "NAXIS1  = 3", "NAXIS2  = 2", "BZERO   = 32768", "END")
    header = "".join(card.ljust(80) for card in cards).ljust(2880).encode()
    image.write_bytes(header + bytes(range(12)).ljust(2880, b"\0"))
    data = root / "readers"

    @pipeline_def(batch_size=3, num_threads=threads, seed=9, unequal_readers="warn")
    def make() -> Any:
        shuffled = {"random_shuffle": True, "pad_last_batch": True}
        return (
            fn.readers.numpy(file_root=str(data / "arrays"), roi_start=[1], roi_axes=[0], **shuffled),
            *fn.readers.mxnet(path=str(data / "a.rec"), **shuffled),
            *fn.readers.caffe(path=str(data / "caffe"), **shuffled),
            *fn.readers.caffe2(path=str(data / "more"), additional_inputs=2, bbox=True),
            fn.readers.sequence(file_root=str(data / "videos"), sequence_length=2, **shuffled),
            fn.experimental.readers.fits(files=[str(image)], hdu_indices=[1]),
        )

    return delivered(make(), 4)


@case
def readers_of_columns(root: pathlib.Path, threads: int) -> Any:
    for archive in ("parquet", "mds"):
        with zipfile.ZipFile(PICTURES.parent / f"{archive}.zip") as files:
            files.extractall(root / archive)

    @pipeline_def(batch_size=3, num_threads=threads, seed=9, unequal_readers="warn")
    def make() -> Any:
        shuffled = {"random_shuffle": True, "pad_last_batch": True}
        return (
            *fn.readers.parquet(path=str(root / "parquet" / "lists.parquet"), columns=["ragged", "pair"], **shuffled),
            *fn.readers.mds(path=str(root / "mds" / "gz_6"), columns=["bytes", "int", "float32", "str"], **shuffled),
        )

    return delivered(make(), 4)


@case
def files_and_their_bytes(root: pathlib.Path, threads: int) -> Any:
    data = root / "readers"
    paths = [np.frombuffer(str(data / name).encode(), np.uint8) for name in ("plane_C.npy", "plane_F.npy")]
    block = np.frombuffer(bytes([0xC0, *range(12)]), np.uint8)  # an LZ4 block of twelve bytes as they are

    @pipeline_def(batch_size=2, num_threads=threads, seed=9)
    def make() -> Any:
        files = fn.io.file.read(fn.external_source(lambda: paths))
        frames = fn.decoders.inflate(fn.external_source(lambda: [block, block]), shape=[2, 2, 3], layout="HWC")
        return fn.decoders.numpy(files), fn.dump_image(frames, folder=str(root), suffix="guard")

    return delivered(make(), 2)


@case
def altered_sound(root: pathlib.Path, threads: int) -> Any:
    @pipeline_def(batch_size=3, seed=11, num_threads=threads)
    def make() -> Any:
        sound = fn.random.uniform(range=[-1.0, 1.0], shape=[900])
        spectrum = fn.spectrogram(sound, window_length=64, window_step=16)
        return (fn.time_stretch(sound, rate=fn.random.uniform(range=[0.7, 1.4]), nfft=128),
                fn.spec_augment(spectrum, freq_mask_param=8, time_mask_param=9),
                fn.spec_augment(spectrum, n_time_masks=4, time_mask_param=20, p=0.2, mask_value=0.0))

    return delivered(make(), 3)


@case
def altered_sound_close(root: pathlib.Path, threads: int) -> Any:
    @pipeline_def(batch_size=3, seed=11, num_threads=threads)
    def make() -> Any:
        sound = fn.random.uniform(range=[-1.0, 1.0], shape=[900])
        other = fn.random.uniform(range=[-1.0, 1.0], shape=[300])
        return (fn.add_noise(sound, snr=fn.random.uniform(range=[0.0, 20.0])), fn.add_noise(sound, other, snr=6.0),
                fn.pitch_shift(sound, n_steps=fn.random.uniform(range=[-4.0, 4.0]), nfft=128))

    return delivered(make(), 3)
