"""The rounds: each visits every kind of request with every server, in turns, while all servers stay up."""

import argparse
import contextlib
import json
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import environments
import grpc_loads
import model_servers
import runner
import server_loads

SHARES = (0.25, 0.5, 0.75)
OVER_GRPC = " over gRPC"
ROWS: dict[str, runner.Row] = {"encoded": {}, "decoded": {}, f"encoded{OVER_GRPC}": {}, f"decoded{OVER_GRPC}": {},
                               "preprocessing": {}}
SPLIT_SHARE = 0.5
BARE = "bare pipeline"


class ServingBenchmark(runner.Benchmark):
    """`folder` is for everything that is made."""

    def __init__(self, place: pathlib.Path, folder: pathlib.Path, arguments: argparse.Namespace, cores: int) -> None:
        super().__init__(place, lambda data: ROWS, "", "none", 1, arguments)
        self.place = folder
        self.cores = cores
        self.inputs = folder / "inputs"
        self.loads: dict[str, server_loads.Loads] = {}
        self.grpc_loads: dict[str, server_loads.Loads] = {}

    def measure(self) -> dict[str, Any]:
        with contextlib.ExitStack() as stack:
            try:
                self._bring_up(stack)
                for turn in range(self.arguments.rounds):
                    for row in self.rows:
                        self._row(turn, row)
            except KeyboardInterrupt:
                print("interrupted: this is what was measured until then", file=sys.stderr)
            return self._report({})

    def _bring_up(self, stack: contextlib.ExitStack) -> None:
        runner.say("making the pictures and the model")
        self.inputs.mkdir()
        model_servers.make_inputs(self.inputs, self.arguments.count, self.arguments.pictures)
        program = model_servers.compiled_load(self.place)
        wanted = self.arguments.only.split(",") if self.arguments.only else [kind.name for kind in model_servers.ALL]
        for kind in (kind for kind in model_servers.ALL if kind.name in {runner.OWN, *wanted}):
            (self.place / kind.name).mkdir()
            server = kind(self.place / kind.name, self.inputs, self.cores, not self.arguments.pictures)
            missing = server.missing()
            if missing:
                self.absent[kind.name] = missing
                continue
            runner.say(f"starting {kind.name}")
            stack.callback(server.stop)
            with self._told(kind.name):
                server.start()
                self.versions[kind.name] = {kind.name: server.version()}
                self.loads[kind.name] = server_loads.Loads(server, [program], self.inputs)
                self.grpc_loads[kind.name] = grpc_loads.GrpcLoads(server, self.inputs)
        self._compare_answers()

    def _compare_answers(self) -> None:
        if self.arguments.no_check:
            return
        truths: dict[str, server_loads.Scores] = {}  # of each kind: what the first server says, by the first protocol
        for row in [row for row in self.rows if row != "preprocessing"]:
            kind = _kind_of(row)
            for name in self._present():
                runner.say(f"comparing answers: {row}  {name}")
                with self._told(name):
                    scores = self._loads_of(row)[name].scores(kind)
                    server_loads.check(scores, row, truths.setdefault(kind, scores))

    def _loads_of(self, row: str) -> dict[str, server_loads.Loads]:
        return self.grpc_loads if row.endswith(OVER_GRPC) else self.loads

    def _present(self) -> list[str]:
        return [name for name in self.loads if name not in self.absent]

    @contextlib.contextmanager
    def _told(self, name: str) -> Iterator[None]:
        """What fails makes the server absent, with the reason."""
        try:
            yield
        except (RuntimeError, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
            self.absent[name] = f"failed: {model_servers.told(error)}"

    def _take(self, name: str, row: str, metrics: dict[str, float]) -> None:
        self.samples.setdefault((name, row), []).append(metrics)

    def _row(self, turn: int, row: str) -> None:
        if row == "preprocessing":
            return self._preprocessing(turn)
        names = self._present()
        names = names[turn % len(names) :] + names[: turn % len(names)] if names else []
        self._closed(turn, row, server_loads.FEW_CONNECTIONS, names)
        capacity = self._closed(turn, row, server_loads.MANY_CONNECTIONS, names)
        if not capacity:
            return
        if row.endswith(OVER_GRPC):
            rates = {name: each / 2 for name, each in capacity.items()}
            return self._open(turn, row, f"{row}, half of its own rate", rates)
        least = min(capacity.values())
        for share in SHARES:
            rates = {name: share * each for name, each in capacity.items()}
            self._open(turn, row, f"{row}, {share:.0%} of its own rate", rates)
        self._open(turn, row, f"{row}, half the slowest one's rate", dict.fromkeys(capacity, least / 2))
        for name, most in capacity.items():
            runner.say(f"round {turn + 1}/{self.arguments.rounds}  {row}  {name}  where the time goes")
            with self._told(name):
                found = self.loads[name].split(row, self.arguments.seconds, most * SPLIT_SHARE, turn)
                self._take(name, f"{row}, parts of a request's time at half its rate", found)

    def _closed(self, turn: int, kind_row: str, connections: int, names: list[str]) -> dict[str, float]:
        """Requests a second of each."""
        row = f"{kind_row}, {connections} connections"
        loads, kind = self._loads_of(kind_row), _kind_of(kind_row)
        found: dict[str, float] = {}
        for name in names:
            runner.say(f"round {turn + 1}/{self.arguments.rounds}  {row}  {name}")
            with self._told(name):
                metrics = loads[name].closed(kind, connections, self.arguments.seconds)
                found[name] = metrics["requests_per_second"]
                self._take(name, row, metrics)
        return found

    def _open(self, turn: int, kind_row: str, row: str, rates: dict[str, float]) -> None:
        loads, kind = self._loads_of(kind_row), _kind_of(kind_row)
        for name, rate in rates.items():
            runner.say(f"round {turn + 1}/{self.arguments.rounds}  {row}  {name}")
            with self._told(name):
                self._take(name, row, loads[name].open(kind, self.arguments.seconds, rate, turn))

    def _preprocessing(self, turn: int) -> None:
        """Forebay's pipeline in the server, beside the same pipeline in a process of its own."""
        if runner.OWN not in self._present():
            return
        row = "preprocessing, CPU of the pipeline"
        for name in (runner.OWN, BARE) if turn % 2 == 0 else (BARE, runner.OWN):
            runner.say(f"round {turn + 1}/{self.arguments.rounds}  {row}  {name}")
            if name == BARE:
                self._take(name, row, {"cpu_us": self._bare()["cpu_us"]})
                self.versions[BARE] = dict(self.versions[runner.OWN])
            else:
                with self._told(name):
                    self._take(name, row, {"cpu_us": self.loads[name].preparing_cpu_us(self.arguments.seconds)})

    def _bare(self) -> dict[str, float]:
        words = [sys.executable, "-P", str(model_servers.HERE / "bare_pipeline.py"), str(model_servers.EXAMPLES),
                 str(self.inputs), str(self.arguments.seconds), str(self.cores)]
        run = subprocess.run(words, capture_output=True, text=True, check=True, env=environments.quiet(),
                             timeout=self.arguments.seconds + model_servers.START_S)
        found: dict[str, float] = json.loads(run.stdout)
        return found


def _kind_of(row: str) -> str:
    return row.removesuffix(OVER_GRPC)
