"""The detector of examples/detect_shapes.py, trained on batches of the pipeline that LIBRARY runs; in a process of its own.

    python trained.py LIBRARY SEED FOLDER EPOCHS        LIBRARY: forebay or dali; FOLDER: as made_pictures.small() leaves it

Prints the mean average precision before and after training, as JSON on the last line.
"""

import importlib.util
import json
import pathlib
import sys
from unittest import mock

import environments

EXAMPLES = environments.ROOT / "examples"
sys.path.append(str(EXAMPLES))

import own_package  # noqa: E402

THREADS = 2


def dali_batches(folder: pathlib.Path, seed: int):
    """A function that gives the next batch of the pipeline of shape_batches.py as Forebay's arrays. DALI runs it as it is
    under the name of Forebay."""
    own_package.make_importable()
    import nvidia.dali.fn
    import nvidia.dali.types

    described = importlib.util.spec_from_file_location("dali_batches", EXAMPLES / "shape_batches.py")
    module = importlib.util.module_from_spec(described)
    with mock.patch.dict(sys.modules, {"forebay": nvidia.dali}):
        described.loader.exec_module(module)
    pipe = module.pictures(folder / "train", True, seed=seed, num_threads=THREADS, device_id=None)
    pipe.build()
    import numpy
    from forebay import nd

    return lambda: [nd.array(numpy.array(output.as_tensor())) for output in pipe.run()]


def forebay_batches(folder: pathlib.Path, seed: int):
    """The same of Forebay's own."""
    import detect_shapes

    return detect_shapes.pictures(folder / "train", True, seed=seed, num_threads=THREADS).run_arrays


BATCHES = {"dali": dali_batches, "forebay": forebay_batches}


def main() -> None:
    library, seed, folder, epochs = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3]), int(sys.argv[4])
    next_batch = BATCHES[library](folder, seed)
    import detect_shapes

    counts = {part: len(json.loads((folder / part / "annotations.json").read_text())["images"])
              for part in ("train", "test")}

    def precision(net):
        tested = detect_shapes.pictures(folder / "test", False, shows=True, num_threads=THREADS)
        return detect_shapes.test(net, tested, counts["test"])

    net = detect_shapes.untrained(seed)
    before = precision(net)
    detect_shapes.train(net, next_batch, counts["train"] // detect_shapes.BATCH, epochs)
    print(json.dumps({"untrained": before, "trained": precision(net)}))


if __name__ == "__main__":
    main()
