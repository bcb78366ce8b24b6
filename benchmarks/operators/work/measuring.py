"""Rounds over all operators with both contenders in turns, and the comparison of what they gave."""

from __future__ import annotations

import argparse
import pathlib
import signal
import statistics
import sys
import tempfile
from typing import Any

import asking
import comparing
import environments
import machine
import numpy
import runner
from operator_table import Operator

OWN, PEER = "forebay", "dali"
Figures = dict[str, list[dict[str, float]]]


class Rounds:
    """What was measured until now; an operator that failed is not tried again."""

    def __init__(self, contenders: dict[str, asking.Contender], operators: dict[str, Operator]) -> None:
        self._contenders = contenders
        self._operators = operators
        self.figures: dict[str, Figures] = {name: {} for name in operators}
        self.failed: dict[str, dict[str, str]] = {}
        self.differences: dict[str, str] = {}

    def run(self, turn: int, rounds: int, seconds: float) -> None:
        names = list(self._contenders)[:: 1 if turn % 2 == 0 else -1]
        for operator in self._operators:
            for name in names:
                if operator in self.failed:
                    break
                runner.say(f"round {turn + 1}/{rounds}  {operator}  {name}")
                self._tried(operator, name, lambda of: of.ask(measure=seconds))

    def compare(self) -> None:
        for name, operator in self._operators.items():
            runner.say(f"outputs of {name}")
            with tempfile.TemporaryDirectory() as folder:
                outputs = [self._outputs(operator, contender, folder) for contender in (OWN, PEER)]
            if name not in self.failed:
                self.differences[name] = comparing.difference(*outputs, operator.bar)

    def _outputs(self, operator: Operator, contender: str, folder: str) -> comparing.Outputs:
        path = f"{folder}/{contender}.npz"
        if operator.name not in self.failed:
            self._tried(operator.name, contender, lambda of: of.ask(check=path))
        if operator.name in self.failed:
            return {}
        with numpy.load(path) as arrays:
            return dict(arrays)

    def _tried(self, operator: str, name: str, work: Any) -> None:
        contender = self._contenders[name]
        try:
            contender.ask(open=operator)
            found = work(contender)
        except RuntimeError as error:
            self.failed.setdefault(operator, {})[name] = str(error)
            return
        if "samples_per_second" in found:
            self.figures[operator].setdefault(name, []).append(found)


def _line(figures: Figures) -> dict[str, Any]:
    """Medians of the rounds, and of their ratios."""
    line: dict[str, Any] = {name: {metric: statistics.median(each[metric] for each in rounds) for metric in rounds[0]}
                            for name, rounds in figures.items()}
    pairs = list(zip(figures[OWN], figures[PEER]))
    line["ratio"] = statistics.median(mine["samples_per_cpu_second"] / other["samples_per_cpu_second"]
                                      for mine, other in pairs)
    line["ratio_of_time"] = statistics.median(mine["samples_per_second"] / other["samples_per_second"]
                                              for mine, other in pairs)
    return line


def _contenders(folder: pathlib.Path) -> dict[str, asking.Contender]:
    commands = environments.contenders(folder, {OWN, PEER})
    absent = [name for name in (OWN, PEER) if not commands.get(name)]
    if absent:
        sys.exit(f"{', '.join(absent)}: its environment is missing: `make build PRESET=release`, `make peers`")
    return {name: asking.Contender(name, commands[name]) for name in (OWN, PEER)}


def measure(folder: pathlib.Path, operators: dict[str, Operator], arguments: argparse.Namespace) -> dict[str, Any]:
    """The report; interrupted, that of the rounds until then."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    contenders = _contenders(folder)
    rounds = Rounds(contenders, operators)
    try:
        for turn in range(arguments.rounds):
            rounds.run(turn, arguments.rounds, arguments.seconds)
        if not arguments.no_check:
            rounds.compare()
    except KeyboardInterrupt:
        print("interrupted: this is what was measured until then", file=sys.stderr)
    finally:
        for contender in contenders.values():
            contender.close()
        runner.say("")
    lines = {name: _line(figures) for name, figures in rounds.figures.items()
             if name not in rounds.failed and len(figures) == len(contenders)}
    return {"operators": lines, "failed": rounds.failed,
            "differences": {name: what for name, what in rounds.differences.items() if what},
            "compared": len(rounds.differences), "versions": {one.name: one.versions for one in contenders.values()},
            "machine": {**machine.facts(), "rounds": arguments.rounds}}
