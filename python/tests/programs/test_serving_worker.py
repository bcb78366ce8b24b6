"""The process of a model in Python, spoken to as the server does."""

import fcntl
import json
import mmap
import os
import select
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forebay.serving.worker import element_types, triton_utils
from forebay.serving.worker.slabs import OutputSlabs

WORKER = Path(element_types.__file__).parent
PATIENCE_S = 60

SCALE = """
import numpy as np

class Model:
    inputs = [("x", "FP32", (-1,)), ("words", bytes, (-1,))]
    outputs = [("y", np.float32, (-1,)), ("words", "BYTES", (-1,)), ("wide", "FP64", (-1,))]

    def __init__(self, config):
        self.factor = np.float32(config["factor"])
        print("loaded")

    def infer(self, x, words, parameters):
        assert not x.flags.writeable and (x.size == 0 or not x.flags.owndata)
        what = parameters.get("do")
        if what == "wrong type":
            return {"y": x.astype(np.float64)}
        if what == "unknown name":
            return {"z": x}
        if what == "no dict":
            return x
        if what == "bad request":
            error = ValueError("x must not be empty")
            error.code = "INVALID_ARGUMENT"
            raise error
        return {"y": x * self.factor, "words": [word.decode() + "!" for word in words], "wide": x.astype(float)}

    def close(self):
        print("closed")
"""

TRITON = """
import json
import numpy as np
import triton_python_backend_utils as pb_utils

class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        config.add_output({"name": "extra", "data_type": "TYPE_STRING", "dims": [1]})
        return config

    def initialize(self, args):
        config = json.loads(args["model_config"])
        output = pb_utils.get_output_config_by_name(config, "y")
        self.dtype = pb_utils.triton_string_to_numpy(output["data_type"])
        self.name = args["model_name"]

    def execute(self, requests):
        responses = []
        for request in requests:
            x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
            if x.size == 0:
                error = pb_utils.TritonError("x is empty", pb_utils.TritonError.INVALID_ARG)
                responses.append(pb_utils.InferenceResponse(error=error))
                continue
            extra = f"{self.name} {request.request_id()} {json.loads(request.parameters())['k']}"
            responses.append(pb_utils.InferenceResponse([
                pb_utils.Tensor("y", (x + 1).astype(self.dtype)),
                pb_utils.Tensor("extra", np.array([[extra.encode()]], dtype=np.object_)),
            ]))
        return responses

    def finalize(self):
        print("finalized")
"""
TRITON_CONFIG = {
    "max_batch_size": 8,
    "input": [{"name": "x", "data_type": "TYPE_INT32", "dims": [-1]}],
    "output": [{"name": "y", "data_type": "TYPE_INT64", "dims": [-1]}],
}


class Server:
    """The other end of a worker."""

    def __init__(self, folder: Path, code: str, config: dict[str, Any], **environment: str) -> None:
        model = folder / "1" / "model.py"
        model.parent.mkdir(exist_ok=True)
        model.write_text(code)
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(PATIENCE_S)
        reading, writing = os.pipe()
        self.output = os.fdopen(reading)
        high = fcntl.fcntl(theirs.fileno(), fcntl.F_DUPFD_CLOEXEC, 50)
        words = [sys.executable, str(WORKER), "--model", str(model), "--name", "m", "--config", json.dumps(config)]
        self.pid = os.posix_spawn(
            sys.executable,
            words,
            os.environ | {"FOREBAY_WORKER_PARENT": str(os.getpid())} | environment,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, writing, 1),
                (os.POSIX_SPAWN_DUP2, writing, 2),
                (os.POSIX_SPAWN_DUP2, high, 3),
            ],
        )
        for descriptor in (high, writing):
            os.close(descriptor)
        theirs.close()
        self.slabs: dict[int, mmap.mmap] = {}
        self.asked = 0

    def hear(self) -> dict[str, Any]:
        data, descriptors, _, _ = socket.recv_fds(self.socket, 1 << 16, 1)
        message: dict[str, Any] = json.loads(data)
        for descriptor in descriptors:
            with pytest.raises(PermissionError):  # it is sealed: what is mapped here stays there
                os.ftruncate(descriptor, 0)
            self.slabs[message["slab"]] = mmap.mmap(descriptor, message["slab_bytes"], prot=mmap.PROT_READ)
            os.close(descriptor)
        return message

    def ask(
        self,
        inputs: dict[str, np.ndarray[Any, Any]],
        freed: tuple[int, ...] = (),
        outputs: tuple[str, ...] = (),
        **parameters: Any,
    ) -> dict[str, Any]:
        """Sends the inputs in a new slab; the outputs in what it returns are arrays."""
        placed, content = [], b""
        for name, array in inputs.items():
            datatype = element_types.protocol_type(array.dtype)
            data = element_types.encode_bytes(array) if datatype == "BYTES" else array.tobytes()
            content += b"\0" * (-len(content) % 64)
            at = {"offset": len(content), "size": len(data)}
            placed.append({"name": name, "datatype": datatype, "shape": list(array.shape)} | at)
            content += data
        self.asked += 1
        message = {"kind": "infer", "number": self.asked, "id": "r7", "inputs": placed, "outputs": outputs,
                   "parameters": parameters, "freed": freed, "slab_bytes": max(len(content), 1)}  # fmt: skip
        slab = os.memfd_create("inputs")
        os.write(slab, content or b"\0")
        socket.send_fds(self.socket, [json.dumps(message).encode()], [slab])
        os.close(slab)
        answer = self.hear()
        assert answer["number"] == self.asked, answer
        answer["arrays"] = {one["name"]: self.array(answer["slab"], one) for one in answer.get("outputs", ())}
        return answer

    def array(self, slab: int, placed: dict[str, Any]) -> np.ndarray[Any, Any]:
        count = int(np.prod(placed["shape"]))
        if placed["datatype"] == "BYTES":
            data = self.slabs.get(slab, b"")[placed["offset"] : placed["offset"] + placed["size"]]
            return element_types.decode_bytes(data, count).reshape(placed["shape"])
        dtype = element_types.numpy_type(placed["datatype"])
        if count == 0:
            return np.empty(placed["shape"], dtype)
        return np.frombuffer(self.slabs[slab], dtype, count, placed["offset"]).reshape(placed["shape"])

    def end(self) -> int:
        """Closes the socket; returns the process's exit code, once it has ended."""
        self.socket.close()
        process = os.pidfd_open(self.pid)
        ended, _, _ = select.select([process], [], [], PATIENCE_S)
        os.close(process)
        if not ended:
            os.kill(self.pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@contextmanager
def serving(folder: Path, code: str, config: dict[str, Any], **environment: str) -> Iterator[Server]:
    server = Server(folder, code, config, **environment)
    try:
        yield server
    finally:
        if server.socket.fileno() >= 0:
            server.end()
        server.output.close()


def words(*texts: bytes) -> np.ndarray[Any, Any]:
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


def declared(tensors: list[dict[str, Any]]) -> list[tuple[str, str, list[int]]]:
    return [(one["name"], one["datatype"], one["shape"]) for one in tensors]


def test_a_model_of_our_form_computes(tmp_path: Path) -> None:
    with serving(tmp_path, SCALE, {"factor": 3}) as server:
        ready = server.hear()
        assert ready["kind"] == "ready" and ready["max_batch_size"] == 0
        assert declared(ready["inputs"]) == [("x", "FP32", [-1]), ("words", "BYTES", [-1])]
        inputs = {"x": np.array([1, 2], np.float32), "words": words(b"", "ä".encode())}
        answer = server.ask(inputs)
        np.testing.assert_array_equal(answer["arrays"]["y"], [3, 6])
        assert list(answer["arrays"]["words"]) == [b"!", "ä!".encode()]
        assert answer["arrays"]["wide"].dtype == np.float64
        assert answer["compute_ns"] > 0
        some = server.ask(inputs, outputs=("wide",))
        assert list(some["arrays"]) == ["wide"]
        assert server.end() == 0
        assert server.output.read().split() == ["loaded", "closed"]


def test_slabs_are_used_again_once_they_are_free(tmp_path: Path) -> None:
    with serving(tmp_path, SCALE, {"factor": 1}) as server:
        server.hear()
        inputs = {"x": np.ones(10, np.float32), "words": words()}
        first, second = server.ask(inputs)["slab"], server.ask(inputs)["slab"]
        assert first != second
        again = server.ask(inputs, freed=(first,))
        assert again["slab"] == first and again["slab_bytes"] == 0
        larger = server.ask({"x": np.ones(10_000, np.float32), "words": words()}, freed=(first, second))
        assert larger["dropped"] == [first, second] and larger["slab_bytes"] >= 120_000
        empty = server.ask({"x": np.ones(0, np.float32), "words": words()})
        assert empty["slab"] == 0, empty


@pytest.mark.parametrize(
    ("what", "code", "text"),
    [
        ("wrong type", "INTERNAL", r"output 'y' is float64, and is declared FP32: use .astype\('float32'\)"),
        ("unknown name", "INTERNAL", "output 'z', and declares y, words, wide"),
        ("no dict", "INTERNAL", "infer.. returned ndarray, not a dict"),
        ("bad request", "INVALID_ARGUMENT", r"ValueError: x must not be empty \(.*model.py:\d+, in infer"),
    ],
)
def test_errors_of_a_model_are_answers(tmp_path: Path, what: str, code: str, text: str) -> None:
    with serving(tmp_path, SCALE, {"factor": 1}) as server:
        server.hear()
        inputs = {"x": np.ones(1, np.float32), "words": words()}
        answer = server.ask(inputs, do=what)
        assert answer["code"] == code
        pytest.raises(RuntimeError, _raise, answer["message"]).match(text)
        assert "code" not in server.ask(inputs)


def _raise(text: str) -> None:
    raise RuntimeError(text)


def test_a_module_with_functions_is_a_model(tmp_path: Path) -> None:
    code = "inputs = [('x', 'INT8', (2,))]\noutputs = inputs\nmax_batch_size = 4\ndef infer(x):\n    return {'x': -x}\n"
    with serving(tmp_path, code, {}) as server:
        assert server.hear()["inputs"] == [{"name": "x", "datatype": "INT8", "shape": [-1, 2], "labels": []}]
        answer = server.ask({"x": np.array([[1, 2]], np.int8)})
        np.testing.assert_array_equal(answer["arrays"]["x"], [[-1, -2]])


def test_a_model_of_tritons_form_computes(tmp_path: Path) -> None:
    with serving(tmp_path, TRITON, TRITON_CONFIG) as server:
        ready = server.hear()
        assert ready["max_batch_size"] == 8
        assert declared(ready["outputs"]) == [("y", "INT64", [-1, -1]), ("extra", "BYTES", [-1, 1])]
        answer = server.ask({"x": np.array([[1, 2, 3]], np.int32)}, k=5)
        np.testing.assert_array_equal(answer["arrays"]["y"], [[2, 3, 4]])
        assert answer["arrays"]["extra"].tolist() == [[b"m r7 5"]]
        empty = server.ask({"x": np.empty((1, 0), np.int32)})
        assert (empty["code"], empty["message"]) == ("INVALID_ARGUMENT", "x is empty")
        assert server.end() == 0
        assert server.output.read().endswith("finalized\n")


@pytest.mark.parametrize(
    ("code", "config", "text"),
    [
        ("import no_such_module", {}, "ModuleNotFoundError: No module named 'no_such_module'"),
        ("x = 1", {}, "no class `Model`"),
        ("def infer(x): pass", {}, "the model has no `inputs`"),
        ("inputs = outputs = [('x', 'FP31', ())]\ndef infer(x): pass", {}, "'FP31' is no type of tensors"),
        ("class TritonPythonModel: pass", {}, "`input` and `output`"),
        (TRITON, TRITON_CONFIG | {"model_transaction_policy": {"decoupled": True}}, "decoupled"),
    ],
    ids=["import", "nothing", "undeclared", "type", "no configuration", "decoupled"],
)
def test_a_model_that_cannot_be_loaded_says_why(tmp_path: Path, code: str, config: dict[str, Any], text: str) -> None:
    with serving(tmp_path, code, config) as server:
        failed = server.hear()
        assert failed["kind"] == "failed"
        pytest.raises(RuntimeError, _raise, failed["message"]).match(text)
        assert server.end() == 1


FAULTS = """
import os, signal, subprocess
import numpy as np

class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words")

class Model:
    inputs = [("x", "UINT8", (-1,))]
    outputs = [("z", "FP32", (-1,))]

    def __init__(self, config):
        pass

    def infer(self, x, parameters):
        what = parameters.get("do")
        if what == "shout":
            raise ValueError("\\U0001f600\\x01" * 6_000)
        if what == "unspeakable":
            raise Unspeakable
        if what == "child":
            child = subprocess.Popen(["sleep", "60"])
            child.terminate()
            assert child.wait(30) == -signal.SIGTERM
            forked = os.fork()
            if forked == 0:
                os.kill(os.getpid(), signal.SIGTERM)
                os._exit(0)
            assert os.waitstatus_to_exitcode(os.waitpid(forked, 0)[1]) == -signal.SIGTERM
        return {"z": np.zeros(parameters.get("count", 1), np.float32)}
"""


def test_a_long_or_strange_error_is_an_answer(tmp_path: Path) -> None:
    with serving(tmp_path, FAULTS, {}) as server:
        server.hear()
        inputs = {"x": np.zeros(1, np.uint8)}
        shouted = server.ask(inputs, do="shout")
        assert shouted["message"].startswith("ValueError: \U0001f600") and "model.py" in shouted["message"]
        assert "Unspeakable" in server.ask(inputs, do="unspeakable")["message"]
        assert "code" not in server.ask(inputs)


def test_signals_to_stop_are_for_the_server_and_for_what_the_model_starts(tmp_path: Path) -> None:
    with serving(tmp_path, FAULTS, {}) as server:
        server.hear()
        inputs = {"x": np.zeros(1, np.uint8)}
        for number in (signal.SIGTERM, signal.SIGINT):
            os.kill(server.pid, number)
            assert "code" not in server.ask(inputs)
        answer = server.ask(inputs, do="child")
        assert "code" not in answer, answer
        assert server.end() == 0


def test_outputs_beyond_the_limit_are_an_error_and_lose_no_slab(tmp_path: Path) -> None:
    with serving(tmp_path, FAULTS, {}, FOREBAY_WORKER_SHARED_BYTES="8192") as server:
        server.hear()
        inputs = {"x": np.zeros(1, np.uint8)}
        first = server.ask(inputs)["slab"]
        refused = server.ask(inputs, freed=(first,), count=3000)
        assert refused["code"] == "RESOURCE_EXHAUSTED" and refused["dropped"] == [first]
        assert "12288 bytes" in refused["message"] and "at most 8192" in refused["message"]
        second = server.ask(inputs, count=2000)
        assert second["slab_bytes"] == 8192
        assert server.ask(inputs)["code"] == "RESOURCE_EXHAUSTED"
        assert server.ask(inputs, freed=(second["slab"],))["slab"] == second["slab"]


def test_an_answer_that_is_too_long_is_an_error_and_loses_no_slab(tmp_path: Path) -> None:
    code = """
import numpy as np
names = [f"n{i:04}" for i in range(COUNT)]
inputs = [("x", "INT8", (-1,))]
outputs = [(name, "INT8", (-1,)) for name in names]
def infer(x):
    return dict.fromkeys(names, x)
"""
    x = {"x": np.ones(1, np.int8)}
    with serving(tmp_path, code.replace("COUNT", "1000"), {}) as server:
        assert server.hear()["kind"] == "ready"
        for _ in range(2):
            long = server.ask(x)
            assert long["code"] == "RESOURCE_EXHAUSTED" and "names and shapes take" in long["message"]
        one = server.ask(x, outputs=("n0007",))
        assert list(one["arrays"]) == ["n0007"] and one["slab"] == 3
    with serving(tmp_path, code.replace("COUNT", "2000"), {}) as server:
        failed = server.hear()
        assert failed["kind"] == "failed" and failed["code"] == "RESOURCE_EXHAUSTED"
        assert server.end() == 1


class Broken:
    """Content whose copy fails."""

    nbytes = 4
    dtype = np.dtype(np.float32)
    size = 1
    shape = (1,)


def test_a_copy_that_fails_gives_its_slab_back() -> None:
    slabs = OutputSlabs()
    with pytest.raises((TypeError, ValueError)):
        slabs.place([("y", "FP32", (1,), Broken())])  # type: ignore[list-item]
    assert descriptors_of_slabs() == []
    placed = slabs.place([("y", "FP32", (1,), np.ones(1, np.float32))])
    number = placed.fields["slab"]
    slabs.take_back(placed)
    assert descriptors_of_slabs() == [] and number == 2
    sent = slabs.place([("y", "FP32", (1,), np.ones(1, np.float32))])
    assert sent.descriptor is not None
    os.close(sent.descriptor)
    slabs.free([sent.fields["slab"]])
    with pytest.raises((TypeError, ValueError)):
        slabs.place([("y", "FP32", (1,), Broken())])  # type: ignore[list-item]
    again = slabs.place([("y", "FP32", (1,), np.ones(1, np.float32))])
    assert again.fields["slab"] == sent.fields["slab"] and again.descriptor is None


def descriptors_of_slabs() -> list[str]:
    links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
    return [target for link in links if os.path.lexists(link) and "forebay-model" in (target := os.readlink(link))]


def test_bytes_keep_their_elements() -> None:
    elements = words(b"", b"\0\xff", b"longer").reshape(3, 1)
    encoded = element_types.encode_bytes(elements)
    assert element_types.decode_bytes(encoded, 3).tolist() == [b"", b"\0\xff", b"longer"]
    packed = triton_utils.serialize_byte_tensor(elements)
    assert packed is not None and packed[0] == encoded
    assert triton_utils.deserialize_bytes_tensor(encoded).tolist() == [b"", b"\0\xff", b"longer"]
    assert triton_utils.serialize_byte_tensor(np.empty(0, dtype=object)) is None


def test_tritons_names_of_types_and_tensors() -> None:
    for name in ("BOOL", "UINT8", "INT64", "FP16", "FP32", "FP64"):
        assert triton_utils.numpy_to_triton_type(triton_utils.triton_string_to_numpy(f"TYPE_{name}")) == f"TYPE_{name}"
    assert triton_utils.triton_string_to_numpy("TYPE_STRING") is np.object_
    tensor = triton_utils.Tensor("x", np.arange(3))
    tensor.as_numpy().flags.writeable = False
    again = triton_utils.Tensor.from_dlpack("y", tensor.to_dlpack())
    np.testing.assert_array_equal(again.as_numpy(), [0, 1, 2])
    assert triton_utils.get_output_tensor_by_name(triton_utils.InferenceResponse([tensor]), "x") is tensor
    assert triton_utils.get_output_tensor_by_name(triton_utils.InferenceResponse([tensor]), "z") is None
    with pytest.raises(triton_utils.TritonModelException, match="ensemble"):
        triton_utils.InferenceRequest().exec()
