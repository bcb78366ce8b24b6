"""NumPy: the cost of a call alone."""

import contender
import numpy

ENVIRONMENT = "forebay"


def prepare(row):
    if row["kind"] != "call":
        return None
    x = numpy.ones(4, numpy.float32)
    return (lambda: x + 1), lambda: None, lambda seconds, cpu: {"call_ns": seconds * 1e9}


if __name__ == "__main__":
    contender.repeated(prepare, lambda: {"numpy": numpy.__version__})
