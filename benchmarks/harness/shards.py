"""The pictures of a benchmark as other libraries want them: WebDataset's tar files, MosaicML's shards."""

import io
import json
import pathlib
import subprocess
import tarfile
import tempfile

import environments

PICTURES_A_TAR = 100
MDS = "mds"


def tars(files: dict[str, pathlib.Path]) -> dict[str, bytes]:
    """Tar files by key; the classes are numbers in files named .cls."""
    found = {}
    keys = list(files)
    for first in range(0, len(keys), PICTURES_A_TAR):
        whole = io.BytesIO()
        with tarfile.open(fileobj=whole, mode="w") as tar:
            for number, key in enumerate(keys[first : first + PICTURES_A_TAR], first):
                _add(tar, f"{number:06}.jpg", files[key].read_bytes())
                _add(tar, f"{number:06}.cls", key.split("/")[1].encode())
        found[f"tar/{first // PICTURES_A_TAR:05}.tar"] = whole.getvalue()
    return found


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))


def mosaic(files: dict[str, pathlib.Path]) -> dict[str, bytes]:
    """MosaicML's shards and their index, by key; nothing where its library is not installed."""
    python = environments.python_of("s3")
    if not environments.usable("s3"):
        return {}
    with tempfile.TemporaryDirectory() as folder:
        names = json.dumps({key: str(path) for key, path in files.items()})
        script = pathlib.Path(__file__).parent / "write_mds.py"
        subprocess.run([python, script, folder], input=names, env=environments.quiet(), check=True, text=True,
                       capture_output=True)
        return {f"{MDS}/{path.name}": path.read_bytes() for path in pathlib.Path(folder).iterdir()}
