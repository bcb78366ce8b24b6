"""Writes the folder that is served: the pipeline, the model, and the ensemble of both."""

import pathlib
import shutil

import shapes
import small_resnet

ENSEMBLE = """
platform: "ensemble"
max_batch_size: 16
input [ { name: "picture" data_type: TYPE_STRING dims: [ 1 ] } ]
output [ { name: "classes" data_type: TYPE_FP32 dims: [ 4 ] label_filename: "labels.txt" } ]
ensemble_scheduling {
  step [
    { model_name: "preparation" model_version: -1
      input_map { key: "picture" value: "picture" }
      output_map { key: "prepared" value: "prepared" } },
    { model_name: "resnet" model_version: -1
      input_map { key: "pictures" value: "prepared" }
      output_map { key: "classes" value: "classes" } }
  ]
}
"""
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
    (folder / "shapes" / "config.pbtxt").write_text(ENSEMBLE)
    (folder / "shapes" / "labels.txt").write_text("\n".join(shapes.NAMES) + "\n")
