"""The three servers as processes: started, waited for, asked plainly, ended."""

import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
from typing import IO, Any

import environments
import processor_time
import repositories

EXAMPLES = environments.ROOT / "examples" / "serving"
HERE = pathlib.Path(__file__).resolve().parent
START_S, STOP_S, ANSWER_S = 180.0, 30.0, 60.0
TOLD_LINES = 8  # of the log of a server that did not start
TOLERANCE = 0.02  # of scores between 0 and 1


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Server:
    """One server over a folder of its own. A subclass says how it is started."""

    name = ""
    is_plain = False  # whether tensors are JSON only, without bytes behind it

    def __init__(self, folder: pathlib.Path, inputs: pathlib.Path, cores: int, same_shapes: bool) -> None:
        self.folder = folder
        self.model = inputs / "model.onnx"
        self.cores = cores
        self.same_shapes = same_shapes
        self.port = 0
        self.grpc_port = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.log: IO[bytes] | None = None

    def missing(self) -> str:
        """What keeps it from being measured; empty if nothing does."""
        raise NotImplementedError

    def command(self) -> tuple[list[str], dict[str, str]]:
        """Writes the folder of models; words and environment. Sets the ports."""
        raise NotImplementedError

    def version(self) -> str:
        raise NotImplementedError

    def start(self) -> None:
        """Until both models are ready. RuntimeError with the end of its log if that fails."""
        words, environment = self.command()
        self.log = (self.folder / "log").open("w+b")
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT,
                                        cwd=self.folder, env={**environments.quiet(), **environment},
                                        start_new_session=True)
        end = time.monotonic() + START_S
        while not all(self.is_ready(kind) for kind in repositories.INPUTS):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"it was not ready: {self.last_words()}")
            time.sleep(0.1)

    def last_words(self) -> str:
        assert self.log is not None
        self.log.seek(0)
        return " | ".join(self.log.read().decode(errors="replace").strip().splitlines()[-TOLD_LINES:])

    def is_ready(self, kind: str) -> bool:
        try:
            return self.ask("GET", f"/v2/models/{kind}/ready")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def ask(self, method: str, path: str, body: bytes = b"",
            headers: dict[str, str] | None = None) -> tuple[int, bytes]:
        """The status and the body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_S)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def cpu_seconds(self) -> float:
        assert self.process is not None
        return processor_time.seconds_of_tree(self.process.pid)

    def parts_of(self, body: bytes) -> dict[str, float]:
        """Milliseconds that an answer says its request's preprocessing and inference took, in its batch. What is neither
        these nor waiting is transport: from the client, to other processes, and back."""
        preparing_ns, inferring_ns = answers_of(body)["spent"][:2]
        return {"preprocessing_ms": preparing_ns / 1e6, "inference_ms": inferring_ns / 1e6}

    def queued(self, kind: str) -> tuple[int, float] | None:
        """Requests so far, and the milliseconds that they waited for their batch, where the server counts them."""
        return None

    def stop(self) -> None:
        """All processes of its session, whatever they do."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait(ANSWER_S)
        if self.log is not None:
            self.log.close()


class Forebay(Server):
    name = "forebay"

    def program(self) -> str:
        beside = pathlib.Path(sys.prefix) / "bin" / "forebay"
        return os.environ.get("FOREBAY_PROGRAM") or (str(beside) if beside.exists() else "")

    def library(self) -> pathlib.Path | None:
        pattern = "lib/python*/site-packages/onnxruntime/capi/libonnxruntime.so.*"
        found = sorted((environments.ROOT / ".peers" / "serving").glob(pattern))
        return found[0] if found else None

    def missing(self) -> str:
        if not self.program():
            return "the program is not built: `make build`"
        return "" if self.library() else "no ONNX Runtime: `tools/peers.sh serving`"

    def command(self) -> tuple[list[str], dict[str, str]]:
        repositories.forebay(self.folder / "models", self.model, EXAMPLES, self.cores)
        self.port, self.grpc_port = free_ports(2)
        words = [self.program(), "serve", str(self.folder / "models"), f"--http-port={self.port}",
                 f"--grpc-port={self.grpc_port}", f"--python={sys.executable}", "--drain=5"]
        return words, {"FOREBAY_ONNXRUNTIME": str(self.library())}

    def version(self) -> str:
        return (environments.ROOT / "VERSION").read_text().strip()

    def parts_of(self, body: bytes) -> dict[str, float]:
        """By the times of the ensemble's steps."""
        steps = json.loads(body)["parameters"]["steps"]
        steps = json.loads(steps) if isinstance(steps, str) else steps
        spent = [step["compute_ns"] / 1e6 for step in steps]
        waited_ms = sum(step["queue_ns"] for step in steps) / 1e6
        return {"preprocessing_ms": spent[0], "inference_ms": spent[1], "waiting_ms": waited_ms}


class Triton(Server):
    name = "triton"

    def missing(self) -> str:
        return "" if environments.usable("pytriton") else "`tools/peers.sh pytriton` was not run"

    def command(self) -> tuple[list[str], dict[str, str]]:
        wheel = pathlib.Path(environments.library_of("pytriton", "pytriton"))
        python = "%d.%d" % sys.version_info[:2]
        stub = wheel / "tritonserver" / "python_backend_stubs" / python / "triton_python_backend_stub"
        backends = self.folder / "backends"
        shutil.copytree(wheel / "tritonserver" / "backends", backends)
        shutil.copy(stub, backends / "python" / stub.name)  # that of this Python
        repositories.triton(self.folder / "models", self.model, self.cores)
        self.port, self.grpc_port, metrics = free_ports(3)
        words = [str(wheel / "tritonserver" / "bin" / "tritonserver"), f"--model-repository={self.folder / 'models'}",
                 f"--backend-directory={backends}", "--http-address=127.0.0.1", f"--http-port={self.port}",
                 "--grpc-address=127.0.0.1", f"--grpc-port={self.grpc_port}", f"--metrics-port={metrics}",
                 "--exit-timeout-secs=10", f"--http-thread-count={max(8, self.cores)}"]
        environment = environments.ROOT / ".peers" / "pytriton"
        python_library = subprocess.run(
            [str(environment / "bin" / "python"), "-c", "import sysconfig; print(sysconfig.get_config_var('LIBDIR'))"],
            capture_output=True, text=True, check=True).stdout.strip()
        libraries = f"{python_library}:{wheel.parent / 'nvidia_pytriton.libs'}"
        return words, {"LD_LIBRARY_PATH": libraries, "PYTHONPATH": str(wheel.parent),
                       "FOREBAY_BENCHMARK_WORK": str(HERE), "PATH": f"{environment / 'bin'}:{os.environ['PATH']}"}

    def version(self) -> str:
        return f"Triton 2.51 of nvidia-pytriton {environments.pinned_version('pytriton', 'nvidia-pytriton')}"

    def queued(self, kind: str) -> tuple[int, float] | None:
        queue = json.loads(self.ask("GET", f"/v2/models/{kind}/stats")[1])["model_stats"][0]["inference_stats"]["queue"]
        return int(queue.get("count", 0)), int(queue.get("ns", 0)) / 1e6


class MlServer(Server):
    name = "mlserver"
    is_plain = True

    def missing(self) -> str:
        return "" if environments.usable("mlserver") else "`tools/peers.sh mlserver` was not run"

    def command(self) -> tuple[list[str], dict[str, str]]:
        ports = free_ports(3)
        self.port, self.grpc_port = ports[:2]
        repositories.mlserver(self.folder / "models", self.model, (ports[0], ports[1], ports[2]), self.cores,
                              self.same_shapes)
        program = environments.ROOT / ".peers" / "mlserver" / "bin" / "mlserver"
        return [str(program), "start", str(self.folder / "models")], {"PYTHONPATH": str(HERE)}

    def version(self) -> str:
        return f"MLServer {environments.pinned_version('mlserver', 'mlserver')}"


ALL: tuple[type[Server], ...] = (Forebay, Triton, MlServer)


def make_inputs(folder: pathlib.Path, count: int, pictures: str | None) -> None:
    words = [environments.python_of("serving"), HERE / "make_inputs.py", EXAMPLES, folder, count]
    words += [pictures] if pictures else []
    subprocess.run([str(word) for word in words], check=True, timeout=START_S, env=environments.quiet())


def compiled_load(folder: pathlib.Path) -> pathlib.Path:
    """The program that makes the load."""
    compiler = shutil.which("c++")
    if compiler is None:
        raise SystemExit("no C++ compiler (c++), by which the load is made")
    program = folder / "load"
    subprocess.run([compiler, "-O2", "-std=c++20", str(HERE / "load.cc"), "-o", str(program)], check=True, timeout=120)
    return program


def told(error: Exception) -> str:
    return str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__


def answers_of(body: bytes) -> dict[str, Any]:
    """An answer's outputs by name, as flat lists."""
    return {each["name"]: each["data"] for each in json.loads(body)["outputs"]}
