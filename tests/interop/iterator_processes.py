"""A program of test_iterator_suite.py: the iterators of a framework in forked and spawned processes, and at the exit.

    iterator_processes.py FRAMEWORK FOLDER

Says for each what held, and ends amid an epoch of all of them.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import pathlib
import pickle
import signal
import sys
import warnings
from typing import Any

from iterator_frameworks import Row, installed
from iterator_pipelines import Graph, files_of, reading

LONGEST_S = 100  # for another process; the test itself waits for longer

kept: dict[str, Any] = {}  # until the interpreter ends


def made_of(row: Row, files: list[str]) -> Any:
    graph: Graph = reading(files, random_shuffle=True)
    return row.make(graph, reader_name="reader")


def go_on(names: list[str], framework: str, files: list[str], states: dict[str, Any]) -> dict[str, list[list[int]]]:
    """In a spawned process: what comes behind the states."""
    found = {}
    for row in installed(framework):
        if row.name in names:
            made = made_of(row, files)
            row.saved(made).load_state_dict(states[row.name])
            steps = iter(made)
            found[row.name] = [row.labels(next(steps)) for _ in range(2)]
    return found


def refuses_in_a_child(row: Row, steps: Any) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # JAX has a word for it
        child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(LONGEST_S)
        try:
            next(steps)
        except RuntimeError as error:
            os._exit(0 if "fork" in str(error) else 4)
        os._exit(3)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def spawned(*arguments: Any) -> dict[str, list[list[int]]]:
    """What go_on() finds. Its process ends by itself: a multiprocessing.Pool would send it SIGTERM, for which Paddle has a
    handler that allocates memory, so that a process which is just doing the same never ends."""
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(go_on, *arguments).result(LONGEST_S)


def is_not_pickled(row: Row) -> bool:
    try:
        pickle.dumps(kept[row.name])
    except TypeError as error:
        return "cannot be pickled" in str(error)
    return False


def main() -> None:
    framework, folder = sys.argv[1:]
    files = files_of(pathlib.Path(folder), 8)
    rows = list(installed(framework))
    steps = {}
    for row in rows:
        kept[row.name] = made_of(row, files)
        steps[row.name] = iter(kept[row.name])
        next(steps[row.name])
    states = {row.name: row.saved(kept[row.name]).state_dict() for row in rows}
    for row in rows:
        if "fork" not in row.not_for:
            print(f"{row.name}: fork {'holds' if refuses_in_a_child(row, steps[row.name]) else 'fails'}")
    theirs = spawned(list(states), framework, files, states)
    for row in rows:
        own = [row.labels(next(steps[row.name])) for _ in range(2)]
        holds = theirs[row.name] == own and is_not_pickled(row)
        print(f"{row.name}: spawn {'holds' if holds else f'fails: {theirs[row.name]}, not {own}'}")
    kept.update({f"steps of {name}": each for name, each in steps.items()})


if __name__ == "__main__":
    main()
