"""forebay.filesystem under those that take fsspec's file systems: pandas, pyarrow, PyTorch."""

from __future__ import annotations

import pathlib

import pytest

pytest.importorskip("fsspec")

from forebay import filesystem  # noqa: E402


@pytest.fixture
def fs() -> filesystem.ForebayFileSystem:
    return filesystem.ForebayFileSystem()


def test_pandas_reads_and_writes_parquet(tmp_path: pathlib.Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": range(1000), "b": [f"text {number}" for number in range(1000)]})
    url = f"forebay://{tmp_path}/table.parquet"
    frame.to_parquet(url)
    assert (tmp_path / "table.parquet").stat().st_size > 0
    assert pandas.read_parquet(url).equals(frame)
    assert pandas.read_parquet(url, columns=["a"]).equals(frame[["a"]])


def test_pyarrow_reads_a_folder_of_parquet(fs: filesystem.ForebayFileSystem, tmp_path: pathlib.Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    dataset = pytest.importorskip("pyarrow.dataset")
    root = f"mem://interop-{tmp_path.name}"
    for number in range(3):
        with fs.open(f"{root}/{number}.parquet", "wb") as file:
            parquet.write_table(arrow.table({"a": [number] * 100}), file)
    table = dataset.dataset(root, filesystem=fs, format="parquet").to_table()
    assert sorted(set(table["a"].to_pylist())) == [0, 1, 2] and table.num_rows == 300


def test_a_checkpoint_of_pytorch(fs: filesystem.ForebayFileSystem, tmp_path: pathlib.Path) -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(300, 300)
    for root in (str(tmp_path), f"mem://interop-{tmp_path.name}"):
        with fs.open(f"{root}/checkpoint.pt", "wb") as file:
            torch.save({"model": model.state_dict(), "step": 7}, file)
        with fs.open(f"{root}/checkpoint.pt", "rb") as file:
            loaded = torch.load(file)
        assert loaded["step"] == 7
        assert all(torch.equal(loaded["model"][name], value) for name, value in model.state_dict().items())
