"""The same faults in every source of samples: files that are replaced, changed, missing or damaged, and broken samples.

test_reader_conformance.py asks about all else.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from conformance import TEN, DataSet, Library, LocalPlace, batch_of, case_of, epoch_of, numbers_of, parts_of
from reader_formats import BROKEN
from reader_sources import SOURCES, Source

from forebay import Pipeline, SampleError

pytestmark = pytest.mark.filterwarnings("ignore:.*readers.sequence:DeprecationWarning")
case = case_of("Faults and versions")


# --- versions --------------------------------------------------------------------------------------------------------


def replaced(library: Library, source: Source, **arguments: Any) -> tuple[DataSet, Pipeline]:
    """A data set that is replaced after it was opened: by numbers that are ten higher, in files as long."""
    data = library.make(source, parts_of(source, TEN))
    pipe = data.pipeline(depth=1, **arguments)
    pipe.build()
    assert pipe.epoch_size("reader") == len(TEN)
    data.put(parts_of(source, [number + 10 for number in TEN]))
    return data, pipe


@case("replaced after opening", "a file replaced since is SampleError, never the new bytes; a new pipeline reads them")
def test_replaced_between_opening_and_reading(source: Source, library: Library) -> None:
    data, pipe = replaced(library, source)
    with pytest.raises(SampleError, match="It was replaced after it was indexed; open the data set again") as caught:
        pipe.run()
    assert caught.value.position == 0 and caught.value.object in data.files_of(TEN[0])
    assert numbers_of(data.pipeline(), 10) == [number + 10 for number in TEN]


CHANGES: dict[str, Callable[[bytes], bytes] | None] = {
    "shorter": lambda data: data[: len(data) // 2], "longer": lambda data: data + b"more", "removed": None,
}


@case("changed after opening", "samples of a file that is " + " or ".join(CHANGES) + " since are broken, and no others")
@pytest.mark.parametrize("change", CHANGES)
def test_changed_between_opening_and_reading(source: Source, library: Library, change: str) -> None:
    data = library.make(source, parts_of(source, TEN))
    pipe = data.pipeline(depth=1, on_error="skip", batch_size=5)  # none of whose batches is broken as a whole
    pipe.build()
    assert pipe.epoch_size("reader") == len(TEN)
    file = data.change("001", CHANGES[change])
    assert epoch_of(pipe) == data.all_but("001")
    assert {error["object"] for error in pipe.errors()} == {file}
    assert all(change == "removed" or "was replaced after it was indexed" in error["cause"] for error in pipe.errors())


@case("replaced under an index", "the index of files that were replaced is made anew; until then the error names it")
def test_replaced_under_a_saved_index(source: Source, library: Library, tmp_path: pathlib.Path) -> None:
    index = tmp_path / "side.index"
    data, pipe = replaced(library, source, index_file=str(index))
    made = index.read_bytes()
    with pytest.raises(SampleError, match="side.index"):
        pipe.run()
    for _ in range(2):  # made anew, then opened
        assert numbers_of(data.pipeline(index_file=str(index)), 10) == [number + 10 for number in TEN]
    assert index.read_bytes() != made


@case("grown under an index", "added samples are noticed; files in a folder that is not on a disk need not be")
def test_grown_under_a_saved_index(source: Source, library: Library, tmp_path: pathlib.Path) -> None:
    index = str(tmp_path / "index")
    data = library.make(source, parts_of(source, TEN))
    assert numbers_of(data.pipeline(index_file=index), 10) == list(TEN)
    more = parts_of(source, (*TEN, 20, 21))
    data.names = list(more)
    data.put(more)
    given = epoch_of(data.pipeline(index_file=index))
    is_promised = isinstance(library.place, LocalPlace) or source.repeats
    assert given == [*TEN, 20, 21] or (given == list(TEN) and not is_promised)


@case("index", "an index of the same files in another order, or of another source, is not mistaken for one's own")
def test_an_index_of_something_else(source: Source, library: Library, tmp_path: pathlib.Path) -> None:
    index = str(tmp_path / "index")
    others = [other for other in SOURCES if other.operator != source.operator]
    other = others[SOURCES.index(source) % len(others)]
    assert numbers_of(library.of(other, TEN).pipeline(index_file=index), 10) == list(TEN)
    data = library.of(source, TEN)
    for _ in range(2):
        assert numbers_of(data.pipeline(index_file=index), 10) == list(TEN)
    if source.repeats and not source.extra([]):
        turned = DataSet(source, data.place, data.folder, data.parts, data.names[::-1])
        expected = [number for name in turned.names for number in data.parts[name]]
        assert numbers_of(turned.pipeline(index_file=index), 10) == expected


# --- broken samples --------------------------------------------------------------------------------------------------

WITH_BROKEN = (*TEN[:5], BROKEN, *TEN[6:])


@case("raise", "a broken sample is SampleError with its file, index and position; the next batch is the next one")
def test_raise(source: Source, library: Library) -> None:
    data = library.of(source, WITH_BROKEN)
    pipe = data.pipeline()
    assert batch_of(pipe) == list(TEN[:4])
    with pytest.raises(SampleError) as caught:
        pipe.run()
    error = caught.value
    assert (error.index, error.position, error.epoch) == (5, 5, 0)
    assert error.object in data.files_of(BROKEN) and error.object in str(error)
    assert error.operator and error.cause
    assert batch_of(pipe) == [*TEN[8:], *TEN[:2]]


@case("skip", "a broken sample is a hole; errors() has it")
def test_skip(source: Source, library: Library) -> None:
    data = library.of(source, WITH_BROKEN)
    pipe = data.pipeline(on_error="skip")
    assert [batch_of(pipe) for _ in range(3)] == [list(TEN[:4]), [TEN[4], *TEN[6:8]], [*TEN[8:], *TEN[:2]]]
    (error,) = pipe.errors()
    assert error["object"] in data.files_of(BROKEN)
    assert (error["sample"], error["position"], error["action"]) == (5, 5, "skipped")


@case("replace", "another sample stands in, the same for every source")
def test_replace(source: Source, library: Library, libraries: dict[str, Library]) -> None:
    pipe = library.of(source, WITH_BROKEN).pipeline(on_error="replace")
    other = libraries["local"].of(SOURCES[0], WITH_BROKEN).pipeline(on_error="replace")
    given = [batch_of(pipe) for _ in range(5)]
    assert given == [batch_of(other) for _ in range(5)]
    assert BROKEN not in sum(given, []) and given[1][1] != TEN[5]
    assert [error["action"] for error in pipe.errors()] == [error["action"] for error in other.errors()]


@case("first and last", "broken samples at the ends of the data set are like those amid it")
def test_broken_at_the_ends(source: Source, library: Library) -> None:
    data = library.of(source, (BROKEN, *TEN[1:9], BROKEN))
    pipe = data.pipeline(on_error="skip")
    assert epoch_of(pipe) == list(TEN[1:9])
    assert [error["position"] for error in pipe.errors()][:2] == [0, 9]
    assert pipe.errors()[0]["object"] != pipe.errors()[1]["object"]


@case("all broken", "a data set without a whole sample is SampleError, whatever on_error says")
def test_all_broken(source: Source, library: Library) -> None:
    data = library.of(source, (BROKEN, BROKEN, BROKEN))
    for on_error in ("raise", "skip", "replace") if isinstance(library.place, LocalPlace) else ("raise",):
        with pytest.raises(SampleError) as caught:
            data.pipeline(on_error=on_error).run()
        assert caught.value.position == 0 and str(caught.value.object).startswith(data.root)


@case("missing file", "a file that is listed and not there is broken samples, which name it", needs="list")
@pytest.mark.parametrize("name", ["000", "001"])
def test_a_file_that_is_not_there(source: Source, library: Library, name: str) -> None:
    data = library.make(source, parts_of(source, TEN))
    file = data.change(name, None)
    check_lost(data, name, file)


@case("damaged file", "a file that is something else is broken samples, which name it")
@pytest.mark.parametrize("name", ["000", "001"])
def test_a_file_that_is_something_else(source: Source, library: Library, name: str) -> None:
    data = library.make(source, parts_of(source, TEN))
    file = data.change(name, lambda content: b"this is no data of any kind that is known here")
    check_lost(data, name, file)


def check_lost(data: DataSet, name: str, file: str) -> None:
    """Nothing under a name can be read, and all else can."""
    pipe = data.pipeline(on_error="skip", batch_size=5)
    assert epoch_of(pipe) == data.all_but(name)
    assert {error["object"] for error in pipe.errors()} == {file}
    first = 0 if name == "000" else len(data.parts["000"])
    pipe = data.pipeline(batch_size=1)
    for _ in range(first):
        pipe.run()
    with pytest.raises(SampleError) as caught:
        pipe.run()
    assert (caught.value.object, caught.value.position) == (file, first)
