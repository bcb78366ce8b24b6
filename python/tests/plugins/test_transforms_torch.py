"""Transforms in PyTorch's DataLoader and as whole loaders: the same bits."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from PIL import Image  # noqa: E402

from forebay import transforms as T  # noqa: E402

COUNT = 23
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> pathlib.Path:
    root = pathlib.Path(tmp_path_factory.mktemp("pictures"))
    rng = np.random.default_rng(1)
    for number in range(COUNT):
        height, width = rng.integers(40, 90, 2)
        coarse = Image.fromarray(rng.integers(0, 256, (6, 7, 3), np.uint8))
        path = root / "abc"[number % 3] / f"{number:03}.jpg"
        path.parent.mkdir(exist_ok=True)
        coarse.resize((int(width), int(height)), Image.Resampling.BICUBIC).save(path, quality=92)
    return root


class Files(torch.utils.data.Dataset):  # type: ignore[misc]
    """As torchvision's ImageFolder: `samples`, and items of an image and a class."""

    def __init__(self, folder: pathlib.Path, form: str = "pil", transform: Any = None) -> None:
        classes = sorted(path.name for path in folder.iterdir())
        self.samples = [
            (str(path), label) for label, name in enumerate(classes) for path in sorted((folder / name).iterdir())
        ]
        self.form = form
        self.transform = transform

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> Any:
        path, label = self.samples[index]
        image: Any = pathlib.Path(path).read_bytes() if self.form == "file" else Image.open(path).convert("RGB")
        return image if self.transform is None else self.transform(image), label


class Items:
    """A data set that has no `samples`."""

    def __init__(self, files: Files) -> None:
        self.files = files

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> Any:
        return self.files[index]


def training() -> T.Compose:
    return T.Compose([T.RandomResizedCrop(32), T.RandomHorizontalFlip(), T.ToTensor(), T.Normalize(MEAN, STD)], seed=11)


def augmenting() -> T.Compose:
    return T.Compose(
        [
            T.Resize(40), T.RandomCrop(36, padding=2), T.RandomHorizontalFlip(), 
            T.ColorJitter(0.4, 0.4, 0.4, 0.1), T.RandAugment(),
            T.RandomApply([T.GaussianBlur(5)]), T.RandomAffine(10, (0.1, 0.1), (0.8, 1.2), 5), T.ToImage(),
            T.ToDtype(torch.float32, scale=True), T.Normalize(MEAN, STD), T.RandomErasing(),
        ],
        seed=12,
    )


def chosen() -> T.Compose:
    return T.Compose(
        [
            T.RandomChoice([T.RandomResizedCrop(30), T.Compose([T.Resize((30, 30)), T.TrivialAugmentWide()])]),
            T.RandomPerspective(), T.AugMix(), T.RandomRotation(20, interpolation="bilinear"), T.PILToTensor(),
        ],
        seed=13,
    )


@pytest.mark.parametrize("compose", [training, augmenting, chosen])
@pytest.mark.parametrize("shuffle", [False, True])
def test_a_loader_gives_the_bits_of_single_images(folder: pathlib.Path, compose: Any, shuffle: bool) -> None:
    files = Files(folder, "file")
    one_by_one = compose()
    with T.Loader(folder, compose(), batch_size=5, shuffle=shuffle) as loader:
        assert len(loader) == 5
        orders = []
        for epoch in range(3):
            position = 0
            order = []
            for images, labels in loader:
                for image, label, sample in zip(images, labels, loader.samples()):
                    index = sample["index"]
                    assert (sample["epoch"], sample["position"]) == (epoch, position)
                    wanted, wanted_label = files[index]
                    assert torch.equal(image, one_by_one(wanted, index=position, epoch=epoch))
                    assert label == wanted_label
                    order.append(index)
                    position += 1
            assert sorted(order) == list(range(COUNT))
            orders.append(order)
    assert (len({tuple(order) for order in orders}) > 1) == shuffle


@pytest.mark.parametrize("form", ["file", "pil"])
def test_a_loader_of_a_data_set_gives_the_bits_of_single_images(folder: pathlib.Path, form: str) -> None:
    files = Files(folder, form)
    one_by_one = augmenting()
    with T.Loader(Items(files), augmenting(), batch_size=4) as loader:
        assert len(loader) == 6
        for epoch in range(3):
            position = 0
            for images, labels in loader:
                for image, label in zip(images, labels):
                    wanted, wanted_label = files[position]
                    assert torch.equal(image, one_by_one(wanted, index=position, epoch=epoch))
                    assert label == wanted_label
                    position += 1
            assert position == COUNT


def test_results_depend_neither_on_batches_nor_on_threads(folder: pathlib.Path) -> None:
    def images(**arguments: Any) -> Any:
        with T.Loader(Files(folder), training(), shuffle=True, **arguments) as loader:
            return [torch.cat([images for images, _ in loader]) for _ in range(2)]

    first = images(batch_size=4, num_threads=1)
    for other in (images(batch_size=23, num_threads=3), images(batch_size=7)):
        assert all(torch.equal(a, b) for a, b in zip(first, other))
    fed = [
        torch.cat([images for images, _ in loader])
        for loader in (T.Loader(Items(Files(folder)), training(), batch_size=b, shuffle=True, num_workers=n)
                       for b, n in ((4, 0), (9, 2)))
    ]
    assert torch.equal(*fed)


def test_last_batches_and_shards(folder: pathlib.Path) -> None:
    for source in (folder, Items(Files(folder))):
        for drop_last, counts in ((True, [5] * 4), (False, [5, 5, 5, 5, 3])):
            with T.Loader(source, training(), batch_size=5, drop_last=drop_last) as loader:
                for _ in range(2):
                    assert [len(labels) for _, labels in loader] == counts
                    assert len(loader) == len(counts)
        labels: list[int] = []
        for shard_id in range(2):
            with T.Loader(source, training(), batch_size=4, shard_id=shard_id, num_shards=2) as loader:
                labels += [int(label) for _, batch in loader for label in batch]
        assert sorted(labels) == sorted(label for _, label in Files(folder).samples)


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_in_workers_of_a_data_loader(folder: pathlib.Path, start: str) -> None:
    dataset = T.Indexed(Files(folder, "file"), training())
    expected = [dataset[index][0] for index in range(COUNT)]
    loader = torch.utils.data.DataLoader(dataset, batch_size=4, num_workers=2, multiprocessing_context=start)
    got = torch.cat([images for images, _ in loader])
    assert torch.equal(got, torch.stack(expected))
    dataset.set_epoch(1)
    assert not torch.equal(torch.cat([images for images, _ in loader]), got)


def test_without_an_index_workers_draw_anew_each_epoch_and_repeat_with_torchs_seed(folder: pathlib.Path) -> None:
    compose = T.Compose([T.RandomResizedCrop(16), T.ToTensor()], seed=1)

    def epochs() -> list[Any]:
        torch.manual_seed(3)
        loader = torch.utils.data.DataLoader(Files(folder, transform=compose), batch_size=4, num_workers=2)
        return [torch.cat([images for images, _ in loader]) for _ in range(2)]

    first = epochs()
    assert not torch.equal(*first)
    assert all(torch.equal(a, b) for a, b in zip(first, epochs()))


def test_several_pictures_are_stacked(folder: pathlib.Path) -> None:
    compose = T.Compose([T.FiveCrop(20), T.ToTensor()])
    with T.Loader(folder, compose, batch_size=4) as loader:
        images, _ = next(iter(loader))
    assert images.shape == (4, 5, 3, 20, 20)
    five = compose(Files(folder, "file")[0][0])
    assert torch.equal(images[0], torch.stack(five))


def test_tensors_stay_tensors() -> None:
    image = torch.arange(3 * 8 * 9, dtype=torch.uint8).reshape(3, 8, 9)
    assert torch.equal(T.CenterCrop(4)(image), image[:, 2:6, 2:6])
    assert torch.equal(T.RandomVerticalFlip(1.0)(image.permute(0, 2, 1)), image.permute(0, 2, 1).flip(1))
    assert T.CenterCrop(4)(image[0]).shape == (1, 4, 4)
    floats = T.Compose([T.ToDtype(torch.float32, scale=True), T.Resize((4, 4))])(image)
    assert floats.dtype == torch.float32 and floats.shape == (3, 4, 4)
    assert torch.equal(T.ToDtype(torch.uint8, scale=True)(image / 255), image)
    assert T.ToPILImage()(image).size == (9, 8)
    with pytest.raises(TypeError, match="ToDtype"):
        T.ToTensor()(image)


def test_linear_transformation() -> None:
    image = torch.rand(2, 3, 4)
    matrix, mean = torch.rand(24, 24), torch.rand(24)
    expected = torch.mm((image.flatten() - mean)[None], matrix).reshape(2, 3, 4)
    assert torch.allclose(T.LinearTransformation(matrix, mean)(image), expected, rtol=1e-4, atol=1e-4)


def test_a_loader_names_what_is_missing(folder: pathlib.Path) -> None:
    with T.Loader(folder, T.Compose([T.Resize(20), T.ToTensor()]), batch_size=8) as loader:
        with pytest.raises(ValueError, match="CenterCrop"):
            list(loader)
    with pytest.raises(TypeError, match="end the transforms with ToTensor"):
        T.Loader(folder, T.CenterCrop(4))
    with pytest.raises(TypeError, match="Compose"):
        T.Loader(folder)
    with pytest.raises(ValueError, match="has a transform, too"):
        T.Loader(Files(folder, transform=training()), training())
    with pytest.raises(TypeError, match="an image and a number"):
        T.Loader([1, 2], training())
    own = T.Loader(Files(folder, transform=training()), batch_size=2)
    assert next(iter(own))[0].shape == (2, 3, 32, 32)


def test_mixed_batches() -> None:
    images = torch.rand(6, 3, 8, 9)
    labels = torch.tensor([0, 1, 2, 3, 0, 1])
    for make in (T.MixUp, T.CutMix):
        mix = make(num_classes=4, seed=2)
        mixed, parts = mix(images, labels, index=5, epoch=1)
        again, _ = make(num_classes=4, seed=2)(images, labels, index=5, epoch=1)
        assert torch.equal(mixed, again)
        assert parts.shape == (6, 4) and torch.allclose(parts.sum(1), torch.ones(6))
        assert not torch.equal(mixed, images)
        weight = float(parts[1, 1])
        if make is T.MixUp:
            assert torch.allclose(mixed, images * weight + images.roll(1, 0) * (1 - weight), atol=1e-6)
        else:
            same = (mixed == images).all(1).float().mean()
            assert abs(float(same) - weight) < 1e-6
        with pytest.raises(ValueError, match="num_classes"):
            make()(images, labels)
    with pytest.raises(TypeError, match="ToTensor"):
        T.MixUp(num_classes=4)(images.mul(255).to(torch.uint8), labels)
