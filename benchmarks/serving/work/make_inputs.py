"""Makes what all servers get, by the modules of examples/serving: the ONNX model, JPEG files, and their pixels.

    make_inputs.py EXAMPLES FOLDER COUNT [PICTURES]

Runs under .peers/serving. With PICTURES its first JPEG files are taken instead of drawn ones.
"""

import io
import pathlib
import sys

sys.path.insert(0, sys.argv[1])

import numpy  # noqa: E402
import shapes  # noqa: E402
import small_resnet  # noqa: E402
from PIL import Image  # noqa: E402

JPEG_NAMES = (".jpg", ".jpeg")


def files_of(pictures: str, count: int) -> list[bytes]:
    paths = sorted(path for path in pathlib.Path(pictures).rglob("*") if path.suffix.lower() in JPEG_NAMES)
    if not paths:
        raise SystemExit(f"{pictures}: no JPEG files")
    return [path.read_bytes() for path in paths[:count]]


def main() -> None:
    folder, count = pathlib.Path(sys.argv[2]), int(sys.argv[3])
    files = files_of(sys.argv[4], count) if len(sys.argv) > 4 else shapes.draw(count, seed=2)[0]
    small_resnet.make(folder / "model.onnx")
    for name in ("files", "pixels"):
        (folder / name).mkdir()
    for number, file in enumerate(files):
        (folder / "files" / f"{number:04}.jpg").write_bytes(file)
        numpy.save(folder / "pixels" / f"{number:04}.npy", numpy.asarray(Image.open(io.BytesIO(file)).convert("RGB")))


if __name__ == "__main__":
    main()
