"""Signals from CSV text to a PyTorch model, each step over the same memory.

    python examples/signals.py [signals.csv]

Text is parsed into columns (Arrow's layout), the columns become arrays, the arrays overlapping segments (strides, no
gather), the segments PyTorch tensors, and a small autoencoder reads them. The printed addresses and the count of bytes
copied are the proof. Without a file, made heartbeats are used.
"""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import torch

import forebay
from forebay import interop

LENGTH = 128  # values of a segment
STEP = 32  # values from one segment to the next


def made_csv(rows: int = 1 << 15) -> str:
    """Two channels of something like heartbeats."""
    time = np.arange(rows) / 100.0
    beats = np.exp(-(((time % 0.8) - 0.4) ** 2) / 0.002)
    drift = 0.2 * np.sin(time / 7.0)
    return "\n".join(["lead1,lead2", *(f"{a:.5f},{b:.5f}" for a, b in zip(beats + drift, beats - drift))])


def parse(text: str) -> interop.Table:
    """The columns of a CSV text with a line of names; parsing writes each value once, where it stays."""
    lines = text.split("\n")
    names = lines[0].split(",")
    rows = [line for line in lines[1:] if line]
    columns = {name: np.empty(len(rows), np.float32) for name in names}
    targets = list(columns.values())
    for row, line in enumerate(rows):
        for target, value in zip(targets, line.split(",")):
            target[row] = value
    return interop.table(columns, copy=False)


def segments_of(signal: np.ndarray) -> np.ndarray:
    """Overlapping windows as a view: (segments, LENGTH)."""
    return np.lib.stride_tricks.sliding_window_view(signal, LENGTH, writeable=True)[::STEP]


def main() -> int:
    text = pathlib.Path(sys.argv[1]).read_text() if len(sys.argv) > 1 else made_csv()
    before = forebay.bytes_copied()
    table = parse(text)
    model = torch.nn.Sequential(torch.nn.Linear(LENGTH, 8), torch.nn.Tanh(), torch.nn.Linear(8, LENGTH))
    for name in table.column_names:
        array = table[name].array(copy=False)
        signal = np.asarray(interop.promised_unwritten(array))  # the model only reads
        segments = interop.to(segments_of(signal), "torch", copy=False)
        error = torch.nn.functional.mse_loss(model(segments), segments)
        places = [table[name].buffer_addresses()[1], array.data_ptr(), signal.ctypes.data, segments.data_ptr()]
        print(f"{name}: column, array, NumPy and PyTorch at " + ", ".join(hex(place) for place in places))
        print(f"  {tuple(segments.shape)} segments of stride {segments.stride()}, loss {error.item():.4f}")
        if len(set(places)) != 1:
            return 1
    copied = forebay.bytes_copied() - before
    print(f"bytes copied between the steps: {copied}")
    return 0 if copied == 0 else 1


if __name__ == "__main__":
    raise SystemExit(main())
