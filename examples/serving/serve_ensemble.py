"""An ensemble served and asked: encoded pictures in, names of classes out, and where the time goes.

    python examples/serving/serve_ensemble.py [--out FOLDER] [--program FOREBAY]

Needs tritonclient[http], onnx, onnxruntime and pillow. Leaves in --out the models, one of the
pictures (photo.jpg), and latency.png.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

import client
import numpy as np
import onnxruntime
import repository
import shapes

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from drawing import bars  # noqa: E402

COUNT = 200


def start(program, models):
    """The server's process, and where it listens."""
    library = next((pathlib.Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so.*"))
    command = [program, "serve", str(models), "--http-port=0", "--grpc-port=-1", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "FOREBAY_ONNXRUNTIME": str(library)})
    line = process.stdout.readline()
    if not line:
        sys.exit(f"{program} ended before it was ready")
    said = json.loads(line)
    for model in said["models"]:
        print(f"{model['name']:>12} version {model['version']} {model['state']} {model['reason']}")
    return process, said["http"].removeprefix("http://")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo/serving"))
    parser.add_argument("--program", default=shutil.which("forebay") or "forebay")
    arguments = parser.parse_args()
    repository.write(arguments.out / "models")
    process, url = start(arguments.program, arguments.out / "models")
    try:
        files, labels = shapes.draw(COUNT, seed=2)
        (arguments.out / "photo.jpg").write_bytes(files[0])
        answers = client.ask_all(url, files)
    finally:
        process.terminate()
        process.wait(60)
    right = sum(answer.label == shapes.NAMES[label] for answer, label in zip(answers, labels))
    split = {
        "transport": np.median([answer.transport_ms for answer in answers]),
        "waiting": np.median([answer.waiting_ms for answer in answers]),
        **{step: np.median([answer.steps[step] for answer in answers]) for step in answers[0].steps},
    }
    print(f"{right} of {COUNT} pictures are of the class that was answered")
    print("median of a request, ms: " + ", ".join(f"{name} {value:.2f}" for name, value in split.items()))
    bars({name: round(float(value), 2) for name, value in split.items()}, arguments.out / "latency.png",
         "where a request's time goes, ms (medians)")


if __name__ == "__main__":
    main()
