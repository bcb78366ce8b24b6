"""PyTorch's DataLoader, whose workers read through forebay.filesystem what their parent has read before them.

Run as a module: METHOD URL... where METHOD is how workers start. Prints how many processes have read, and the hash of all
that they read.
"""

from __future__ import annotations

import hashlib
import os
import sys
from typing import Any

import fsspec
import torch

import forebay.filesystem  # noqa: F401
from forebay import _core

WORKERS = 2
EPOCHS = 2


def sample_of(files: Any, url: str) -> bytes:
    """What there is at `url`, read in every way; asserts that all ways agree."""
    whole: bytes = files.cat_file(url)
    with files.open(url) as file:
        assert file.read(7) == whole[:7]
        file.seek(-5, os.SEEK_END)
        assert file.read() == whole[-5:]
    assert files.cat_ranges([url, url], [3, 0], [9, 4]) == [whole[3:9], whole[:4]]
    assert files.info(url)["size"] == len(whole)
    assert bytes(_core.store_read(url, 2, 11)) == whole[2:13]
    return whole


class Samples(torch.utils.data.Dataset):  # type: ignore[misc]
    """Holds a file system and an open file of the parent's."""

    def __init__(self, urls: list[str]) -> None:
        self.urls = urls
        self.files = fsspec.filesystem("forebay")
        self.opened = self.files.open(urls[0])
        self.begin = self.opened.read(10)

    def __len__(self) -> int:
        return len(self.urls)

    def __getitem__(self, place: int) -> tuple[int, bytes, int]:
        self.opened.seek(0)
        assert self.opened.read(10) == self.begin
        assert fsspec.filesystem("forebay").exists(self.urls[place])
        return place, sample_of(self.files, self.urls[place]), os.getpid()


def main(method: str, urls: list[str]) -> None:
    samples = Samples(urls)
    expected = [samples[place][:2] for place in range(len(urls))]
    loader = torch.utils.data.DataLoader(samples, batch_size=3, shuffle=True, num_workers=WORKERS, collate_fn=list,
                                         multiprocessing_context=method, persistent_workers=True)
    readers = set()
    for _ in range(EPOCHS):
        seen = [item for batch in loader for item in batch]
        assert sorted((place, content) for place, content, _ in seen) == expected
        readers |= {reader for _, _, reader in seen}
        assert samples[0][:2] == expected[0]  # the parent reads on beside them
    assert os.getpid() not in readers
    print(len(readers), hashlib.sha256(b"".join(content for _, content in expected)).hexdigest())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
