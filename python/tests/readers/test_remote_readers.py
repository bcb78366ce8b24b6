"""Every reader far away: from S3 and over the web it gives what it gives of local files, and errors name what is wrong."""

from __future__ import annotations

import collections.abc
import pathlib
import sys
from typing import Any

import numpy as np
import pytest
import s3_server
import web_server
from remote_data import assert_same, batches_of

import forebay
import forebay.tfrecord as tfrec
from forebay import SampleError, fn, pipeline_def
from tfrecords import example_of, field, record_of

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tests" / "parity"))
import reader_cases  # noqa: E402

needs_s3 = pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
needs_web = pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed")

RECORDS = 10  # of each of three TFRecord files: whole batches in all
# Of arrays of each type, and of regions of them, one way is enough: what differs comes after the bytes.
CASES = [name for name in reader_cases.CASES
         if not name.startswith(("decoders.", "numpy ")) or name.startswith(("numpy root", "numpy filter", "numpy list",
                                 "numpy sharded", "numpy scalar", "numpy int32", "numpy region: start, end"))]


class Place(str):
    """A folder or a URI, to which names are joined as to a path."""

    def __truediv__(self, name: str) -> Place:
        return Place(f"{self}/{name}")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The data set of the readers' parity, and TFRecord files; names with spaces among them."""
    root = tmp_path_factory.mktemp("readers")
    reader_cases.make_data(root)
    (root / "records").mkdir()
    (root / "sky").mkdir()
    (root / "nothing").mkdir()
    (root / "nothing" / "empty").write_bytes(b"")
    for number in range(4):
        (root / "sky" / f"{number}.fits").write_bytes(picture_of_fits(number))
    for shard in range(3):
        numbers = range(RECORDS * shard, RECORDS * (shard + 1))
        records = b"".join(record_of(example_of("id", field(3, field(1, bytes([number]))))) for number in numbers)
        (root / "records" / f"{shard} of 3.tfrecord").write_bytes(records)
    return root


@pytest.fixture(scope="module")
def buckets(
    tmp_path_factory: pytest.TempPathFactory, data: pathlib.Path
) -> collections.abc.Iterator[s3_server.S3Server]:
    started = s3_server.S3Server(tmp_path_factory.mktemp("s3"))
    started.put_folder("data", data)
    yield started
    started.stop()


@pytest.fixture
def s3(buckets: s3_server.S3Server, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Where the data set lies in a bucket."""
    for name, value in buckets.environment().items():
        monkeypatch.setenv(name, value)
    return Place("s3://data")


@pytest.fixture(scope="module")
def pages(
    tmp_path_factory: pytest.TempPathFactory, data: pathlib.Path
) -> collections.abc.Iterator[web_server.WebServer]:
    started = web_server.WebServer(data, tmp_path_factory.mktemp("web"), "autoindex on; autoindex_format json;")
    yield started
    started.stop()


@pytest.fixture
def web(pages: web_server.WebServer, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Where a web server has the data set."""
    monkeypatch.setenv("no_proxy", web_server.HOST)
    return Place(pages.url().removesuffix("/"))


def picture_of_fits(number: int) -> bytes:
    """A file of one image of 2 x 3 pixels of 16 bits."""
    cards = ["SIMPLE  =                    T", "BITPIX  =                   16", "NAXIS   =                    2",
             "NAXIS1  =                    3", "NAXIS2  =                    2", "END"]
    pixels = np.arange(number, number + 6, dtype=">i2").tobytes()
    return "".join(card.ljust(80) for card in cards).ljust(2880).encode() + pixels.ljust(2880, b"\0")


def rows_of(name: str, root: Any) -> list[list[list[Any]]]:
    return reader_cases.run(forebay, name, root, threads=2)


@needs_s3
@pytest.mark.parametrize("name", CASES)
def test_buckets_give_what_folders_give(name: str, data: pathlib.Path, s3: Place) -> None:
    assert rows_of(name, s3) == rows_of(name, data)


@needs_web
@pytest.mark.parametrize("name", CASES)
def test_the_web_gives_what_folders_give(name: str, data: pathlib.Path, web: Place) -> None:
    assert rows_of(name, web) == rows_of(name, data)


@pipeline_def(num_threads=2, batch_size=5, seed=7)
def records_of(root: Any, **options: Any) -> Any:
    paths = [str(root / "records" / f"{shard} of 3.tfrecord") for shard in range(3)]
    features = {"id": tfrec.FixedLenFeature([1], tfrec.int64, -1)}
    return fn.readers.tfrecord(path=paths, features=features, name="reader", **options)["id"]


@needs_s3
def test_shuffled_records_come_in_the_same_order(data: pathlib.Path, s3: Place) -> None:
    options: list[dict[str, Any]] = [{"random_shuffle": True}, {"num_shards": 2, "shard_id": 1, "pad_last_batch": True}]
    for given in options:
        assert_same(batches_of(records_of(s3, **given)), batches_of(records_of(data, **given)))


@needs_s3
def test_an_index_of_records_is_made_once(
    data: pathlib.Path, s3: Place, buckets: s3_server.S3Server, tmp_path: pathlib.Path
) -> None:
    buckets.put("indexes")
    local = batches_of(records_of(data))
    for place in ("s3://indexes/records.index", str(tmp_path / "records.index")):
        for _ in range(2):  # made, then opened
            assert_same(batches_of(records_of(s3, index_file=place)), local)


@needs_s3
def test_reading_goes_on_where_it_was_saved(data: pathlib.Path, s3: Place) -> None:
    first = records_of(s3, random_shuffle=True)
    for _ in range(2):
        first.run()
    second = records_of(s3, random_shuffle=True)
    second.load_state_dict(first.state_dict())
    assert_same(batches_of(second), batches_of(first))


@needs_s3
def test_a_record_whose_bytes_differ_is_one_broken_sample(
    data: pathlib.Path, s3: Place, buckets: s3_server.S3Server
) -> None:
    content = bytearray((data / "records" / "1 of 3.tfrecord").read_bytes())
    content[len(content) // RECORDS * 3 - 5] ^= 1  # the last byte before the checksum of the third one
    buckets.put("broken")
    for shard in range(3):
        whole = (data / "records" / f"{shard} of 3.tfrecord").read_bytes()
        buckets.put(f"broken/records/{shard} of 3.tfrecord", bytes(content) if shard == 1 else whole)
    pipe = records_of(Place("s3://broken"), verify_checksums=True, on_error="skip")
    seen = [int(array[0]) for batch in batches_of(pipe) for array in batch]
    assert seen == 2 * [number for number in range(3 * RECORDS) if number != RECORDS + 2]
    assert {error["object"] for error in pipe.errors()} == {"s3://broken/records/1 of 3.tfrecord"}
    with pytest.raises(SampleError, match="s3://broken/records/1 of 3.tfrecord"):
        batches_of(records_of(Place("s3://broken"), verify_checksums=True))


@needs_s3
def test_records_that_are_replaced_meanwhile_are_not_mixed(
    data: pathlib.Path, s3: Place, buckets: s3_server.S3Server
) -> None:
    buckets.put("changing")
    for shard in range(3):
        buckets.put(f"changing/records/{shard} of 3.tfrecord", (data / "records" / f"{shard} of 3.tfrecord").read_bytes())
    pipe = records_of(Place("s3://changing"), prefetch_queue_depth=1)
    pipe.run()
    last = (data / "records" / "0 of 3.tfrecord").read_bytes()  # as long as what it replaces
    buckets.put("changing/records/2 of 3.tfrecord", last)
    with pytest.raises(SampleError, match="s3://changing/records/2 of 3.tfrecord"):
        batches_of(pipe)


@pipeline_def(num_threads=2, batch_size=5, seed=7)
def listed(**options: Any) -> Any:
    return fn.readers.file(name="reader", **options)


@needs_s3
def test_lists_name_files_wherever_they_lie(data: pathlib.Path, s3: Place, tmp_path: pathlib.Path) -> None:
    names = ["b/z.JPG", "a/x.png", "b/notes.txt"]
    near = batches_of(listed(files=[str(data / "files" / name) for name in names], labels=[4, 2, 11]))
    far = [f"{s3}/files/{name}" for name in names]
    lines = "".join(f"{path} {label}\n" for path, label in zip(far, (4, 2, 11), strict=True))
    (tmp_path / "list.txt").write_text(lines)
    relative = tmp_path / "names.txt"
    relative.write_text("b/z.JPG 4\na/x.png 2\nb/notes.txt 11\n")
    ways: list[dict[str, Any]] = [
        {"files": far, "labels": [4, 2, 11]},
        {"files": names, "labels": [4, 2, 11], "file_root": f"{s3}/files"},
        {"file_list": f"{s3}/files/list.txt"},
        {"file_list": str(tmp_path / "list.txt")},
        {"file_list": str(relative), "file_root": f"{s3}/files"},
    ]
    for given in ways:
        assert_same(batches_of(listed(**given)), near)


@needs_s3
def test_what_a_list_names_and_is_not_there_is_one_broken_sample(s3: Place, tmp_path: pathlib.Path) -> None:
    (tmp_path / "list.txt").write_text(f"{s3}/files/b/z.JPG 4\n{s3}/files/none.jpg 2\n{s3}/files/a/x.png 3\n")
    with pytest.raises(SampleError, match="s3://data/files/none.jpg"):
        batches_of(listed(file_list=str(tmp_path / "list.txt")))
    pipe = listed(file_list=str(tmp_path / "list.txt"), on_error="skip")
    labels = [int(array[0]) for batch in batches_of(pipe) for array in batch[len(batch) // 2 :]]
    assert set(labels) == {4, 3}
    assert {error["object"] for error in pipe.errors()} == {f"{s3}/files/none.jpg"}


@needs_s3
def test_a_list_that_is_not_there_is_named(s3: Place) -> None:
    with pytest.raises(FileNotFoundError, match="s3://data/files/none.txt"):
        listed(file_list=f"{s3}/files/none.txt").run()
    with pytest.raises(FileNotFoundError, match="s3://data/coco/none.json"):
        _coco(s3).run()


@pipeline_def(num_threads=1, batch_size=1)
def _coco(root: Place) -> Any:
    return tuple(fn.readers.coco(file_root=f"{root}/coco", annotations_file=f"{root}/coco/none.json"))


@pipeline_def(num_threads=2, batch_size=5, seed=7)
def sky(root: Any, **options: Any) -> Any:
    return fn.experimental.readers.fits(file_root=str(root / "sky"), hdu_indices=[1], name="reader", **options)


def test_pictures_of_the_sky_are_the_same_everywhere(request: pytest.FixtureRequest, data: pathlib.Path) -> None:
    near = batches_of(sky(data, random_shuffle=True))
    assert [int(array[0, 0]) for array in near[0]].count(3) >= 1
    if s3_server.program() is not None:
        assert_same(batches_of(sky(request.getfixturevalue("s3"), random_shuffle=True)), near)
    if web_server.program() is not None:
        assert_same(batches_of(sky(request.getfixturevalue("web"), random_shuffle=True)), near)


@pipeline_def(num_threads=2, batch_size=2)
def contents(paths: list[str]) -> Any:
    """Of files that tensors name, all as long as the longest name."""
    longest = max(len(path.encode()) for path in paths)
    names = [np.frombuffer(path.encode().ljust(longest, b"\0"), np.uint8) for path in paths]
    batches = [names[first : first + 2] for first in range(0, len(names), 2)]
    return fn.io.file.read(fn.external_source(batches, batch=True, cycle=True))


def files_at(place: Any) -> list[str]:
    """Names with and without a space, files below folders, a file of no bytes."""
    return [f"{place}/records/0 of 3.tfrecord", f"{place}/sky/2.fits", f"{place}/files/b/z.JPG", f"{place}/nothing/empty"]


@needs_s3
@needs_web
def test_files_that_tensors_name_are_read_wherever_they_lie(data: pathlib.Path, s3: Place, web: Place) -> None:
    expected = [pathlib.Path(path).read_bytes() for path in files_at(data)]
    for place in (data, s3, web):
        pipe = contents(files_at(place))
        for _ in range(2):
            given = [bytes(np.asarray(output)) for _ in range(2) for output in pipe.run()[0]]
            assert given == expected, place


@needs_s3
def test_a_file_that_is_named_and_not_there_is_one_broken_sample(data: pathlib.Path, s3: Place) -> None:
    paths = [f"{s3}/sky/0.fits", f"{s3}/sky/none.fits"]
    with pytest.raises(SampleError, match="s3://data/sky/none.fits"):
        contents(paths).run()
    (batch,) = contents(paths, on_error="skip").run()
    assert [bytes(np.asarray(output)) for output in batch] == [(data / "sky" / "0.fits").read_bytes()]
