"""Training scripts that know nothing of Forebay, unchanged, over a mounted bucket: torchvision's ImageFolder, Keras."""

from __future__ import annotations

import importlib.util
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("PIL")

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python" / "tests"))
import s3_server  # noqa: E402
from daemon_host import Host  # noqa: E402
from mounted import mounted, why_not  # noqa: E402
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


@pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
@pytest.mark.parametrize(("script", "library"), [(IMAGE_FOLDER, "torchvision"), (KERAS, "tensorflow")])
def test_a_script_trains_over_a_mounted_bucket(tmp_path: pathlib.Path, script: str, library: str) -> None:
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is absent")
    (tmp_path / "try").mkdir()
    reason = why_not(tmp_path / "try")
    if reason:
        pytest.skip(reason)
    for number in range(24):
        folder = tmp_path / "photos" / f"class{number % 3}"
        folder.mkdir(parents=True, exist_ok=True)
        make_photo(folder / f"{number:03}.jpg", number, 48, 40)
    (tmp_path / "s3").mkdir()
    server = s3_server.S3Server(tmp_path / "s3")
    host = Host(tmp_path / "home")
    host.environment.update(server.environment())
    try:
        server.put_folder("photos", tmp_path / "photos")
        host.start()
        wanted = train(script, tmp_path / "photos")
        arguments = ("s3://photos", "--trust", "1h")
        with mounted(host, tmp_path / "mount", *arguments, longest_s=2 * LONGEST_SCRIPT_S) as path:
            assert train(script, path) == wanted
    finally:
        if host.daemon is not None:
            host.end()
        server.stop()


def train(script: str, folder: pathlib.Path) -> str:
    """What the script prints: its losses are those of the same bytes in the same order."""
    done = subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, text=True, check=False,
                          timeout=LONGEST_SCRIPT_S)
    assert done.returncode == 0, done.stderr
    return done.stdout
