"""forebay.transforms against torchvision: functions on the same bytes, and random transforms given what was drawn.

Bounds, where results are not equal to the bit: `most` is the largest difference of bytes, `part` how many may differ.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torchvision = pytest.importorskip("torchvision")

from PIL import Image  # noqa: E402
from torchvision.transforms import v2  # noqa: E402
from torchvision.transforms.v2 import functional as V  # noqa: E402

from forebay import Pipeline, fn  # noqa: E402
from forebay import transforms as T  # noqa: E402
from forebay.transforms import functional as F  # noqa: E402
from forebay.transforms.draws import Draws  # noqa: E402
from forebay.transforms.one_by_one import ROOT  # noqa: E402
from forebay.transforms.picture import from_array  # noqa: E402
from forebay.types import DALIInterpType  # noqa: E402

SEED = 21


def photograph(height: int = 97, width: int = 121, channels: int = 3) -> Any:
    """Smooth, with noise and flat parts, as a tensor."""
    rng = np.random.default_rng(height + width)
    coarse = Image.fromarray(rng.integers(0, 256, (6, 7, 3), np.uint8))
    smooth = np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC)).astype(np.int64)
    image = smooth + rng.integers(-9, 10, (height, width, 3))
    image[: height // 4, : width // 4] = (0, 255, 77)
    image[-height // 5 :, -width // 5 :] = 128
    return torch.from_numpy(image.clip(0, 255).astype(np.uint8).transpose(2, 0, 1)[:channels].copy())


IMAGES = [photograph(), photograph(64, 48), photograph(33, 80, 1)]


def compare(ours: Any, theirs: Any, most: int = 0, part: float = 0.0) -> None:
    ours, theirs = (np.asarray(value).astype(np.int64) for value in (ours, theirs))
    assert ours.shape == theirs.shape
    difference = np.abs(ours - theirs)
    assert (difference > 0).mean() <= part, f"{(difference > 0).mean():.4%} differ, by up to {difference.max()}"
    assert most < 0 or difference.max() <= most


Case = tuple[str, Callable[[Any], Any], Callable[[Any], Any], int, float]


def same(name: str, *arguments: Any, most: int = 0, part: float = 0.0, **named: Any) -> Case:
    """A function of both, called alike."""
    shown = ", ".join([*map(str, arguments), *(f"{key}={value}" for key, value in named.items())])
    return (
        f"{name}({shown})",
        lambda image: getattr(F, name)(image, *arguments, **named),
        lambda image: getattr(V, name)(image, *arguments, **named),
        most,
        part,
    )


EXACT = [
    same("crop", 3, 5, 20, 31),
    same("crop", -4, 40, 30, 20),
    same("center_crop", [30, 41]),
    same("center_crop", [120, 60]),
    same("pad", [3]),
    same("pad", [1, 2], fill=9),
    same("pad", [1, 2, 3, 4], padding_mode="edge"),
    same("pad", [5, 6, 7, 8], padding_mode="reflect"),
    same("pad", [5, 6, 7, 8], padding_mode="symmetric"),
    same("horizontal_flip"),
    same("vertical_flip"),
    same("adjust_brightness", 0.6),
    same("adjust_brightness", 1.7),
    same("posterize", 3),
    same("solarize", 100.0),
    same("invert"),
    same("equalize"),
    same("rotate", 180.0),
    same("rotate", 90.0, expand=True),
    same("rotate", -90.0, expand=True),
    same("erase", 3, 4, 10, 20, torch.tensor([[[7.0]]])),
    same("rgb_to_grayscale", part=0.002, most=1),
]

# Sums that torch fuses or orders otherwise may fall on the other side of a whole number.
NEARLY = [
    *(same("adjust_contrast", factor, most=1, part=0.01) for factor in (0.0, 0.5, 1.6)),
    *(same("adjust_saturation", factor, most=1, part=0.03) for factor in (0.0, 0.5, 1.6)),
    *(same("adjust_sharpness", factor, most=1, part=0.01) for factor in (0.0, 0.5, 1.8)),
    *(same("adjust_hue", turn, most=2, part=0.01) for turn in (-0.4, 0.1, 0.5)),
    same("adjust_gamma", 0.7, most=1, part=0.01),
    same("autocontrast", most=1, part=0.001),
    same("gaussian_blur", [5, 3], [1.3, 0.7], most=1, part=0.01),
    same("gaussian_blur", [7, 7], most=1, part=0.01),
    # torch's own filter for bytes has weights of 8 or 15 bits
    same("resize", [40, 50], most=1, part=0.5),
    same("resize", [31], most=1, part=0.5),
    same("resize", [31], max_size=40, most=1, part=0.5),
    same("resize", [150, 200], most=1, part=0.5),
    # Pillow cuts what overshoots between its two passes
    same("resize", [40, 50], interpolation=v2.InterpolationMode.BICUBIC, most=20, part=0.6),
    same("resize", [150, 200], antialias=False, most=1, part=0.5),
    same("resized_crop", 5, 6, 20, 30, [24, 24], most=1, part=0.5),
    # bilinear places are rounded in other places
    same("rotate", 33.0, interpolation=v2.InterpolationMode.BILINEAR, most=1, part=0.05),
    # torchvision weakens the pixels of the border twice
    same("rotate", 33.0, interpolation=v2.InterpolationMode.BILINEAR, fill=[20.0], most=-1, part=0.05),
    same("affine", 20.0, [3, -5], 1.2, [10.0, 3.0], interpolation=v2.InterpolationMode.BILINEAR, most=1, part=0.05),
    # nearest: places on the border between two pixels
    same("rotate", 33.0, most=-1, part=0.01),
    same("rotate", -20.0, fill=[77.0], center=[10, 20], most=-1, part=0.01),
    same("rotate", 33.0, expand=True, most=-1, part=0.01),
    same("affine", 20.0, [3, -5], 1.2, [10.0, 3.0], most=-1, part=0.01),
    same("affine", 0.0, [3, 0], 1.0, [0.0, 0.0], center=[0, 0]),
    same(
        "perspective", [[0, 0], [47, 0], [47, 32], [0, 32]], [[3, 4], [40, 1], [46, 30], [2, 25]],
        interpolation=v2.InterpolationMode.NEAREST, most=-1, part=0.02,
    ),
    same("perspective", [[0, 0], [47, 0], [47, 32], [0, 32]], [[3, 4], [40, 1], [46, 30], [2, 25]], most=2, part=0.06),
]


@pytest.mark.parametrize("case", [*EXACT, *NEARLY], ids=lambda case: case[0])
def test_functions_on_tensors(case: Case) -> None:
    _, ours, theirs, most, part = case
    for image in IMAGES:
        if "grayscale" in case[0] and image.shape[0] == 1:
            continue
        compare(ours(image), theirs(image), most, part)


@pytest.mark.parametrize("mode", ["BILINEAR", "BICUBIC", "LANCZOS", "NEAREST"])
@pytest.mark.parametrize("size", [[40, 50], 31, [150, 201]])
def test_resized_pil_images_are_the_same(size: Any, mode: str) -> None:
    for tensor in IMAGES:
        image = V.to_pil_image(tensor)
        interpolation = getattr(v2.InterpolationMode, mode)
        theirs = v2.Resize(size, interpolation)(image)
        ours = T.Resize(size, getattr(T.InterpolationMode, mode))(image)
        assert ours.mode == theirs.mode
        compare(ours, theirs, *((-1, 0.06) if mode == "NEAREST" else (0, 0.0)))  # nearest: rows between two


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
def test_nearest_neighbours_of_the_numerics_torchvision(dtype: Any) -> None:
    random = np.random.default_rng(7)
    sizes = random.integers(1, 130, (60, 4))
    images = [torch.from_numpy(random.integers(0, 256, (height, width, 2), np.uint8)).to(dtype)
              for height, width, _, _ in sizes]
    with Pipeline(batch_size=len(sizes), num_threads=1, device_id=None) as pipe:
        image = fn.external_source(lambda: [one.numpy() for one in images], layout="HWC")
        size = fn.external_source(lambda: list(sizes[:, 2:].astype(np.float32)))
        pipe.set_outputs(fn.resize(image, size=size, interp_type=DALIInterpType.INTERP_NN, numerics="torchvision"))
    (found,) = pipe.run()
    for at, (_, _, *size) in enumerate(sizes.tolist()):
        expected = V.resize(images[at].permute(2, 0, 1), size, v2.InterpolationMode.NEAREST).permute(1, 2, 0)
        np.testing.assert_array_equal(np.array(found.at(at)), expected.numpy())


def test_sizes_are_the_same() -> None:
    for height, width in ((97, 121), (121, 97), (50, 50), (31, 300)):
        image = Image.fromarray(np.zeros((height, width, 3), np.uint8))
        for arguments in ((31, None), (200, None), (31, 40), (None, 77), ([20, 30], None)):
            size, longest = arguments
            theirs = v2.Resize(size, max_size=longest)(image)
            assert T.Resize(size, max_size=longest)(image).size == theirs.size


def test_crops_of_several() -> None:
    for image in IMAGES:
        for name in ("five_crop", "ten_crop"):
            ours, theirs = getattr(F, name)(image, 20), getattr(V, name)(image, [20, 20])
            assert len(ours) == len(theirs)
            for one, other in zip(ours, theirs):
                compare(one, other)


def test_conversions() -> None:
    image = IMAGES[0]
    pil = V.to_pil_image(image)
    mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    compare(F.pil_to_tensor(pil), V.pil_to_tensor(pil))
    assert torch.allclose(F.to_tensor(pil), torchvision.transforms.functional.to_tensor(pil), rtol=0, atol=1e-7)
    ours = T.Compose([T.ToTensor(), T.Normalize(mean, std)])(pil)
    theirs = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize(mean, std)])(pil)
    assert torch.allclose(ours, theirs, rtol=1e-6, atol=2e-6)
    floats = image / 255
    assert torch.allclose(F.normalize(floats, mean, std), V.normalize(floats, mean, std), rtol=1e-6, atol=2e-6)
    for scale in (True, False):
        ours, theirs = F.to_dtype(image, torch.float32, scale), V.to_dtype(image, torch.float32, scale)
        assert torch.allclose(ours, theirs, atol=1e-7)
    compare(F.to_dtype(floats, torch.uint8, True), V.to_dtype(floats, torch.uint8, True))
    compare(F.to_pil_image(floats), V.to_pil_image(floats), 1, 0.01)


# --- given what was drawn ------------------------------------------------------------------------------------------


def drawn(transform: T.Transform, image: Any, count: int) -> list[list[np.ndarray]]:
    """What a transform draws for the first samples, flat: nodes and numbers in the order in which draw() gives them."""
    pipeline = Pipeline(batch_size=count, num_threads=1, seed=SEED)
    with pipeline:
        node = fn.external_source(lambda: [image.numpy()] * count, layout="CHW")
        values = flat(transform.draw(Draws(ROOT), from_array(node, "tensor", image.shape[0], False)))
        pipeline.set_outputs(*values)
    outputs = pipeline.run()
    return [[np.asarray(output.at(sample)) for output in outputs] for sample in range(count)]


def flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in flat(item)]
    return [] if value is None else [value]


def numbers(values: list[np.ndarray]) -> list[float]:
    return [float(value) for value in values]


def check_drawn(
    transform: T.Transform, theirs: Callable[[Any, list[np.ndarray]], Any], most: int = 0, part: float = 0.0,
    count: int = 8,
) -> None:
    for image in IMAGES:
        transform._seed = SEED
        for index, values in enumerate(drawn(transform, image, count)):
            compare(transform(image, index=index), theirs(image, values), most, part)


def test_random_resized_crop() -> None:
    def theirs(image: Any, values: list[np.ndarray]) -> Any:
        pil = V.to_pil_image(image)
        return V.pil_to_tensor(V.resized_crop(pil, *map(int, values), [24, 32]))

    check_drawn(T.RandomResizedCrop((24, 32)), theirs)


def test_random_crop() -> None:
    check_drawn(T.RandomCrop(30), lambda image, values: V.crop(image, *map(int, values), 30, 30))
    check_drawn(T.RandomCrop(30, 4), lambda image, values: V.crop(V.pad(image, [4] * 4), *map(int, values), 30, 30))
    check_drawn(
        T.RandomCrop((30, 60), pad_if_needed=True), lambda image, values: V.crop(image, *map(int, values), 30, 60)
    )


def test_random_rotation() -> None:
    check_drawn(T.RandomRotation(60), lambda image, values: V.rotate(image, *numbers(values)), -1, 0.01)
    check_drawn(
        T.RandomRotation((10, 80), expand=True),
        lambda image, values: V.rotate(image, *numbers(values), expand=True), -1, 0.01,
    )


def test_random_affine() -> None:
    def theirs(image: Any, values: list[np.ndarray]) -> Any:
        angle, x, y, scale, shear_x, shear_y = numbers(values)
        return V.affine(image, angle, [x, y], scale, [shear_x, shear_y])

    check_drawn(T.RandomAffine(30, (0.2, 0.1), (0.7, 1.4), (-10, 10, -5, 5)), theirs, -1, 0.012)


def test_random_perspective() -> None:
    def theirs(image: Any, values: list[np.ndarray]) -> Any:
        height, width = image.shape[-2:]
        start = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
        points = numbers(values)
        return V.perspective(image, start, [points[i : i + 2] for i in range(0, 8, 2)], v2.InterpolationMode.NEAREST)

    check_drawn(T.RandomPerspective(0.5, 1.0, interpolation="nearest"), theirs, -1, 0.02)


def test_color_jitter() -> None:
    functions = [V.adjust_brightness, V.adjust_contrast, V.adjust_saturation, V.adjust_hue]

    def theirs(image: Any, values: list[np.ndarray]) -> Any:
        amounts, order = numbers(values[4:8]), values[8]
        for step in np.argsort(order, kind="stable"):
            image = functions[step](image, amounts[step])
        return image

    check_drawn(T.ColorJitter(0.5, 0.5, 0.5, 0.3), theirs, 8, 0.05)  # a step of one may grow in those that follow


def test_gaussian_blur() -> None:
    blur = T.GaussianBlur(5, (0.5, 2.0))
    check_drawn(blur, lambda image, values: V.gaussian_blur(image, [5, 5], numbers(values)), 1, 0.01)


def test_random_erasing() -> None:
    def theirs(image: Any, values: list[np.ndarray]) -> Any:
        top, left, height, width = (int(value) for value in values)
        return V.erase(image, top, left, height, width, torch.tensor([[[5]]]))

    check_drawn(T.RandomErasing(0.7, value=5), theirs)


NAMES = {
    "nothing": "Identity", "shear_x": "ShearX", "shear_y": "ShearY", "translate_x": "TranslateX",
    "translate_y": "TranslateY", "rotate": "Rotate", "brightness": "Brightness", "saturation": "Color",
    "contrast": "Contrast", "sharpness": "Sharpness", "posterize": "Posterize", "solarize": "Solarize",
    "autocontrast": "AutoContrast", "equalize": "Equalize",
    "invert": "Invert",
}


def operation(policy: Any, image: Any, number: int, amount: float) -> Any:
    """What torchvision's policy does by that name; its magnitudes are other than the amounts here."""
    from forebay.transforms.colors import OPERATIONS

    ours = {value: key for key, value in OPERATIONS.items()}[number]
    magnitude = amount - 1.0 if ours in ("brightness", "saturation", "contrast", "sharpness") else amount
    magnitude = magnitude / 255.0 if ours == "solarize" else magnitude
    return policy._apply_image_or_video_transform(image, NAMES[ours], magnitude, "nearest", {torch.Tensor: 0.0})


@pytest.mark.parametrize(
    ("ours", "steps"),
    [(T.RandAugment(3), 3), (T.TrivialAugmentWide(), 1), (T.AutoAugment(), 2), (T.AutoAugment("svhn"), 2)],
)
def test_policies(ours: T.Transform, steps: int) -> None:
    policy = v2.RandAugment()

    def theirs(image: Any, values: list[np.ndarray]) -> Any:
        for step in range(steps):
            image = operation(policy, image, int(values[2 * step]), float(values[2 * step + 1]))
        return image

    check_drawn(ours, theirs, -1, 0.12, count=24)  # what follows makes more of a difference


@pytest.mark.parametrize(
    ("ours", "theirs"), [(T.RandAugment(1), v2.RandAugment(1)), (T.TrivialAugmentWide(), v2.TrivialAugmentWide())]
)
def test_policies_have_torchvisions_operations_and_magnitudes(ours: Any, theirs: Any) -> None:
    bins = theirs.num_magnitude_bins
    assert {NAMES[name] for name in ours._space} == set(theirs._AUGMENTATION_SPACE)
    for name, magnitude in ours._space.items():
        values, is_signed = theirs._AUGMENTATION_SPACE[NAMES[name]]
        assert magnitude.is_signed == is_signed
        expected = values(bins, 200, 300)
        for bin in range(bins):
            _, _, amount, _, by_width, by_height = magnitude.row(bin)
            amount = (amount + by_width * 300 + by_height * 200) / (255.0 if name == "solarize" else 1.0)
            assert expected is None or amount == pytest.approx(float(expected[bin]), abs=2e-5)


@pytest.mark.parametrize("name", ["imagenet", "cifar10", "svhn"])
def test_auto_augment_has_torchvisions_policies(name: str) -> None:
    from forebay.transforms.policy_tables import POLICIES

    theirs = v2.AutoAugment(getattr(v2.AutoAugmentPolicy, name.upper()))._policies
    ours = [tuple((NAMES[step], p, bin) for step, p, bin in pair) for pair in POLICIES[name]]
    assert ours == [tuple((step, p, bin or 0) for step, p, bin in pair) for pair in theirs]


def test_names_are_there_or_named() -> None:
    for name in v2.__all__ if hasattr(v2, "__all__") else dir(v2):
        kind = getattr(v2, name)
        if not (isinstance(kind, type) and issubclass(kind, v2.Transform)) or name in ("Transform",):
            continue
        try:
            assert issubclass(getattr(T, name), T.Transform)
        except AttributeError as error:
            assert name in T._NOT_OFFERED, f"{name}: {error}"
