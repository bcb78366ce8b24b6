"""The table of sources of samples: every reader, in each of the ways in which its data is named.

test_reader_conformance.py asks the same of all of them; a new source joins by one row of SOURCES.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from typing import Any, Callable, Mapping, Sequence

import reader_formats as formats

import forebay.tfrecord as tfrec
from forebay import fn, types
from reader_formats import Ids

Files = dict[str, bytes]
"""What lies below the root of a data set: names and bytes."""

ODD_NAMES = {
    "space": "a b", "percent": "100%25", "hash": "c#d", "question mark": "e?f=1&g", "quotes": "it's \"so\"",
    "line break": "h\ni", "pattern": "[j]*{1,2}", "accents": "k\u00fc\u2603", "backslash": "l\\m", "plus": "n+o",
    "bytes": os.fsdecode(b"p\xe9\xff"),
}
"""Names of files, and what is odd about them; the last one is no text."""

ONE_FILE_A_SAMPLE = "a file is a sample, so random_shuffle is a shuffle of files"
SEQUENCES = "a folder is a sample, so random_shuffle is a shuffle of folders"

BYTES = {"damaged file": "its samples are bytes, whatever they are"}
NO_FILES = {"empty": "`files=[]` is an argument that is not given"}

# Arguments that say where the data lie, what they hold and how it is unpacked. All others are every reader's.
OF_DATA = {
    "block_bytes", "columns", "dtypes", "file_filter", "file_list", "file_root", "files", "image_available",
    "index_path", "path", "use_o_direct",
}


@dataclasses.dataclass(frozen=True)
class Source:
    """A way to read samples. A data set is made of named files; each holds one sample, or some where `in_shards`."""

    name: str  # as the page shows it
    operator: str
    files: Callable[[str, Ids], Files]  # of a name and the numbers in it
    read: Callable[..., Any]  # (root, names, **arguments): the output that begins with a sample's number
    extra: Callable[[Sequence[str]], Files] = lambda names: {}  # files beside those, by the names that are read
    in_shards: bool = False
    repeats: bool = False  # a name may be given twice
    cannot_name: Sequence[str] = ()  # keys of ODD_NAMES that the format has no place for
    lacks: Mapping[str, str] = dataclasses.field(default_factory=dict)  # arguments of other readers, and why
    cannot: Mapping[str, str] = dataclasses.field(default_factory=dict)  # titles of cases, and why
    fails: Mapping[str, str] = dataclasses.field(default_factory=dict)  # what is known to be wrong, by titles

    def __str__(self) -> str:
        return self.name

    def data_of(self, parts: Mapping[str, Ids], names: Sequence[str]) -> Files:
        """All files of a data set of which these names are read."""
        made = self.extra(names)
        for name, ids in parts.items():
            made |= self.files(name, ids)
        return made


def one_file(pattern: str, write: Callable[[int], bytes]) -> Callable[[str, Ids], Files]:
    """A file of one sample."""
    return lambda name, ids: {pattern.format(name): write(number) for number in ids}


def shard(pattern: str, write: Callable[[Ids], bytes]) -> Callable[[str, Ids], Files]:
    return lambda name, ids: {pattern.format(name): write(ids)}


def list_of(line: str) -> Callable[[Sequence[str]], Files]:
    """The file that lists the files."""
    return lambda names: {"list.txt": b"".join(os.fsencode(line.format(name) + "\n") for name in names)}


def paths(pattern: str) -> Callable[[str, Sequence[str]], list[str]]:
    return lambda root, names: [f"{root}/{pattern.format(name)}" for name in names]


def read_coco(root: str, names: Sequence[str], **arguments: Any) -> Any:
    given: dict[str, Any] = {} if len(set(names)) == len(names) else {"images": [f"{name}.jpg" for name in names]}
    return fn.readers.coco(file_root=root, annotations_file=f"{root}/annotations.json", **given, **arguments)[0]


def mds_files(name: str, ids: Ids) -> Files:
    return {f"{name}/{file}": data for file, data in formats.mds(ids).items()}


def indexed_records(name: str, ids: Ids) -> Files:
    records = formats.image_records(ids)
    return {f"{name}.rec": b"".join(records), f"{name}.idx": formats.record_index(records)}


def indexed_examples(name: str, ids: Ids) -> Files:
    records = formats.examples(ids)
    return {f"{name}.tfrecord": b"".join(records), f"{name}.idx": formats.example_index(records)}


def indexed_archive(name: str, ids: Ids) -> Files:
    data, index = formats.archive(ids, "key")
    return {f"{name}.tar": data, f"{name}.idx": index}


def frames(name: str, ids: Ids) -> Files:
    """A video of two frames."""
    return {f"{name}/{frame}.png": formats.png(number) for number in ids for frame in (0, 1)}


def read_examples(root: str, names: Sequence[str], indexed: bool = False, **arguments: Any) -> Any:
    index: dict[str, Any] = {"index_path": paths("{}.idx")(root, names)} if indexed else {}
    return fn.readers.tfrecord(path=paths("{}.tfrecord")(root, names), **index,
                               features={"id": tfrec.FixedLenFeature([1], tfrec.int64, -1)}, **arguments)["id"]


def read_archives(root: str, names: Sequence[str], indexed: bool = False, **arguments: Any) -> Any:
    index: dict[str, Any] = {"index_paths": paths("{}.idx")(root, names)} if indexed else {}
    return fn.readers.webdataset(paths=paths("{}.tar")(root, names), **index, ext=["cls"], dtypes=[types.INT32],
                                 **arguments)


_one = functools.partial(Source, lacks={"shuffle": ONE_FILE_A_SAMPLE})
_shards = functools.partial(Source, in_shards=True, repeats=True)

SOURCES = [
    _one("file, folders", "readers.file", one_file("class/{}.jpg", formats.content),
         lambda root, names, **a: fn.readers.file(file_root=root, **a)[0], cannot=BYTES),
    _one("file, files", "readers.file", one_file("{}", formats.content),
         lambda root, names, **a: fn.readers.file(files=paths("{}")(root, names), **a)[0], repeats=True,
         cannot=BYTES | NO_FILES),
    _one("file, file_list", "readers.file", one_file("{}.jpg", formats.content),
         lambda root, names, **a: fn.readers.file(file_list=f"{root}/list.txt", **a)[0],
         extra=list_of("{}.jpg 3"), repeats=True, cannot_name=["line break"], cannot=BYTES),
    _one("coco", "readers.coco", one_file("{}.jpg", formats.content), read_coco,
         extra=lambda names: {"annotations.json": formats.coco_annotations(sorted({f"{name}.jpg" for name in names}))},
         repeats=True, cannot_name=["bytes"], cannot=BYTES),
    _one("coco, preprocessed_annotations", "readers.coco", one_file("{}.jpg", formats.content),
         lambda root, names, **a: fn.readers.coco(file_root=root, preprocessed_annotations=f"{root}/lists", **a)[0],
         extra=lambda names: {f"lists/{name}": data for name, data in formats.coco_lists(
             [f"{name}.jpg" for name in names]).items()},
         repeats=True, cannot_name=["line break"], cannot=BYTES),
    _one("nemo_asr", "readers.nemo_asr", one_file("{}.wav", formats.sound),
         lambda root, names, **a: fn.readers.nemo_asr(manifest_filepaths=[f"{root}/manifest.json"], dtype=types.INT16,
                                                      **a)[0],
         extra=lambda names: {"manifest.json": formats.manifest([f"{name}.wav" for name in names])}, repeats=True,
         cannot_name=["bytes"]),
    _one("numpy, folders", "readers.numpy", one_file("{}.npy", formats.array),
         lambda root, names, **a: fn.readers.numpy(file_root=root, **a)),
    _one("numpy, files", "readers.numpy", one_file("{}.npy", formats.array),
         lambda root, names, **a: fn.readers.numpy(files=paths("{}.npy")(root, names), **a), repeats=True,
         cannot=NO_FILES),
    _one("numpy, file_list", "readers.numpy", one_file("{}.npy", formats.array),
         lambda root, names, **a: fn.readers.numpy(file_list=f"{root}/list.txt", **a), extra=list_of("{}.npy"),
         repeats=True, cannot_name=["line break"]),
    _one("numpy, regions", "readers.numpy", one_file("{}.npy", formats.array),
         lambda root, names, **a: fn.readers.numpy(file_root=root, roi_start=(1, 1), roi_end=(2, 3), **a)),
    _one("fits, folders", "experimental.readers.fits", one_file("{}.fits", formats.fits),
         lambda root, names, **a: fn.experimental.readers.fits(file_root=root, hdu_indices=[1], **a)),
    _one("fits, file_list", "experimental.readers.fits", one_file("{}.fits", formats.fits),
         lambda root, names, **a: fn.experimental.readers.fits(file_list=f"{root}/list.txt", hdu_indices=[1], **a),
         extra=list_of("{}.fits"), repeats=True, cannot_name=["line break"]),
    Source("sequence", "readers.sequence", frames,
           lambda root, names, **a: fn.readers.sequence(file_root=root, sequence_length=2, **a),
           lacks={"shuffle": SEQUENCES}),
    _shards("caffe", "readers.caffe", shard("{}/data.mdb", formats.caffe),
            lambda root, names, **a: fn.readers.caffe(path=paths("{}")(root, names), **a)[1]),
    _shards("caffe2", "readers.caffe2", shard("{}/data.mdb", formats.caffe2),
            lambda root, names, **a: fn.readers.caffe2(path=paths("{}")(root, names), **a)[1]),
    _shards("mds", "readers.mds", mds_files,
            lambda root, names, **a: fn.readers.mds(path=paths("{}")(root, names), columns=["id"], **a)),
    _shards("mxnet", "readers.mxnet", shard("{}.rec", lambda ids: b"".join(formats.image_records(ids))),
            lambda root, names, **a: fn.readers.mxnet(path=paths("{}.rec")(root, names), **a)[0]),
    _shards("mxnet, index_path", "readers.mxnet", indexed_records,
            lambda root, names, **a: fn.readers.mxnet(path=paths("{}.rec")(root, names),
                                                      index_path=paths("{}.idx")(root, names), **a)[0]),
    _shards("parquet", "readers.parquet", shard("{}.parquet", formats.parquet),
            lambda root, names, **a: fn.readers.parquet(path=paths("{}.parquet")(root, names), columns=["id"], **a)),
    _shards("tfrecord", "readers.tfrecord", shard("{}.tfrecord", lambda ids: b"".join(formats.examples(ids))),
            read_examples),
    _shards("tfrecord, index_path", "readers.tfrecord", indexed_examples,
            functools.partial(read_examples, indexed=True)),
    _shards("webdataset", "readers.webdataset",
            lambda name, ids: {f"{name}.tar": formats.archive(ids, name)[0]}, read_archives),
    _shards("webdataset, index_paths", "readers.webdataset", indexed_archive,
            functools.partial(read_archives, indexed=True)),
]
