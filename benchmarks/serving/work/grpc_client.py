"""What Triton's gRPC client does for the benchmark, in the environment that has it: requests as bytes, and answers.

    grpc_client.py make INPUTS KIND FILE     a request of each picture, behind its length, as grpc_load.py reads them
    grpc_client.py ask INPUTS KIND PORT      the scores of each picture as one JSON object
"""

import json
import pathlib
import struct
import sys

import numpy
import tritonclient.grpc as triton
from tritonclient.grpc import service_pb2

OUTPUT = "classes"
ANSWER_S = 60.0


def picture(inputs: pathlib.Path, kind: str, name: str) -> triton.InferInput:
    if kind == "encoded":
        content = numpy.array([[(inputs / "files" / f"{name}.jpg").read_bytes()]], numpy.object_)
        datatype = "BYTES"
    else:
        content = numpy.load(inputs / "pixels" / f"{name}.npy")[None]
        datatype = "UINT8"
    tensor = triton.InferInput("picture", list(content.shape), datatype)
    tensor.set_data_from_numpy(content)
    return tensor


def message(kind: str, tensor: triton.InferInput) -> bytes:
    """What the client sends for this: the protocol's ModelInferRequest."""
    request = service_pb2.ModelInferRequest(model_name=kind)
    request.inputs.add(name=tensor.name(), datatype=tensor.datatype(), shape=tensor.shape())
    request.outputs.add(name=OUTPUT)
    request.raw_input_contents.append(tensor._get_content())
    return request.SerializeToString()


def names(inputs: pathlib.Path) -> list[str]:
    return sorted(path.stem for path in (inputs / "files").iterdir())


def make(inputs: pathlib.Path, kind: str, path: pathlib.Path) -> None:
    with path.open("wb") as file:
        for name in names(inputs):
            each = message(kind, picture(inputs, kind, name))
            file.write(struct.pack("<I", len(each)) + each)


def ask(inputs: pathlib.Path, kind: str, port: int) -> dict[str, list[float]]:
    scores = {}
    with triton.InferenceServerClient(f"127.0.0.1:{port}") as client:
        for name in names(inputs):
            answer = client.infer(kind, [picture(inputs, kind, name)], outputs=[triton.InferRequestedOutput(OUTPUT)],
                                  client_timeout=ANSWER_S)
            scores[name] = answer.as_numpy(OUTPUT).ravel().astype(float).tolist()
    return scores


def main() -> None:
    what, inputs, kind, last = sys.argv[1:]
    if what == "make":
        make(pathlib.Path(inputs), kind, pathlib.Path(last))
    else:
        print(json.dumps(ask(pathlib.Path(inputs), kind, int(last))))


if __name__ == "__main__":
    main()
