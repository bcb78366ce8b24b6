"""Files of arrays in MXNet's format."""

from __future__ import annotations

import pathlib
import random

import numpy as np
import pytest
from forebay import nd


def test_lists_and_dicts(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.params"
    nd.save(path, {"w": nd.ones((2, 3)) * 2, "arg:n": nd.array([1, 2], dtype="int64")})
    loaded = nd.load(path)
    assert isinstance(loaded, dict) and list(loaded) == ["w", "arg:n"]
    assert (loaded["w"].asnumpy() == 2).all() and loaded["arg:n"].dtype == np.int64
    nd.save(str(path), [nd.zeros((2,)), nd.array(3.0)])
    loaded = nd.load(str(path))
    assert isinstance(loaded, list) and [array.shape for array in loaded] == [(2,), ()]
    nd.save(path, nd.ones((4,)))
    assert nd.load_frombuffer(path.read_bytes())[0].asnumpy().tolist() == [1, 1, 1, 1]
    nd.save(path, [])
    assert nd.load(path) == []


def test_what_is_loaded_can_be_written(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.params"
    nd.save(path, [nd.ones((3,))])
    (array,) = nd.load(path)
    array += 1
    assert array.asnumpy().tolist() == [2, 2, 2]


def test_errors(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.params"
    with pytest.raises(FileNotFoundError):
        nd.load(path)
    with pytest.raises(TypeError, match="not float"):
        nd.save(path, [3.0])  # type: ignore[list-item]
    path.write_bytes(b"an image, perhaps" * 9)
    with pytest.raises(RuntimeError, match=r"a.params: at byte 8: not a file of arrays"):
        nd.load(path)


def test_an_array_that_failed_leaves_the_old_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.params"
    nd.save(path, [nd.ones((1,))])
    before = path.read_bytes()
    with pytest.raises(FileNotFoundError):
        nd.save(tmp_path / "none" / "a.params", [nd.ones((1,))])
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.params"]


def test_broken_files_are_refused_or_read_but_nothing_else(tmp_path: pathlib.Path) -> None:
    """Any bytes changed at random."""
    path = tmp_path / "a.params"
    nd.save(path, {"a": nd.ones((2, 2)), "b": nd.array([1], dtype="uint8")})
    whole = path.read_bytes()
    source = random.Random(1)
    refused = 0
    for _ in range(500):
        content = bytearray(whole[: source.randint(0, len(whole))] if source.random() < 0.3 else whole)
        for _ in range(source.randint(1, 4)):
            if content:
                content[source.randrange(len(content))] = source.choice([0, 1, 127, 128, 255, source.randrange(256)])
        try:
            nd.load_frombuffer(bytes(content))
        except (RuntimeError, NotImplementedError) as error:
            assert "at byte" in str(error)
            refused += 1
    assert refused > 120
