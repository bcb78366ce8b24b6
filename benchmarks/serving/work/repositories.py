"""The folders of models of the three servers. In each of them `encoded` takes files and `decoded` pixels."""

import json
import pathlib
import shutil
import sys

import environments

sys.path.insert(0, str(environments.ROOT / "examples" / "serving"))

import ensemble  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
LARGEST_BATCH = 16
BATCH_DELAY_US = 500  # as examples/serving
PIPELINE = """
from forebay import fn, pipeline_def, types


@pipeline_def(batch_size=16, num_threads=2, device_id=None)
def preparation():
    pictures = fn.external_source(name="picture", dtype=types.UINT8, ndim=3, layout="HWC")
    pictures = fn.resize(pictures, resize_shorter=72)
    return fn.crop_mirror_normalize(pictures, crop=(64, 64), dtype=types.FLOAT, mean=[127.5] * 3, std=[127.5] * 3,
                                    output_layout="CHW", name="prepared")
"""
PYTHON = """
backend: "python"
max_batch_size: %(batch)d
input [ { name: "picture" %(input)s allow_ragged_batch: true } ]
output [ { name: "classes" data_type: TYPE_FP32 dims: [ 4 ] } ]
output [ { name: "spent" data_type: TYPE_INT64 dims: [ 2 ] } ]
instance_group [ { count: %(instances)d kind: KIND_CPU } ]
parameters { key: "kind" value { string_value: "%(kind)s" } }
parameters { key: "model" value { string_value: "%(model)s" } }
"""
BATCHING = "dynamic_batching { max_queue_delay_microseconds: %d }\n" % BATCH_DELAY_US
INPUTS = {"encoded": "data_type: TYPE_STRING dims: [ 1 ]", "decoded": "data_type: TYPE_UINT8 dims: [ -1, -1, 3 ]"}


def forebay(folder: pathlib.Path, model: pathlib.Path, examples: pathlib.Path, instances: int) -> None:
    """examples/serving's ensemble, and the same for pixels."""
    for kind, tensor in INPUTS.items():
        for name in (kind, f"prepare_{kind}"):
            (folder / name / "1").mkdir(parents=True)
        (folder / kind / "config.pbtxt").write_text(
            ensemble.configuration(f"prepare_{kind}", tensor, batch=LARGEST_BATCH))
    shutil.copyfile(examples / "preparation.py", folder / "prepare_encoded" / "1" / "pipeline.py")
    (folder / "prepare_decoded" / "1" / "pipeline.py").write_text(PIPELINE)
    (folder / "resnet" / "1").mkdir(parents=True)
    shutil.copyfile(model, folder / "resnet" / "1" / "model.onnx")
    group = f"instance_group [ {{ count: {instances} kind: KIND_CPU }} ]\n"
    (folder / "resnet" / "config.pbtxt").write_text(f"max_batch_size: {LARGEST_BATCH}\n{group}{BATCHING}")


def triton(folder: pathlib.Path, model: pathlib.Path, instances: int) -> None:
    """Both kinds as models of its Python backend."""
    for kind, tensor in INPUTS.items():
        (folder / kind / "1").mkdir(parents=True)
        shutil.copyfile(HERE / "triton_model.py", folder / kind / "1" / "model.py")
        values = {"kind": kind, "input": tensor, "batch": LARGEST_BATCH, "instances": instances, "model": model}
        (folder / kind / "config.pbtxt").write_text(PYTHON % values + BATCHING)


def mlserver(folder: pathlib.Path, model: pathlib.Path, ports: tuple[int, int, int], instances: int,
             batches: bool) -> None:
    """Both kinds as models in Python. `batches`: decoded pictures are of one shape, so that requests can be joined."""
    for kind in INPUTS:
        (folder / kind).mkdir(parents=True)
        settings = {"name": kind, "implementation": "mlserver_model.Classifier", "max_batch_size": LARGEST_BATCH,
                    "max_batch_time": BATCH_DELAY_US / 1e6,
                    "parameters": {"extra": {"kind": kind, "model": str(model)}}}
        if kind == "decoded" and not batches:
            settings.update(max_batch_size=0, max_batch_time=0)
        (folder / kind / "model-settings.json").write_text(json.dumps(settings))
    http, grpc, metrics = ports
    server = {"http_port": http, "grpc_port": grpc, "metrics_port": metrics, "host": "127.0.0.1", "debug": False,
              "parallel_workers": instances}
    (folder / "settings.json").write_text(json.dumps(server))
