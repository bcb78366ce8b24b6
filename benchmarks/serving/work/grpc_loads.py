"""Loads on a server over gRPC: the messages are made, and answers read, by Triton's client."""

import json
import pathlib
import subprocess

import environments
import model_servers
import server_loads

ENVIRONMENT = "serving"  # where tritonclient.grpc is


class GrpcLoads(server_loads.Loads):
    """By grpc_load.py, whose own time is much of the machine's where cores are few."""

    def __init__(self, server: model_servers.Server, inputs: pathlib.Path) -> None:
        python = environments.python_of(ENVIRONMENT)
        super().__init__(server, [python, model_servers.HERE / "grpc_load.py"], inputs)

    def port(self) -> int:
        return self.server.grpc_port

    def last_words(self, kept: str) -> list[str]:
        return []

    def requests(self, kind: str, asks_split: bool = False, model: str = "", output: str = "classes") -> pathlib.Path:
        path = self.server.folder / f"messages-{kind}"
        if not path.exists():
            _client("make", self.inputs, kind, path)
        return path

    def scores(self, kind: str) -> server_loads.Scores:
        found: server_loads.Scores = json.loads(_client("ask", self.inputs, kind, self.server.grpc_port))
        return found


def _client(*words: object) -> str:
    command = [environments.python_of(ENVIRONMENT), model_servers.HERE / "grpc_client.py", *words]
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                         env=environments.quiet(), timeout=model_servers.START_S)
    if run.returncode:
        raise RuntimeError(f"Triton's client: {run.stderr.strip()[-800:]}")
    return run.stdout
