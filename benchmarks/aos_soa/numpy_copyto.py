"""NumPy: one numpy.copyto a field between a structured array and contiguous arrays."""

import time

import contender
import numpy

ENVIRONMENT = "torch"
CHECKED = 10000


def main() -> None:
    task = contender.read_task()
    row = task["row"]
    versions = {"numpy": numpy.__version__}
    if "pays" in row:
        return contender.deliver(task, {"versions": versions, "offered": False})
    words = [word.partition("x") for word in row["fields"].split()]
    dtype = numpy.dtype([(f"f{i}", f"<{kind}" if kind != "u1" else kind, (int(count),) if count else ())
                         for i, (kind, _, count) in enumerate(words)], align=row.get("aligned", False))
    count = CHECKED if task["check"] else int(row["mib"] * 2**20) // dtype.itemsize // 64 * 64
    records = numpy.zeros(count, dtype)
    index = numpy.arange(count)
    for field, name in enumerate(dtype.names):
        elements = numpy.prod(dtype[name].shape, dtype=int)
        values = (31 * index[:, None] + 7 * field + numpy.arange(elements)) % 100
        records[name] = values.reshape(records[name].shape)
    columns = [records[name].copy(order="C") for name in dtype.names]  # each in memory of its own

    def split() -> None:
        for name, column in zip(dtype.names, columns):
            numpy.copyto(column, records[name])

    def join() -> None:
        for name, column in zip(dtype.names, columns):
            numpy.copyto(records[name], column)

    function = split if row["way"] == "split" else join
    if task["check"]:
        function()
        numpy.save(task["check"], numpy.concatenate([column.astype(numpy.float32).ravel() for column in columns]))
        return contender.deliver(task, {"versions": versions})
    best = 1e30
    spent = 0.0
    passes = 0
    while passes < 3 or spent < task["seconds"]:
        begun = time.thread_time()
        function()
        taken = time.thread_time() - begun
        best = min(best, taken)
        spent += taken
        passes += 1
    contender.deliver(task, {"versions": versions, "gb_per_cpu_second": records.nbytes * 1e-9 / best})


if __name__ == "__main__":
    main()
