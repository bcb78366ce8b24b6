"""Runs the contenders of one benchmark against each other: interleaved rounds, a fresh process each, pinned cores.

Every round visits every row with every contender, in an order that turns from round to round, so that a slow minute of
the machine does not fall on one of them. A contender's figure is the median of its rounds; a ratio is the median of the
rounds' ratios.
"""

import argparse
import json
import math
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import environments
import machine
import table

OWN = "forebay"
LIMIT_S = 600
DEFAULT_DATA = pathlib.Path(os.environ.get("FOREBAY_DATA", environments.ROOT.parent / "shared" / "data"))

Row = dict[str, Any]


class Benchmark:
    """One folder of contenders.

    `rows` makes what is measured, by name, from the folder of data; `reference` is the contender whose pictures count,
    with values that reach over `peak`.
    """

    def __init__(self, folder: pathlib.Path, rows: Callable[[str], dict[str, Row]], data: str, reference: str,
                 peak: float, arguments: argparse.Namespace | None = None) -> None:
        """`arguments`: those of a program that has options of its own."""
        self.folder = folder
        self.reference = reference
        self.peak = peak
        self.arguments = arguments or parsed(parser(folder.name, data))
        self.rows = self._choose(rows(self.arguments.data))
        self.absent: dict[str, str] = {}
        self.versions: dict[str, dict[str, str]] = {}
        self.samples: dict[tuple[str, str], list[dict[str, float]]] = {}

    def _choose(self, rows: dict[str, Row]) -> dict[str, Row]:
        wanted = (self.arguments.rows or "").split(",")
        return {name: row for name, row in rows.items() if any(part in name for part in wanted)}

    def _start(self, command: list[str], row: Row, check: str | None) -> dict[str, Any]:
        """Runs one contender once; its result, or RuntimeError with the end of what it said."""
        cores = sorted(os.sched_getaffinity(0))[-row.get("threads", 1) :]
        with tempfile.TemporaryDirectory() as folder:
            result = pathlib.Path(folder) / "result.json"
            task = {"data": self.arguments.data, "row": row, "result": str(result), "check": check,
                    "seconds": self.arguments.seconds}
            pinned = ["taskset", "-c", ",".join(map(str, cores)), *command, json.dumps(task)]
            environment = environments.quiet(row.get("sees_gpu", False))
            run = subprocess.run(pinned, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
            if run.returncode or not result.exists():
                raise RuntimeError(run.stderr.strip()[-800:] or f"exit status {run.returncode}")
            found: dict[str, Any] = json.loads(result.read_text())
            return found

    def _measure(self, name: str, command: list[str], row_name: str) -> None:
        result = self._start(command, self.rows[row_name], None)
        self.versions[name] = result.pop("versions")
        if result.pop("offered", True):
            self.samples.setdefault((name, row_name), []).append(result)

    def _pictures(self, command: list[str], row: Row, path: str) -> Any:
        import numpy

        self._start(command, row, path)
        return numpy.load(path).astype(numpy.float64) if pathlib.Path(path).exists() else None

    def compared(self, picture: Any, truth: Any) -> dict[str, float]:
        """How close a contender's pictures are to the reference's, as metrics of the report."""
        return {"psnr_db": psnr(picture, truth, self.peak)}

    def _compare(self, commands: dict[str, list[str]]) -> dict[tuple[str, str], dict[str, float]]:
        """Each contender's pictures compared with the reference's, a row each."""
        found: dict[tuple[str, str], dict[str, float]] = {}
        if self.arguments.no_check or not commands.get(self.reference):
            return found
        for row_name, row in self.rows.items():
            with tempfile.TemporaryDirectory() as folder:
                truth = self._pictures(commands[self.reference], row, f"{folder}/truth.npy")
                for name in commands:
                    if name == self.reference or truth is None or (name, row_name) not in self.samples:
                        continue
                    picture = self._pictures(commands[name], row, f"{folder}/{name}.npy")
                    if picture is not None and picture.shape == truth.shape:
                        found[name, row_name] = self.compared(picture, truth)
        return found

    def run(self) -> int:
        """The whole benchmark; prints the report; the exit status."""
        report = self.measure()
        if self.arguments.json:
            print(json.dumps(report, indent=1))
        else:
            print(table.text(report, self.arguments.markdown))
        return self.status()

    def measure(self) -> dict[str, Any]:
        """All rounds; the report."""
        only = self.arguments.only
        commands = environments.contenders(self.folder, {OWN, *only.split(",")} if only else None)
        for name in [name for name, command in commands.items() if not command]:
            self.absent[name] = "not built or its environment is missing: `make peers`, `make bench`"
            del commands[name]
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            for turn in range(self.arguments.rounds):
                self._round(turn, commands)
        except KeyboardInterrupt:
            print("interrupted: this is what was measured until then", file=sys.stderr)
            return self._report({})
        present = {name: command for name, command in commands.items() if name not in self.absent}
        return self._report(self._compare(present))

    def _round(self, turn: int, commands: dict[str, list[str]]) -> None:
        names = list(commands)
        names = names[turn % len(names) :] + names[: turn % len(names)] if names else []
        for row_name in self.rows:
            for name in [name for name in names if name not in self.absent]:
                say(f"round {turn + 1}/{self.arguments.rounds}  {row_name}  {name}")
                try:
                    self._measure(name, commands[name], row_name)
                except subprocess.TimeoutExpired:
                    self.absent[name] = f"failed: it took more than {LIMIT_S} s"
                except RuntimeError as error:
                    self.absent[name] = f"failed: {str(error).splitlines()[-1]}"

    def _report(self, pictures: dict[tuple[str, str], dict[str, float]]) -> dict[str, Any]:
        say("")
        return {"contenders": self._contenders(pictures), "ratios": self._ratios(), "absent": self.absent,
                "machine": {**machine.facts(), "rounds": self.arguments.rounds, "data": self.arguments.data}}

    def status(self) -> int:
        """1, with a word why, if Forebay itself was not measured."""
        if not self.samples:
            print("nothing was measured: the table is empty", file=sys.stderr)
            return 1
        if OWN in self.absent or not any(name == OWN for name, _ in self.samples):
            print(f"{OWN} itself is absent: {self.absent.get(OWN, 'no such contender')}", file=sys.stderr)
            return 1
        return 0

    def _contenders(self, pictures: dict[tuple[str, str], dict[str, float]]) -> dict[str, Any]:
        contenders: dict[str, Any] = {}
        for (name, row_name), samples in self.samples.items():
            row = {metric: statistics.median(sample[metric] for sample in samples if metric in sample)
                   for metric in metrics_of(samples)}
            row.update(pictures.get((name, row_name), {}))
            one = contenders.setdefault(name, {"versions": self.versions[name], "rows": {}})
            one["rows"][row_name] = row
        return contenders

    def _ratios(self) -> dict[str, Any]:
        ratios: dict[str, Any] = {}
        for (name, row_name), samples in self.samples.items():
            own = self.samples.get((OWN, row_name))
            if name == OWN or not own:
                continue
            quotients = {metric: [mine[metric] / other[metric] for mine, other in zip(own, samples)
                                  if metric in mine and other.get(metric)] for metric in metrics_of(samples)}
            ratios.setdefault(f"{OWN}/{name}", {})[row_name] = {
                metric: statistics.median(of_rounds) for metric, of_rounds in quotients.items() if of_rounds
            }
        return ratios


def parser(name: str, data: str) -> argparse.ArgumentParser:
    """The options of every benchmark; `data` is the default folder below the data for benchmarks."""
    parser = argparse.ArgumentParser(prog=f"benchmarks/{name}/run")
    parser.add_argument("--data", default=str(DEFAULT_DATA / data), help="folder of pictures")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3.0, help="least time to measure, a contender and round")
    parser.add_argument("--only", help="contenders, by comma; forebay is always one of them")
    parser.add_argument("--rows", help="rows whose name contains one of these, by comma")
    parser.add_argument("--no-check", action="store_true", help="do not compare the pictures")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON object")
    shape.add_argument("--markdown", action="store_true", help="print Markdown tables")
    return parser


def parsed(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The command line, whose folder of data is there."""
    arguments = parser.parse_args()
    if not pathlib.Path(arguments.data).is_dir():
        parser.error(f"no folder {arguments.data}: name one with --data")
    return arguments


def metrics_of(samples: list[dict[str, float]]) -> list[str]:
    """Those that any round gave: what came of a job that failed in one of them is missing there."""
    return list(dict.fromkeys(metric for sample in samples for metric in sample))


def psnr(picture: Any, truth: Any, peak: float) -> float:
    """Peak signal-to-noise ratio in dB; 99 for equal pictures."""
    error = float(((picture - truth) ** 2).mean())
    return 99.0 if error == 0 else min(99.0, 10 * math.log10(peak**2 / error))


def say(text: str) -> None:
    """Progress, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="" if text else "", file=sys.stderr, flush=True)
