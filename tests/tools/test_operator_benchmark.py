"""The benchmark of operators leaves none out."""

import fnmatch
import pathlib
import sys

from forebay.fn import dali_names, generate

WORK = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "operators" / "work"
sys.path.insert(0, str(WORK))

import operator_table  # noqa: E402
import operators  # noqa: E402, F401


def test_every_operator_that_dali_has_is_measured_or_named() -> None:
    measured = {line.split()[0] for line in operator_table.OPERATORS}
    left_out = [pattern for names in operator_table.NOT_MEASURED for pattern in names.split(", ")]
    for name in {row["name"] for row in generate.table()} & set(dali_names.IN_FN):
        is_named = any(fnmatch.fnmatchcase(name, pattern) for pattern in left_out)
        assert name in measured or is_named, f"{name} has no line in benchmarks/operators/work"
