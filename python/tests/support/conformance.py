"""What the conformance suite of readers is made of: places for data sets, data sets of any source, a plain model of
orders, cases, and the page that shows which source is asked what."""

from __future__ import annotations

import dataclasses
import itertools
import os
import pathlib
import types
from typing import Any, Callable, Iterator, Mapping, Protocol, Sequence, TypeVar

import numpy as np
import pytest
import s3_server
from reader_formats import Ids
from reader_sources import SOURCES, Files, Source

from forebay import Pipeline, pipeline_def

BATCH_SIZE = 4
IN_A_SHARD = 4
SEED = 7
TEN = tuple(range(10, 20))
"""Numbers that are not those of their places."""


class LocalPlace:
    """Data sets in folders."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.root = str(folder)

    def put(self, folder: str, files: Files) -> None:
        """Files are replaced and not overwritten, which a file system's clock might not show."""
        os.makedirs(f"{self.root}/{folder}", exist_ok=True)
        for name, data in files.items():
            path = f"{self.root}/{folder}/{name}"
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(f"{self.root}/new", "wb") as file:
                file.write(data)
            os.replace(f"{self.root}/new", path)

    def remove(self, folder: str, name: str) -> None:
        os.unlink(f"{self.root}/{folder}/{name}")

    def environment(self) -> dict[str, str]:
        """The variables by which it is found."""
        return {}


class S3Place:
    """Data sets in a bucket."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.root = "s3://sets"
        self.server = s3_server.S3Server(folder)
        self.server.put("sets")
        self._folder = folder / "sets"

    def put(self, folder: str, files: Files) -> None:
        for name, data in files.items():
            self.server.put(f"sets/{folder}/{name}", data)

    def remove(self, folder: str, name: str) -> None:
        (self._folder / folder / name).unlink()

    def environment(self) -> dict[str, str]:
        return self.server.environment()


Place = LocalPlace | S3Place


def parts_of(source: Source, ids: Ids, names: Sequence[str] = ()) -> dict[str, Ids]:
    """How numbers lie in files: some in each where the source has shards, but one under each of `names`."""
    size = IN_A_SHARD if source.in_shards and not names else 1
    pieces = [ids[first : first + size] for first in range(0, len(ids), size)]
    if source.in_shards and not ids:
        pieces = [()]
    return dict(zip(names or [f"{place:03}" for place in range(len(pieces))], pieces, strict=True))


@pipeline_def(num_threads=2, seed=SEED)
def reading(source: Source, root: str, names: Sequence[str], arguments: Mapping[str, Any]) -> Any:
    return source.read(root, names, name="reader", **arguments)


@dataclasses.dataclass
class DataSet:
    """A data set of a source, in a folder of a place."""

    source: Source
    place: Place
    folder: str
    parts: Mapping[str, Ids]
    names: list[str]  # that are read

    @property
    def root(self) -> str:
        return f"{self.place.root}/{self.folder}"

    def put(self, parts: Mapping[str, Ids]) -> None:
        self.place.put(self.folder, self.source.data_of(parts, self.names))

    def change(self, name: str, change: Callable[[bytes], bytes] | None) -> str:
        """Changes the file that holds the samples under a name, or removes it; where it is, or was."""
        files = self.source.files(name, self.parts[name])
        file = [each for each in files if not each.endswith((".idx", ".json"))][-1]
        if change is None:
            self.place.remove(self.folder, file)
        else:
            self.place.put(self.folder, {file: change(files[file])})
        return f"{self.root}/{file}"

    def all_but(self, name: str) -> list[int]:
        """The numbers that are not under a name."""
        return [number for each in self.names for number in self.parts[each] if each != name]

    def pipeline(
        self, *, batch_size: int = BATCH_SIZE, on_error: str = "raise", depth: int = 2, debug: bool = False,
        **arguments: Any
    ) -> Pipeline:
        """Other arguments are the reader's."""
        return reading(self.source, self.root, self.names, arguments, batch_size=batch_size, on_error=on_error,
                       prefetch_queue_depth=depth, debug=debug)

    def files_of(self, number: int) -> set[str]:
        """Where a sample may lie."""
        name = next(name for name, ids in self.parts.items() if number in ids)
        return {f"{self.root}/{file}" for file in self.source.files(name, self.parts[name])}


class Library:
    """Data sets: those that are only read are made once."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._kept: dict[tuple[str, Ids], DataSet] = {}
        self._count = itertools.count()

    def make(
        self, source: Source, parts: Mapping[str, Ids], folder: str = "", names: Sequence[str] = ()
    ) -> DataSet:
        """A new one, of which `names` are read, or all."""
        made = DataSet(source, self.place, f"{next(self._count)}{folder}", parts, list(names or parts))
        made.put(parts)
        return made

    def of(self, source: Source, ids: Ids) -> DataSet:
        """One that nobody changes."""
        key = (source.name, tuple(ids))
        if key not in self._kept:
            self._kept[key] = self.make(source, parts_of(source, ids))
        return self._kept[key]


def batch_of(pipe: Pipeline) -> list[int]:
    """The numbers in the next batch."""
    (output,) = pipe.run()
    return [number_of(output.at(place)) for place in range(len(output))]


def number_of(sample: Any) -> int:
    return int(np.asarray(sample).ravel()[0])


def epoch_of(pipe: Pipeline) -> list[int]:
    """The numbers of the first epoch, in whatever batches they come."""
    given: list[int] = []
    while True:
        numbers = batch_of(pipe)
        epochs = [sample["epoch"] for sample in pipe.delivered()]
        given += [number for number, epoch in zip(numbers, epochs, strict=True) if epoch == 0]
        if epochs[-1] > 0:
            return given


def numbers_of(pipe: Pipeline, count: int) -> list[int]:
    """The next `count` numbers, and what comes with them in whole batches is dropped."""
    given: list[int] = []
    while len(given) < count:
        given += batch_of(pipe)
    return given[:count]


Orders = Callable[[int], Sequence[int]]
"""The numbers of an epoch in their order."""


def stream(orders: Orders, shards: int = 1, shard: int = 0, sticks: bool = False, pads: bool = False) -> Iterator[int]:
    """What a rank is given, by the rules of docs/design/order.md."""
    for epoch in itertools.count():
        order = orders(epoch)
        assert order, "no further epoch is known"
        part = shard if sticks else (shard + epoch) % shards
        own = list(order[part * len(order) // shards : (part + 1) * len(order) // shards])
        if pads:
            longest = -(-len(order) // shards)
            own += [own[-1]] * (-(-longest // BATCH_SIZE) * BATCH_SIZE - len(own))
        yield from own


PATHS = {"annotations_file", "file_list", "file_root", "files", "index_path", "index_paths", "path", "paths",
         "preprocessed_annotations"}


class GivenAs:
    """A module of readers that get their paths in another form."""

    def __init__(self, module: Any, form: Callable[[str], Any]) -> None:
        self._module = module
        self._form = form

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        return GivenAs(found, self._form) if isinstance(found, types.ModuleType) else self._converting(found)

    def _converting(self, reader: Callable[..., Any]) -> Callable[..., Any]:
        def call(**arguments: Any) -> Any:
            for name in PATHS & arguments.keys():
                given = arguments[name]
                arguments[name] = self._form(given) if isinstance(given, str) else list(map(self._form, given))
            return reader(**arguments)

        return call


@dataclasses.dataclass(frozen=True)
class Case:
    title: str
    promise: str
    places: tuple[str, ...]
    needs: str

    def why_not(self, source: Source) -> str:
        """Why the source is not asked; empty if it is."""
        return source.cannot.get(self.title, "") or source.lacks.get(self.needs, "") or (
            "a file is a sample" if self.needs == "shards" and not source.in_shards else
            "its files are those in a folder" if self.needs == "list" and not source.repeats else "")

    def sources(self) -> list[Source]:
        return [source for source in SOURCES if not self.why_not(source)]


GROUPS: dict[str, list[Case]] = {"Order and names": [], "Faults and versions": []}
"""The cases of each module."""


Test = TypeVar("Test", bound=Callable[..., None])


class MakesCase(Protocol):
    """Makes the decorator of a test that every source passes, of data in each of the places."""

    def __call__(
        self, title: str, promise: str, places: tuple[str, ...] = ("local", "S3"), needs: str = ""
    ) -> Callable[[Test], Test]:
        """`needs`: an argument, or "shards" or a "list" of files."""


def case_of(group: str) -> MakesCase:
    """For the tests of a module."""

    def case(
        title: str, promise: str, places: tuple[str, ...] = ("local", "S3"), needs: str = ""
    ) -> Callable[[Test], Test]:
        made = Case(title, promise, places, needs)
        GROUPS[group].append(made)

        def decorate(test: Test) -> Test:
            for_sources = pytest.mark.parametrize("source", [
                pytest.param(source, id=source.name, marks=[pytest.mark.xfail(reason=source.fails[title], strict=True)]
                             if title in source.fails else []) for source in made.sources()])
            decorated: Test = pytest.mark.parametrize("library", places, indirect=True)(for_sources(test))
            return decorated

        return decorate

    return case


def page() -> str:
    """docs/operators/sources.md."""
    notes: list[str] = []

    def note(text: str) -> str:
        if text not in notes:
            notes.append(text)
        return f"[{notes.index(text) + 1}]"

    def cell(source: Source, each: Case) -> str:
        if why := each.why_not(source):
            return note(why)
        if each.title in source.fails:
            return "no " + note(source.fails[each.title])
        places = "both" if len(each.places) == 2 else each.places[0]
        if each.title == "odd names" and source.cannot_name:
            places += " " + note(f"no {', '.join(source.cannot_name)}: the format has no place for them")
        return places

    lines = ["# What every source of samples promises", ""]
    lines += ["Generated from the table of sources in python/tests/support/reader_sources.py and the cases in",
              "test_reader_conformance.py and test_reader_faults.py, which ask the same of every reader. In the",
              "tables, \"both\" are local files and S3."]
    for group, cases in GROUPS.items():
        lines += ["", f"## {group}", "", "| case | what is the same for all |", "|---|---|"]
        lines += [f"| {each.title} | {each.promise} |" for each in cases]
        lines += ["", "| source | reader | " + " | ".join(each.title for each in cases) + " |"]
        lines += ["|---|---|" + "---|" * len(cases)]
        for source in SOURCES:
            cells = [cell(source, each) for each in cases]
            lines += [f"| {source.name} | `{source.operator}` | " + " | ".join(cells) + " |"]
    lines += ["", "## Notes", "", *(f"{place + 1}. {text}" for place, text in enumerate(notes))]
    return "\n".join(lines) + "\n"
