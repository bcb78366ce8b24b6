"""The network of examples/recognise_words.py, trained on the batches of one library; in a process of its own.

    python word_training.py LIBRARY SEED FOLDER EPOCHS    LIBRARY: forebay or dali; FOLDER: words, in `train` and `test`

Prints the share of words told right before and after training, as JSON on the last line.
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


def pipelines_of(library):
    """The module word_batches.py. DALI runs it as it is under the name of Forebay."""
    if library == "forebay":
        import word_batches

        return word_batches
    own_package.make_importable()
    import nvidia.dali.fn
    import nvidia.dali.types

    described = importlib.util.spec_from_file_location("dali_word_batches", EXAMPLES / "word_batches.py")
    module = importlib.util.module_from_spec(described)
    with mock.patch.dict(sys.modules, {"forebay": nvidia.dali}):
        described.loader.exec_module(module)
    return module


def main() -> None:
    library, seed, folder, epochs = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3]), int(sys.argv[4])
    module = pipelines_of(library)

    def batches(part, is_training):
        pipe = module.words(folder / part, is_training, seed=seed, num_threads=THREADS, device_id=None)
        pipe.build()
        return module.arrays(pipe)

    testing = batches("test", False)
    import recognise_words

    texts, tested = (recognise_words.texts_of(folder / part) for part in ("train", "test"))
    net = recognise_words.untrained(seed)
    before = recognise_words.accuracy_of(recognise_words.test(net, testing, tested), tested)
    recognise_words.train(net, batches("train", True), texts, epochs)
    after = recognise_words.accuracy_of(recognise_words.test(net, batches("test", False), tested), tested)
    print(json.dumps({"untrained": before, "trained": after}))


if __name__ == "__main__":
    main()
