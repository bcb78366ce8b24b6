"""Automatic augmentation: what the operations do, how they are chosen, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, Callable

import numpy as np
import pytest

from forebay import fn, pipeline_def, types
from forebay.auto_aug import augmentations as a, auto_augment, rand_augment, trivial_augment
from forebay.auto_aug.core import Policy, augmentation, select, signed_bin

HAS_FILTER = hasattr(fn, "filter")
WITHOUT = None if HAS_FILTER else ["sharpness"]
needs_filter = pytest.mark.skipif(not HAS_FILTER, reason="sharpness needs fn.filter")


def picture(position: int) -> np.ndarray:
    return np.random.default_rng(position).integers(0, 256, (20, 24, 3), dtype=np.uint8)


def run(make: Callable[[Any], Any], count: int, batch_size: int, source: Any = picture, **arguments: Any) -> list[Any]:
    """What `make` makes of the first `count` samples of a source."""

    @pipeline_def(batch_size=batch_size, num_threads=2, seed=5, **arguments)
    def pipeline() -> Any:
        layout = "HWC" if source(0).ndim == 3 else None
        return make(fn.external_source(lambda info: source(info.idx_in_epoch), batch=False, layout=layout))

    pipe = pipeline()
    rows: list[Any] = []
    while len(rows) < count:
        rows += [np.array(sample) for sample in pipe.run()[0]]
    pipe.close()
    return rows[:count]


def at(operation: Any, magnitude_bin: int, bins: int = 11, sign: int | None = None, **arguments: Any) -> np.ndarray:
    def make(data: Any) -> Any:
        number: Any = magnitude_bin
        if sign is not None:
            number = signed_bin(magnitude_bin, random_sign=types.Constant([sign])[0])
        return operation(data, magnitude_bin=number, num_magnitude_bins=bins, **arguments)

    return run(make, 1, 1)[0]


def test_posterize_keeps_the_upper_bits() -> None:
    for magnitude_bin, mask in ((0, 0x80), (5, 0xC0), (10, 0xF0)):
        np.testing.assert_array_equal(at(a.posterize, magnitude_bin), picture(0) & mask)


def test_solarize_inverts_what_is_not_below_the_threshold() -> None:
    image = picture(0)
    np.testing.assert_array_equal(at(a.solarize, 5), np.where(image < 128, image, 255 - image))
    np.testing.assert_array_equal(at(a.solarize, 0), image)
    np.testing.assert_array_equal(at(a.solarize, 10), 255 - image)


def test_solarize_add_adds_to_what_is_dark() -> None:
    image = picture(0)
    np.testing.assert_array_equal(at(a.solarize_add, 10), np.where(image < 128, image + 110, image))
    with pytest.raises(ValueError, match="solarize_add adds from 0 to 127, not 200"):
        at(a.solarize_add.augmentation(mag_range=(0, 200)), 10)


def test_auto_contrast_stretches_each_channel() -> None:
    def flat_green(position: int) -> np.ndarray:
        image = (picture(position) // 4 + 40).astype(np.uint8)
        image[..., 1] = 77
        return image

    (got,) = run(lambda data: a.auto_contrast(data), 1, 1, flat_green)
    image = flat_green(0).astype(np.float32)
    for channel in (0, 2):
        low, high = image[..., channel].min(), image[..., channel].max()
        want = np.round((image[..., channel] - low) * np.float32(255 / (high - low)))
        assert np.abs(got[..., channel] - want).max() <= 1
        assert got[..., channel].min() == 0 and got[..., channel].max() == 255
    assert (got[..., 1] == 77).all()


def test_contrast_moves_values_away_from_the_mean_grey() -> None:
    image = picture(0).astype(np.float32)
    grey = (image.mean(axis=(0, 1)) * [0.299, 0.587, 0.114]).sum()
    want = np.clip(np.round(grey + (image - grey) * 1.9), 0, 255)
    assert np.abs(at(a.contrast, 10, sign=0) - want).max() <= 1


@pytest.mark.parametrize("sign", [0, 1])
def test_translations_fill_what_comes_from_outside(sign: int) -> None:
    moved = at(a.translate_x_no_shape.augmentation(mag_range=(0, 6)), 10, sign=sign, fill_value=9)
    outside = moved[:, -6:] if sign else moved[:, :6]
    assert (outside == 9).all()
    inside, kept = (moved[:, :-6], picture(0)[:, 6:]) if sign else (moved[:, 6:], picture(0)[:, :-6])
    np.testing.assert_array_equal(inside, kept)


@needs_filter
def test_sharpness_of_the_least_magnitude_changes_nothing() -> None:
    np.testing.assert_array_equal(at(a.sharpness, 0, sign=0), picture(0))
    assert (at(a.sharpness, 10, sign=0) != picture(0)).any()


SUITES = {
    "rand": lambda data: rand_augment.rand_augment(data, n=2, m=12, excluded=WITHOUT),
    "rand, not monotonic": lambda data: rand_augment.rand_augment(
        data, n=1, m=9, monotonic_mag=False, shape=data.shape(), excluded=WITHOUT
    ),
    "trivial": lambda data: trivial_augment.trivial_augment_wide(data, excluded=WITHOUT),
    "image_net": lambda data: auto_augment.auto_augment(data, shape=data.shape()),
    "svhn": lambda data: auto_augment.auto_augment(data, "svhn", max_translate_abs=(3, 5)),
}
if HAS_FILTER:
    SUITES["reduced_image_net"] = lambda data: auto_augment.auto_augment(data, "reduced_image_net", seed=3)
    SUITES["reduced_cifar10"] = lambda data: auto_augment.auto_augment(data, "reduced_cifar10", fill_value=None)


@pytest.mark.parametrize("name", SUITES)
def test_a_sample_gets_the_same_whatever_the_batch(name: str) -> None:
    whole = run(SUITES[name], 24, 24)
    assert any((got != picture(position)).any() for position, got in enumerate(whole) if got.shape == (20, 24, 3))
    for batch_size in (1, 7):
        for got, want in zip(run(SUITES[name], 24, batch_size), whole, strict=True):
            np.testing.assert_array_equal(got, want)


def number(position: int) -> np.ndarray:
    return np.int32(1000)


@augmentation
def plus_ten(data: Any, _: Any) -> Any:
    return data + 10


@augmentation(mag_range=(0, 4), randomly_negate=True, mag_to_param=np.int32)
def plus_bin(data: Any, parameter: Any) -> Any:
    return data + parameter


@augmentation(mag_range=np.array([100, 200, 300], np.int32))
def plus_listed(data: Any, parameter: Any) -> Any:
    return data + parameter


def counted(rows: list[Any]) -> dict[int, int]:
    values, counts = np.unique(np.array(rows), return_counts=True)
    return {int(value): int(count) for value, count in zip(values, counts)}


def assert_even(counts: dict[int, int], expected: dict[int, float], total: int) -> None:
    """Within five standard deviations of what is expected."""
    assert counts.keys() == expected.keys()
    for value, share in expected.items():
        assert abs(counts[value] - share * total) < 5 * np.sqrt(total * share * (1 - share)), (value, counts)


@pytest.mark.parametrize("seed", [None, 17])
def test_choice_and_sign_are_even_and_independent(seed: int | None) -> None:
    rows = run(
        lambda data: rand_augment.apply_rand_augment([plus_ten, plus_bin], data, 1, 2, 3, seed=seed), 2000, 100, number
    )
    assert_even(counted(rows), {1010: 0.5, 1004: 0.25, 996: 0.25}, 2000)


def test_each_stage_draws_anew() -> None:
    rows = run(
        lambda data: rand_augment.apply_rand_augment([plus_ten, plus_bin], data, 2, 1, 2, seed=4), 3000, 100, number
    )
    expected = {1020: 0.25, 1014: 0.25, 1006: 0.25, 1008: 1 / 16, 992: 1 / 16, 1000: 1 / 8}
    assert_even(counted(rows), expected, 3000)


def test_trivial_augment_draws_the_magnitude() -> None:
    rows = run(lambda data: trivial_augment.apply_trivial_augment([plus_listed], data, 3), 1500, 50, number)
    assert_even(counted(rows), {1100: 1 / 3, 1200: 1 / 3, 1300: 1 / 3}, 1500)


def test_a_policy_has_its_probabilities_and_magnitudes() -> None:
    policy = Policy("mine", 3, [[(plus_listed, 0.25, 1), (plus_ten, 1.0, None)], [(plus_listed, 1, 2)]])
    rows = run(lambda data: auto_augment.apply_auto_augment(policy, data), 2000, 100, number)
    assert_even(counted(rows), {1210: 0.125, 1010: 0.375, 1300: 0.5}, 2000)


def test_a_seed_chooses_the_draws() -> None:
    def seeded(seed: int) -> list[Any]:
        return run(lambda data: trivial_augment.apply_trivial_augment([plus_bin, plus_ten], data, 5, seed), 60, 20, number)

    assert counted(seeded(1)) and np.array_equal(seeded(1), seeded(1))
    assert not np.array_equal(seeded(1), seeded(2))


def test_select_by_a_plain_index_and_by_nodes() -> None:
    operations = [lambda data, k=k: data + k for k in range(5)]
    assert run(lambda data: select(operations, 3, data), 1, 1, number) == [1003]
    rows = run(lambda data: select(operations, data - 1000, data), 5, 5, lambda position: np.int32(1000 + position))
    assert rows == [1000, 1002, 1004, 1006, 1008]
    with pytest.raises(ValueError, match="at least one operation"):
        select([], 0)


def test_an_augmentation_with_other_settings() -> None:
    renamed = plus_bin.augmentation(mag_range=(0, 40), randomly_negate=False, name="further")
    assert (renamed.name, plus_bin.name, renamed.randomly_negate, renamed.op) == ("further", "plus_bin", False, plus_bin.op)
    assert run(lambda data: renamed(data, magnitude_bin=2, num_magnitude_bins=5), 1, 1, number) == [1020]
    assert "mag_range=(0, 40)" in repr(renamed)


def test_a_sign_of_its_own_is_drawn_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="`plus_bin` draws the signs"):
        rows = run(lambda data: plus_bin(data, magnitude_bin=4, num_magnitude_bins=5), 200, 50, number)
    assert counted(rows).keys() == {996, 1004}


def test_names_of_a_policy_are_made_different() -> None:
    other = plus_ten.augmentation(mag_to_param=np.float32)
    policy = Policy("twins", 1, [[(plus_ten, 1.0, None), (other, 1.0, None)]])
    assert list(policy.augmentations) == ["0__plus_ten", "1__plus_ten"]
    assert "0__plus_ten" in repr(policy)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda data: rand_augment.rand_augment(data, n=-1, m=1), "`n`, the number of operations"),
        (lambda data: rand_augment.rand_augment(data, n=1, m=31), "`m` must be an integer from 0 to 30, not 31"),
        (lambda data: rand_augment.rand_augment(data, n=1, m=1, num_magnitude_bins=0), "positive integer, not 0"),
        (lambda data: rand_augment.rand_augment(data, 1, 1, excluded=["blur"]), "`excluded` names `blur`"),
        (lambda data: rand_augment.apply_rand_augment([], data, 1, 1), "at least one augmentation"),
        (lambda data: trivial_augment.apply_trivial_augment([], data), "at least one augmentation"),
        (lambda data: rand_augment.rand_augment(data, 1, 1, max_translate_rel=0.5), "needs image shapes"),
        (lambda data: rand_augment.rand_augment(data, 1, 1, shape=[9, 9], max_translate_abs=5), "cannot be used with"),
        (lambda data: auto_augment.auto_augment(data, "cub"), "policy_name='cub' must be one of 'image_net'"),
        (lambda data: auto_augment.auto_augment(data, "reduced_image_net", shape=[1, 2]), "leave out `shape`"),
        (lambda data: auto_augment.apply_auto_augment(Policy("none", 1, []), data), "`none` is empty"),
        (lambda data: rand_augment.apply_rand_augment([plus_ten], data, 1, 1, fill=1), "`fill` is not used by any"),
        (lambda data: rand_augment.apply_rand_augment([a.translate_x], data, 1, 1), "needs `shape`"),
        (lambda data: a.rotate(data, magnitude_bin=1), "needs `num_magnitude_bins`"),
        (lambda data: a.rotate(data, num_magnitude_bins=3), "needs a `magnitude_bin`"),
        (lambda data: a.rotate(data, num_magnitude_bins=3, magnitude_bin="one"), "must be an int, a DataNode"),
        (lambda data: plus_listed(data, num_magnitude_bins=4, magnitude_bin=0), "has 3 magnitudes"),
        (lambda data: signed_bin("x"), "`magnitude_bin` must be an int"),
        (lambda data: signed_bin(1, random_sign=data, seed=1), "leave out `seed` and `shape`"),
        (lambda data: plus_bin.augmentation(mag_range=3)(data, num_magnitude_bins=3, magnitude_bin=0), "highest magn"),
        (
            lambda data: plus_bin.augmentation(mag_to_param=lambda m: data)(
                data, num_magnitude_bins=3, magnitude_bin=signed_bin(0)
            ),
            "gave a DataNode",
        ),
        (
            lambda data: plus_bin.augmentation(mag_to_param=lambda m: np.zeros(int(abs(m))))(
                data, num_magnitude_bins=5, magnitude_bin=signed_bin(data)
            ),
            "one shape and type",
        ),
    ],
)
def test_what_is_refused(make: Callable[[Any], Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        run(make, 1, 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Policy("p", 0, []), "positive integer"),
        (lambda: Policy("p", 1, {}), "list or a tuple"),
        (lambda: Policy("p", 1, [3]), "sub-policy must be"),
        (lambda: Policy("p", 1, [[(plus_ten, 1.0)]]), "is .augmentation, probability, magnitude."),
        (lambda: Policy("p", 1, [[(np.add, 1.0, None)]]), "is it decorated"),
        (lambda: Policy("p", 1, [[(plus_ten, 1.5, None)]]), "from 0 to 1, not 1.5"),
        (lambda: Policy("p", 3, [[(plus_bin, 1.0, None)]]), "needs a magnitude bin"),
        (lambda: Policy("p", 3, [[(plus_bin, 1.0, 3)]]), "from 0 to 2, not 3"),
        (lambda: augmentation(plus_ten), "is an augmentation already"),
        (lambda: augmentation(3), "decorates a function"),
        (lambda: augmentation(lambda data: data), "at least two arguments by position"),
    ],
)
def test_what_is_refused_without_a_pipeline(make: Callable[[], Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_no_operations_change_nothing() -> None:
    with pytest.warns(UserWarning, match="n=0"):
        (got,) = run(lambda data: rand_augment.rand_augment(data, n=0, m=0), 1, 1)
    np.testing.assert_array_equal(got, picture(0))


def test_under_dalis_name() -> None:
    script = (
        "from forebay import compat; compat.install()\n"
        "from nvidia.dali.auto_aug import auto_augment, rand_augment, trivial_augment\n"
        "from nvidia.dali.auto_aug.core import augmentation, signed_bin, select, Policy\n"
        "from nvidia.dali.auto_aug.augmentations import shear_x, poster_mask_uint8\n"
        "import forebay.auto_aug.augmentations as ours\n"
        "print(shear_x is ours.shear_x)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == "True\n"
