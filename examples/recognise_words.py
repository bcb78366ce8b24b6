"""Trains a small network that tells spoken words apart on a Forebay pipeline, with Forebay's arrays, to an accuracy.

    python examples/recognise_words.py [--out FOLDER] [--epochs N] [--clips N] [--threads N] [--accuracy P] [--json]

The data set is made: words of several voices, of which one in four more is for the test. The pipeline reads a manifest
as NVIDIA NeMo writes it, resamples, cuts silence, and makes features of mel bands, spliced and padded; the network
counts no step of padding. Leaves in --out (demo/) a sheet of test words, with what they are taken for where that is
wrong, and a curve of losses. Ends with 1 when the share of test words that are told right is below --accuracy (0.85),
or when the network that was not trained reaches it.
"""

import argparse
import contextlib
import json
import pathlib
import sys
import time

import numpy as np
from drawing import curve
from labelled_sheet import labelled_sheet
from make_words import WORDS, make_words, texts_of
from word_batches import BANDS, BATCH, STACK, arrays, words

from forebay import autograd, gluon, init, nd
from forebay.gluon import nn

CHANNELS = 64
NAMES = list(WORDS)
SHOWN = 16
SHEET_SIDES = (120, 96)  # of one word, in pixels


class Recogniser(nn.HybridBlock):
    """Two convolutions over time, their mean over the steps that are sound, and a score for every word."""

    def __init__(self):
        super().__init__()
        self.steps = nn.HybridSequential()
        for _ in range(2):
            self.steps.add(nn.Conv1D(CHANNELS, kernel_size=3, padding=1, activation="relu"))
        self.scores = nn.Dense(len(NAMES))

    def forward(self, features, is_sound):
        found = self.steps(features) * is_sound
        return self.scores(nd.sum(found, axis=2) / nd.sum(is_sound, axis=2))


def inputs_of(batch):
    """The features, which steps of them are sound, and the entries' numbers."""
    features, shapes, numbers = batch
    is_sound = np.arange(features.shape[2])[None, None] < shapes[:, 1, None, None]
    return nd.array(features), nd.array(is_sound.astype(np.float32)), numbers.ravel()


def untrained(seed):
    nd.random.seed(seed)
    net = Recogniser()
    net.initialize(init.Xavier())
    return net


def train(net, next_batch, texts, epochs):
    """`next_batch()` gives a batch of word_batches.words; `texts` is the word of each entry. Gives all losses."""
    labels = np.array([NAMES.index(text) for text in texts], np.float32)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.002})
    losses = []
    for epoch in range(epochs):
        begun = time.perf_counter()
        if epoch == epochs * 3 // 4:
            trainer.set_learning_rate(0.0005)
        of_epoch = []
        for _ in range(len(texts) // BATCH):
            features, is_sound, numbers = inputs_of(next_batch())
            with autograd.record():
                chances = nd.log_softmax(net(features, is_sound), axis=-1)
                loss = -nd.mean(nd.pick(chances, nd.array(labels[numbers]), axis=-1))
            loss.backward()
            trainer.step(1)
            of_epoch.append(loss)
        losses += [float(loss.asscalar()) for loss in of_epoch]
        mean = np.mean(losses[-len(of_epoch):])
        print(f"epoch {epoch + 1:2}: loss {mean:.3f}, {time.perf_counter() - begun:.1f} s", file=sys.stderr, flush=True)
    return losses


def test(net, next_batch, texts):
    """What each entry is taken for, as {number: (word, features)}; of the last batch what was not there before."""
    found = {}
    for _ in range(-(-len(texts) // BATCH)):
        features, is_sound, numbers = inputs_of(next_batch())
        guesses = net(features, is_sound).asnumpy().argmax(axis=1)
        counts = is_sound.asnumpy()[:, 0].sum(axis=1).astype(int)
        values = features.asnumpy()
        for i, number in enumerate(numbers):
            found[int(number)] = (NAMES[guesses[i]], values[i, :, :counts[i]])
    return found


def accuracy_of(found, texts):
    return float(np.mean([found[number][0] == text for number, text in enumerate(texts)]))


def picture_of(features):
    """Features as grey pixels: low bands at the bottom, the frames that were spliced beside each other again."""
    frames = features.reshape(STACK, BANDS, -1).transpose(1, 2, 0).reshape(BANDS, -1)[::-1]
    rows, columns = (np.arange(to) * of // to for to, of in zip(SHEET_SIDES, frames.shape, strict=True))
    grey = (np.clip((frames[rows][:, columns] + 2) / 4, 0, 1) * 255).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=2)


def sheet(path, found, texts):
    shown = range(min(SHOWN, len(texts)))
    captions = [(text if guess == text else f"{text} > {guess}", guess == text)
                for text, (guess, _) in ((texts[number], found[number]) for number in shown)]
    labelled_sheet(path, [picture_of(found[number][1]) for number in shown], captions)
    print(f"see {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo"))
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--clips", type=int, default=800)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--accuracy", type=float, default=0.85)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    if arguments.clips < BATCH or arguments.epochs < 1:
        parser.error(f"--clips is at least {BATCH}, --epochs at least 1")
    options = {"num_threads": arguments.threads} if arguments.threads else {}
    folders = [arguments.out / "words" / part for part in ("train", "test")]
    make_words(folders[0], arguments.clips)
    make_words(folders[1], arguments.clips // 4, first=arguments.clips)
    texts, tested = map(texts_of, folders)

    net = untrained(seed=1)
    before = accuracy_of(test(net, arrays(words(folders[1], False, **options)), tested), tested)
    losses = train(net, arrays(words(folders[0], True, seed=1, **options)), texts, arguments.epochs)
    found = test(net, arrays(words(folders[1], False, **options)), tested)
    after = accuracy_of(found, tested)
    with contextlib.redirect_stdout(sys.stderr):
        sheet(arguments.out / "words.png", found, tested)
        curve(losses, arguments.out / "words_loss.png", "loss of each step")
    reached = after >= arguments.accuracy > before
    if arguments.json:
        print(json.dumps({"clips": arguments.clips, "tested": len(tested), "words": len(NAMES), "untrained": before,
                          "accuracy": after, "bar": arguments.accuracy, "reached": reached, "losses": losses}))
    else:
        print(f"chance {1 / len(NAMES):.3f}, not trained {before:.3f}")
        outcome = "reached" if reached else "not reached"
        print(f"accuracy on {len(tested)} test words: {after:.3f}, {arguments.accuracy} is {outcome}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
