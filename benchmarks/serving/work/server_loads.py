"""Loads on a server, by load.cc: closed and open, and where the requests' time went."""

import json
import pathlib
import statistics
import struct
import subprocess

import environments
import model_servers
import processor_time
import request_bodies

FEW_CONNECTIONS, MANY_CONNECTIONS, OPEN_CONNECTIONS = 4, 16, 64
Scores = dict[str, list[float]]  # of each picture
SPARE_S = 40.0  # load.cc waits 20 s for what is left


class Loads:
    """The loads on one server; the requests of each kind lie ready in files."""

    def __init__(self, server: model_servers.Server, program: list[pathlib.Path], inputs: pathlib.Path) -> None:
        self.server = server
        self.program = program
        self.inputs = inputs

    def port(self) -> int:
        return self.server.port

    def last_words(self, kept: str) -> list[str]:
        return [kept]

    def scores(self, kind: str) -> Scores:
        """The server's scores of all pictures. RuntimeError where it refuses one."""
        found: Scores = {}
        for name in request_bodies.names(self.inputs):
            body, headers = request_bodies.body_of(self.server.name, self.server.is_plain, kind, self.inputs, name)
            status, answer = self.server.ask("POST", f"/v2/models/{kind}/infer", body, headers)
            if status != 200:
                raise RuntimeError(f"status {status}: {answer[:300].decode(errors='replace')}")
            found[name] = model_servers.answers_of(answer)["classes"]
        return found

    def requests(self, kind: str, asks_split: bool = False, model: str = "", output: str = "classes") -> pathlib.Path:
        """A file of requests to the model (by default `kind`) for all pictures, made when it is first asked for."""
        path = self.server.folder / f"requests-{model or kind}-{asks_split}"
        if not path.exists():
            form = (self.server.name, self.server.is_plain, kind, self.inputs)
            bodies = [request_bodies.body_of(*form, name, asks_split, output)
                      for name in request_bodies.names(self.inputs)]
            request_bodies.write(path, model or kind, bodies)
        return path

    def run(self, requests: pathlib.Path, connections: int, seconds: float, rate: float = 0, seed: int = 1,
            kept: str = "-") -> dict[str, float]:
        """What load.cc prints. RuntimeError where requests were refused or the server went."""
        words = [*self.program, self.port(), requests, connections, seconds, rate, seed, *self.last_words(kept)]
        run = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                             timeout=seconds + SPARE_S, env=environments.quiet())
        if run.returncode:
            raise RuntimeError(run.stderr.strip()[-800:])
        found: dict[str, float] = json.loads(run.stdout)
        if found["refused"] or not found["answered"]:
            said = run.stderr.strip()[-800:]
            raise RuntimeError(f"{found['refused']} requests refused, {found['answered']} answered: {said}")
        return found

    def closed(self, kind: str, connections: int, seconds: float) -> dict[str, float]:
        """As fast as it answers: requests a second, and a second of its processor time."""
        requests = self.requests(kind)
        self.run(requests, MANY_CONNECTIONS, min(1.0, seconds))  # warm
        found, cpu_us = self._counted(requests, connections, seconds)
        return {"requests_per_cpu_second": 1e6 / cpu_us, "requests_per_second": found["answered"] / found["seconds"],
                "cpu_us": cpu_us}

    def open(self, kind: str, seconds: float, rate: float, seed: int) -> dict[str, float]:
        """Requests that come at `rate`: milliseconds from when each was due."""
        found, cpu_us = self._counted(self.requests(kind), OPEN_CONNECTIONS, seconds, rate, seed)
        return {"p99_ms": found["p99_us"] / 1e3, "p50_ms": found["p50_us"] / 1e3, "rate": rate,
                "unanswered": found["unanswered"], "cpu_us": cpu_us}

    def _counted(self, requests: pathlib.Path, connections: int, seconds: float, rate: float = 0,
                 seed: int = 1) -> tuple[dict[str, float], float]:
        """What load.cc prints, and microseconds of the server's processor time a request."""
        before_s = self.server.cpu_seconds()
        found = self.run(requests, connections, seconds, rate, seed)
        cpu_s = max(self.server.cpu_seconds() - before_s, 1 / processor_time.TICKS)
        return found, cpu_s / found["answered"] * 1e6

    def split(self, kind: str, seconds: float, rate: float, seed: int) -> dict[str, float]:
        """Medians of the parts of a request's time; what remains is transport, with waiting that nobody counts."""
        kept = self.server.folder / "kept"
        before = self.server.queued(kind)
        self.run(self.requests(kind, asks_split=True), OPEN_CONNECTIONS, seconds, rate, seed, str(kept))
        after = self.server.queued(kind)
        answers = read_kept(kept)
        parts = [self.server.parts_of(body) for _, body in answers]
        found = {name: statistics.median(part[name] for part in parts) for name in parts[0]}
        left_ms = [total_ms - sum(part.values()) for (total_ms, _), part in zip(answers, parts)]
        found["transport_ms"] = statistics.median(left_ms)
        if before is not None and after is not None:
            found["waiting_ms"] = (after[1] - before[1]) / max(after[0] - before[0], 1)
            found["transport_ms"] = max(0.0, found["transport_ms"] - found["waiting_ms"])
        return found

    def preparing_cpu_us(self, seconds: float) -> float:
        """Of Forebay: processor time of the pipeline's threads a request, with a server of the pipeline alone."""
        assert self.server.process is not None
        requests = self.requests("encoded", model="prepare_encoded", output="prepared")
        self.run(requests, MANY_CONNECTIONS, min(1.0, seconds))  # warm
        before_s = processor_time.seconds_of_threads(self.server.process.pid, "forebay-worker")
        found = self.run(requests, MANY_CONNECTIONS, seconds)
        spent_s = processor_time.seconds_of_threads(self.server.process.pid, "forebay-worker") - before_s
        return spent_s / found["answered"] * 1e6


def read_kept(path: pathlib.Path) -> list[tuple[float, bytes]]:
    """Milliseconds and body of each answer that load.cc has kept."""
    content = path.read_bytes()
    found, at = [], 0
    while at < len(content):
        latency_ns, length = struct.unpack_from("<qI", content, at)
        at += struct.calcsize("<qI")
        found.append((latency_ns / 1e6, content[at : at + length]))
        at += length
    return found


def check(scores: Scores, kind: str, truth: Scores) -> None:
    """RuntimeError where the scores are not those of `truth`, nearly."""
    for name, expected in truth.items():
        furthest = max(abs(one - other) for one, other in zip(scores[name], expected))
        if furthest > model_servers.TOLERANCE or len(scores[name]) != len(expected):
            raise RuntimeError(f"other answers: picture {name}, {kind}: {scores[name]}, where {expected} is expected")
