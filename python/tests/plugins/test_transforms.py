"""Transforms of single images: forms, draws, pickling, errors. Other tests compare them with torchvision, and with
whole loaders."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from PIL import Image

from forebay import transforms as T
from forebay.transforms import functional as F


def picture(height: int = 40, width: int = 50, channels: int = 3) -> Image.Image:
    rng = np.random.default_rng(height * width)
    coarse = rng.integers(0, 256, (5, 6, channels), np.uint8)
    image = Image.fromarray(coarse if channels > 1 else coarse[..., 0])
    return image.resize((width, height), Image.Resampling.BICUBIC)


def file_of(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def pixels(image: Any) -> np.ndarray:
    return np.asarray(image)


EVERYTHING = [
    T.Resize(30), T.Resize((20, 25)), T.Resize(None, max_size=30), T.Resize(30, max_size=35),
    T.CenterCrop(20), T.CenterCrop(60),
    T.RandomCrop(20), T.RandomCrop(60, pad_if_needed=True), T.RandomCrop(44, padding=4), T.RandomResizedCrop(16),
    T.RandomHorizontalFlip(), T.RandomVerticalFlip(), T.Pad(3),
    T.Pad([1, 2, 3, 4], padding_mode="reflect"), T.Grayscale(),
    T.Grayscale(3), T.RGB(), T.ColorJitter(0.5, 0.5, 0.5, 0.3), T.RandomGrayscale(0.5), T.GaussianBlur(5),
    T.GaussianNoise(), T.RandomRotation(30), T.RandomRotation(30, expand=True), T.RandomRotation(30, fill=(1, 2, 3)),
    T.RandomAffine(30, (0.1, 0.2), (0.5, 2), 10),
    T.RandomPerspective(p=1.0), T.ElasticTransform(), T.RandomErasing(p=1.0),
    T.RandomInvert(), T.RandomPosterize(3), T.RandomSolarize(100), T.RandomAdjustSharpness(2), T.RandomAutocontrast(),
    T.RandomEqualize(), T.AutoAugment(), T.AutoAugment("cifar10"),
    T.AutoAugment(T.AutoAugmentPolicy.SVHN), T.RandAugment(),
    T.TrivialAugmentWide(), T.AugMix(), T.RandomApply([T.RandomRotation(20), T.CenterCrop(30)]),
    T.RandomChoice([T.RandomInvert(1.0), T.Resize(20)]), T.RandomOrder([T.RandomInvert(1.0), T.RandomRotation(20)]),
    T.Lambda(lambda image: image.rotate(90, expand=True)), T.ScaleJitter((40, 40)), T.RandomShortestSize([20, 30], 35),
    T.RandomResize(20, 30), T.RandomZoomOut(p=1.0), T.Identity(), T.ToPILImage(), T.ToPureTensor(),
]


@pytest.mark.parametrize("transform", EVERYTHING, ids=lambda transform: repr(transform).split(" at 0x")[0][:50])
def test_each_gives_the_same_bits_for_the_same_sample(transform: T.Transform) -> None:
    compose = T.Compose([transform], seed=5)
    results = [pixels(compose(picture(), index=index, epoch=1)) for index in range(6)]
    again = T.Compose([transform], seed=5)
    for index in reversed(range(6)):
        np.testing.assert_array_equal(pixels(again(picture(), index=index, epoch=1)), results[index])
    assert all(result.dtype == np.uint8 and result.size for result in results)


@pytest.mark.parametrize("transform", EVERYTHING, ids=lambda transform: repr(transform).split(" at 0x")[0][:50])
def test_files_and_images_give_the_same(transform: T.Transform) -> None:
    compose = T.Compose([transform], seed=2)
    image = picture()
    for index in range(3):
        of_file = compose(file_of(image), index=index)
        of_image = compose(image, index=index)
        assert isinstance(of_file, Image.Image)
        np.testing.assert_array_equal(pixels(of_file), pixels(of_image))


def test_random_transforms_differ_from_sample_to_sample_and_from_epoch_to_epoch() -> None:
    compose = T.Compose([T.RandomResizedCrop(16), T.ColorJitter(0.5, 0.5, 0.5, 0.2)], seed=1)
    image = picture()
    results = {pixels(compose(image, index=index, epoch=epoch)).tobytes() for index in range(10) for epoch in range(3)}
    assert len(results) == 30
    other = T.Compose([T.RandomResizedCrop(16), T.ColorJitter(0.5, 0.5, 0.5, 0.2)], seed=2)
    assert pixels(other(image, index=0)).tobytes() not in results


def test_images_without_an_index_count() -> None:
    image = picture()
    counted = T.Compose([T.RandomRotation(50)], seed=1)
    results = [pixels(counted(image)) for _ in range(4)]
    told = T.Compose([T.RandomRotation(50)], seed=1)
    for index, result in enumerate(results):
        np.testing.assert_array_equal(result, pixels(told(image, index=index)))


def test_a_transform_of_its_own_and_in_a_nested_compose() -> None:
    image = picture()
    np.testing.assert_array_equal(pixels(T.CenterCrop(10)(image)), pixels(image.crop((20, 15, 30, 25))))
    nested = T.Compose([T.Compose([T.CenterCrop(20)]), T.Compose([T.RandomHorizontalFlip(1.0)])])
    np.testing.assert_array_equal(pixels(nested(image)), pixels(image.crop((15, 10, 35, 30)))[:, ::-1])


def test_forms() -> None:
    image = picture()
    array = pixels(image)
    compose = T.Compose([T.CenterCrop(10)])
    assert isinstance(compose(image), Image.Image)
    assert isinstance(compose(array), np.ndarray) and compose(array).shape == (10, 10, 3)
    grey = picture(channels=1)
    assert compose(grey).mode == "L"
    assert compose(pixels(grey)).shape == (10, 10, 1)
    assert T.Compose([T.Grayscale()])(image).mode == "L"
    assert compose(image.convert("RGBA")).mode == "RGBA"
    assert compose((array / 255).astype(np.float32)).dtype == np.float32
    assert isinstance(compose(bytearray(file_of(image))), Image.Image)


def test_several_pictures() -> None:
    image = picture()
    five = T.Compose([T.FiveCrop(10), T.RandomHorizontalFlip(1.0)])(image)
    boxes = [(0, 0), (40, 0), (0, 30), (40, 30), (20, 15)]
    assert len(five) == 5
    for crop, (left, top) in zip(five, boxes):
        np.testing.assert_array_equal(pixels(crop), pixels(image.crop((left, top, left + 10, top + 10)))[:, ::-1])
    assert len(T.TenCrop((5, 6))(image)) == 10


def test_random_containers_choose() -> None:
    image = picture()
    plain, inverted = pixels(image), 255 - pixels(image)

    def shares(transform: T.Transform) -> float:
        compose = T.Compose([transform], seed=4)
        results = [pixels(compose(image, index=index)) for index in range(200)]
        is_inverted = [np.array_equal(result, inverted) for result in results]
        assert all(one or np.array_equal(result, plain) for one, result in zip(is_inverted, results))
        return float(np.mean(is_inverted))

    assert 0.2 < shares(T.RandomApply([T.RandomInvert(1.0)], p=0.3)) < 0.4
    assert 0.6 < shares(T.RandomChoice([T.RandomInvert(1.0), T.Identity()], p=[7, 3])) < 0.8
    assert shares(T.RandomOrder([T.RandomInvert(1.0), T.RandomInvert(1.0)])) == 0
    # inverted before posterizing or after it
    compose = T.Compose([T.RandomOrder([T.RandomInvert(1.0), T.RandomSolarize(50, 1.0)])], seed=1)
    kinds = {pixels(compose(image, index=index)).tobytes() for index in range(30)}
    assert len(kinds) == 2


def test_flips_that_follow_each_other_are_all_done() -> None:
    image = picture()
    twice = T.Compose([T.RandomHorizontalFlip(1.0), T.RandomHorizontalFlip(1.0)])
    np.testing.assert_array_equal(pixels(twice(image)), pixels(image))
    cropped = T.Compose([T.RandomHorizontalFlip(1.0), T.Pad(-5)])
    np.testing.assert_array_equal(pixels(cropped(image)), pixels(image)[5:-5, 5:-5][:, ::-1])


def test_a_lambda_gets_the_form_and_must_leave_the_kind() -> None:
    seen: list[Any] = []
    T.Compose([T.Lambda(lambda image: seen.append(image) or image)])(picture())
    assert isinstance(seen[0], Image.Image)
    with pytest.raises(Exception, match="must leave what an image is"):
        T.Compose([T.Lambda(lambda image: image.convert("L"))])(picture())


def test_pickled_transforms_are_the_same() -> None:
    image = picture()
    compose = T.Compose([T.RandomResizedCrop(20), T.RandAugment()])
    first = pixels(compose(image, index=3))
    again = pickle.loads(pickle.dumps(compose))
    assert again.seed == compose.seed
    np.testing.assert_array_equal(pixels(again(image, index=3)), first)


def test_after_fork() -> None:
    image = picture()
    compose = T.Compose([T.RandomResizedCrop(20)], seed=3)
    expected = pixels(compose(image, index=7))
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(pixels(compose(image, index=7)), expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_from_many_threads() -> None:
    images = [picture(30 + i, 40) for i in range(8)]
    compose = T.Compose([T.RandomResizedCrop(20), T.ColorJitter(0.5)], seed=3)
    expected = [pixels(T.Compose(compose.transforms, seed=3)(image, index=i)) for i, image in enumerate(images)]
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda i: pixels(compose(images[i], index=i)), range(8)))
    for result, wanted in zip(results, expected):
        np.testing.assert_array_equal(result, wanted)


def test_names_that_are_not_there() -> None:
    with pytest.raises(AttributeError, match="did you mean 'RandomResizedCrop'"):
        T.RandomResizeCrop  # noqa: B018
    with pytest.raises(AttributeError, match="ssd_random_crop"):
        T.RandomIoUCrop  # noqa: B018
    with pytest.raises(AttributeError, match="did you mean 'center_crop'"):
        F.centre_crop  # noqa: B018
    for name in T.__all__:
        assert getattr(T, name) is not None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: T.Resize((1, 2, 3)), "height and width"),
        (lambda: T.Resize(10, interpolation="box"), "bicubic"),
        (lambda: T.RandomRotation(10, interpolation="bicubic"), "bilinear"),
        (lambda: T.RandomHorizontalFlip(1.5), "probability"),
        (lambda: T.Pad(1, padding_mode="wrap"), "symmetric"),
        (lambda: T.ColorJitter(hue=0.7), "-0.5 and 0.5"),
        (lambda: T.GaussianBlur(4), "odd"),
        (lambda: T.Normalize([0.5], [0.0]), "no std"),
        (lambda: T.RandAugment(magnitude=31), "bin"),
        (lambda: T.RandomChoice([T.Identity()], p=[1, 2]), "weight"),
        (lambda: T.Compose([]), "at least one"),
        (lambda: T.RandomErasing(value="noise"), "random"),
    ],
)
def test_arguments_that_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_what_transforms_refuse() -> None:
    image = picture()
    with pytest.raises(TypeError, match="Lambda"):
        T.Compose([lambda x: x])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="one image"):
        T.CenterCrop(3)((image, 1))
    with pytest.raises(TypeError, match="mode P"):
        T.CenterCrop(3)(image.convert("P"))
    with pytest.raises(TypeError, match="int64"):
        T.CenterCrop(3)(np.zeros((4, 4, 3), np.int64))
    with pytest.raises(ValueError, match="shape"):
        T.CenterCrop(3)(np.zeros((2, 4, 4, 3), np.uint8))
    with pytest.raises(TypeError, match="ToTensor"):
        T.Normalize([0.5], [0.5])(image)
    with pytest.raises(ValueError, match="2 numbers for 3 channels"):
        T.Normalize([0.5, 0.5], [1.0])((pixels(image) / 255).astype(np.float32))
    with pytest.raises(ValueError, match="1 or 3 channels"):
        T.ColorJitter(0.5)(image.convert("RGBA"))
    with pytest.raises(Exception, match="not an image of a known format"):
        T.CenterCrop(3)(b"no image")
    with pytest.raises(Exception, match="slice"):
        T.RandomCrop(100)(image)
    with pytest.raises(TypeError, match="index"):
        T.CenterCrop(3)(image, epoch=1)
    with pytest.raises(ValueError, match="key -1"):
        T.CenterCrop(3)(image, index=-1)


def test_functional_takes_other_numbers_without_another_graph() -> None:
    image = picture()
    before = len(F._kept)
    for factor in (0.5, 1.0, 1.7):
        expected = np.clip(pixels(image).astype(np.float32) * np.float32(factor), 0, 255).astype(np.uint8)
        np.testing.assert_array_equal(pixels(F.adjust_brightness(image, factor)), expected)
    assert len(F._kept) == before + 1
    assert F.get_dimensions(image) == [3, 40, 50]
    assert F.get_size(image) == [40, 50] and F.get_image_size(image) == [50, 40]


def test_a_transform_of_ones_own() -> None:
    class Corner(T.Transform):
        def draw(self, draws: Any, picture: Any) -> Any:
            return draws.below("row", 3)

        def apply(self, picture: Any, drawn: Any) -> Any:
            return picture.window(drawn, 0, 10, 10)

    image = picture()
    compose = T.Compose([Corner()], seed=1)
    wanted = {pixels(image.crop((0, row, 10, row + 10))).tobytes() for row in range(3)}
    assert {pixels(compose(image, index=index)).tobytes() for index in range(40)} == wanted


def test_under_dalis_name() -> None:
    code = """
from nvidia.dali.experimental.torchvision import CenterCrop, Compose
import nvidia.dali.experimental.torchvision.v2.functional as F
from PIL import Image
image = Compose([CenterCrop(2, device="cpu")])(Image.new("RGB", (5, 5)))
assert image.size == (2, 2) and F.center_crop(image, 1).size == (1, 1)
try:
    CenterCrop(2, device="gpu")
except NotImplementedError as error:
    print(error)
"""
    run = subprocess.run(
        [sys.executable, "-c", f"import forebay.compat; forebay.compat.install()\n{code}"], capture_output=True, text=True,
        timeout=300, check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "run on the CPU" in run.stdout
