"""Cases of the operators that the other tables leave out, for dynamic mode beside pipelines: those that draw, and those
that read or write files. Both libraries draw otherwise, so DALI does not run them."""

from __future__ import annotations

import io
import struct
import tempfile

import numpy as np

import image_cases
from operator_cases import RGB, Case

CASES: list[Case] = []
_DUMPED = tempfile.TemporaryDirectory(prefix="forebay-dumped-")


def case(op, inputs=(), /, *, name="", layouts=(), tensors=None, output=0, **args):
    batches = [batch if isinstance(batch, list) else [batch] for batch in inputs]
    CASES.append(Case(name or op, op, batches, args, list(layouts), tensors or {}, "exact", {}, output))


def _sound() -> None:
    """Beyond DALI."""
    sound = np.sin(np.arange(2000) / 7).astype(np.float32)
    case("add_noise", [sound], snr=6.0)
    case("spec_augment", [np.ones((20, 30), np.float32)], freq_mask_param=8, time_mask_param=9)
    case("time_stretch", [sound], rate=1.375)
    case("pitch_shift", [sound], n_steps=3.0)


def _drawn() -> None:
    case("random.uniform", shape=[5], range=[2.0, 3.0])
    case("random.uniform", [], name="uniform by tensor", tensors={"shape": [np.int32([3]), np.int32([7])]})
    case("random.normal", shape=[5], mean=2.0, stddev=0.5)
    case("random.coin_flip", shape=[9], probability=0.3)
    case("random.beta", shape=[5], alpha=0.5, beta=2.0)
    case("random.choice", [np.int32([3, 1, 4, 1, 5])], shape=[6])
    case("noise.gaussian", [[RGB, RGB]], layouts=["HWC"], stddev=9.0)
    case("noise.shot", [RGB], layouts=["HWC"], factor=20.0)
    case("noise.salt_and_pepper", [RGB], layouts=["HWC"], prob=0.2)
    case("jitter", [RGB], layouts=["HWC"])
    case("random_resized_crop", [[RGB, RGB, RGB]], layouts=["HWC"], size=[8, 9])
    for output in (0, 1):
        case("random_crop_generator", [np.int64([40, 60, 3])], name=f"random_crop_generator {output}", output=output)
    case("roi_random_crop", crop_shape=[4, 4], roi_start=[2, 3], roi_shape=[6, 5], in_shape=[20, 30])
    boxes, labels = np.float32([[0.1, 0.1, 0.5, 0.6], [0.3, 0.2, 0.9, 0.9]]), np.int32([1, 2])
    for output in (0, 1, 2):
        case("ssd_random_crop", [RGB, boxes, labels], name=f"ssd_random_crop {output}", output=output, num_attempts=3)
    case("batch_permutation")
    case("experimental.augment", [[RGB, RGB]], layouts=["HWC"], operations=[0, 1], amounts=[40.0, 1.3])


def _jpeg() -> np.ndarray:
    of_images = (each.inputs[0][0] for each in image_cases.CASES if each.op == "decoders.image")
    return next(encoded for encoded in of_images if encoded[0] == 0xFF)


def _stored_lz4(content: bytes) -> np.ndarray:
    """A block of LZ4 that is all literals."""
    head = bytes([min(len(content), 15) << 4])
    rest = len(content) - 15
    more = b"" if rest < 0 else b"\xff" * (rest // 255) + struct.pack("B", rest % 255)
    return np.frombuffer(head + more + content, np.uint8)


def _files() -> None:
    case("copy", [RGB], layouts=["HWC"])
    case("get_property", [RGB], layouts=["HWC"], key="layout")
    case("decoders.image_random_crop", [_jpeg()])
    file = io.BytesIO()
    np.save(file, np.arange(6, dtype=np.int16).reshape(2, 3))
    case("decoders.numpy", [np.frombuffer(file.getvalue(), np.uint8)])
    case("decoders.inflate", [_stored_lz4(bytes(range(24)))], shape=[2, 3, 4])
    case("io.file.read", [np.frombuffer(__file__.encode(), np.uint8)])
    case("dump_image", [RGB], layouts=["HWC"], folder=_DUMPED.name)


_sound()
_drawn()
_files()
