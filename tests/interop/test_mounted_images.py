"""Training scripts that know nothing of Forebay, unchanged, over a mounted bucket: torchvision's ImageFolder, Keras."""

from __future__ import annotations

import importlib.util
import pathlib

import pytest
from mounted_bucket import mounted_bucket, run_script

pytest.importorskip("PIL")

from photographs import make_photo  # noqa: E402

LONGEST_SCRIPT_S = 200

IMAGE_FOLDER = """
import sys
import torch
from torchvision import transforms
from torchvision.datasets import ImageFolder

torch.manual_seed(1)
data = ImageFolder(sys.argv[1], transforms.Compose([transforms.Resize((32, 32)), transforms.ToTensor()]))
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 32 * 32, len(data.classes)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    for images, labels in torch.utils.data.DataLoader(data, batch_size=8, shuffle=True, num_workers=2):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(data.classes, len(data), loss.item())
"""

KERAS = """
import sys
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
read = tf.keras.utils.image_dataset_from_directory
data = read(sys.argv[1], image_size=(32, 32), batch_size=8, seed=1, verbose=False)
layers = [tf.keras.layers.Rescaling(1 / 255), tf.keras.layers.Flatten(), tf.keras.layers.Dense(len(data.class_names))]
model = tf.keras.Sequential(layers)
model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
history = model.fit(data, epochs=2, verbose=0)
print(data.class_names, history.history["loss"])
"""


@pytest.mark.parametrize(("script", "library"), [(IMAGE_FOLDER, "torchvision"), (KERAS, "tensorflow")])
def test_a_script_trains_over_a_mounted_bucket(tmp_path: pathlib.Path, script: str, library: str) -> None:
    """And prints the same losses, which are those of the same bytes in the same order."""
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is absent")
    photos = tmp_path / "photos"
    for number in range(24):
        folder = photos / f"class{number % 3}"
        folder.mkdir(parents=True, exist_ok=True)
        make_photo(folder / f"{number:03}.jpg", number, 48, 40)
    with mounted_bucket(tmp_path, "--trust", "1h", longest_s=2 * LONGEST_SCRIPT_S, content=photos) as (_, path):
        assert run_script(script, path, LONGEST_SCRIPT_S) == run_script(script, photos, LONGEST_SCRIPT_S)
