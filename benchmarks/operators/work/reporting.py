"""Prints a report: one line an operator, the slowest beside DALI first, and what the lines come to."""

from __future__ import annotations

import statistics
import sys
from typing import Any

import measuring
import operator_table
import table

HEADER = ["operator", "DALI, samples/CPU-s", "Forebay", "ratio", "of time"]
AIM = 2.0


def _cells(name: str, line: dict[str, Any]) -> list[str]:
    figures = [f"{line[contender]['samples_per_cpu_second']:,.0f}" for contender in (measuring.PEER, measuring.OWN)]
    return [name, *figures, f"{line['ratio']:.2f}x", f"{line['ratio_of_time']:.2f}x"]


def _below(lines: dict[str, Any], limit: float) -> str:
    found = [f"{name} {line['ratio']:.2f}" for name, line in lines.items() if line["ratio"] < limit]
    return f"below {limit:g}: {len(found)} of {len(lines)}" + (f" ({', '.join(found)})" if found and limit <= 1 else "")


def text(report: dict[str, Any], markdown: bool) -> str:
    facts = report["machine"]
    pairs = (pair for one in report["versions"].values() for pair in one.items())
    versions = ", ".join(f"{library} {version}" for library, version in pairs)
    lines = dict(sorted(report["operators"].items(), key=lambda item: item[1]["ratio"]))
    told = [f"{facts['processor']}, {facts['cores']} cores, Linux {facts['kernel']}, {versions} ({facts['revision']}), "
            f"{facts['rounds']} rounds, medians", ""]
    told += table.grid(HEADER, [_cells(*one) for one in lines.items()], markdown)
    if lines:
        ratios = [line["ratio"] for line in lines.values()]
        told += ["", f"median ratio {statistics.median(ratios):.2f}x; {_below(lines, 1)}; {_below(lines, AIM)}"]
    told += ["", f"outputs compared: {report['compared']}, of which {len(report['differences'])} differ"]
    told += [f"  {name}: {what}" for name, what in report["differences"].items()]
    told += [f"failed: {name}: {contender}: {why}" for name, whys in report["failed"].items()
             for contender, why in whys.items()]
    told += [f"not measured: {names}: {why}" for names, why in operator_table.NOT_MEASURED.items()]
    return "\n".join(told)


def status(report: dict[str, Any]) -> int:
    """1, with a word why, if Forebay failed where DALI did not, or gave something else."""
    own = [name for name, whys in report["failed"].items() if measuring.OWN in whys]
    if own or report["differences"] or not report["operators"]:
        print(f"failed: {own}; differing: {list(report['differences'])}; {len(report['operators'])} measured",
              file=sys.stderr)
        return 1
    return 0
