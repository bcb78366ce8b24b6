"""Writes the folder that is served: the pipeline, the model, and the ensemble of both."""

import pathlib
import shutil

import ensemble
import shapes
import small_resnet

BATCHED = """
max_batch_size: 16
dynamic_batching { max_queue_delay_microseconds: 500 }
"""


def write(folder):
    folder = pathlib.Path(folder)
    for name in ("preparation", "resnet", "shapes"):
        (folder / name / "1").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(pathlib.Path(__file__).with_name("preparation.py"), folder / "preparation" / "1" / "pipeline.py")
    small_resnet.make(folder / "resnet" / "1" / "model.onnx")
    (folder / "resnet" / "config.pbtxt").write_text(BATCHED)
    (folder / "shapes" / "config.pbtxt").write_text(ensemble.configuration(labels='label_filename: "labels.txt"'))
    (folder / "shapes" / "labels.txt").write_text("\n".join(shapes.NAMES) + "\n")
