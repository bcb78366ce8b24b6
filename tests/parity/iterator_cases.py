"""The batches of an iterator's epochs, for `record_iterators.py` with DALI and `test_last_batch_policy.py` with Forebay.

The data set is seven files labelled 1 to 7. Cases: every `last_batch_policy` with and without padding, over one shard and
over several, one pipeline and several, the epoch's length from the reader or given.
"""

from __future__ import annotations

import itertools
import pathlib
from dataclasses import dataclass

EPOCHS = 4


@dataclass
class Case:
    policy: str
    padded: bool
    batch_size: int = 2
    shards: int = 1
    shard_ids: tuple[int, ...] = (0,)  # one a pipeline
    stick_to_shard: bool = False
    by_size: bool = False

    @property
    def name(self) -> str:
        parts = [self.policy, "padded" if self.padded else "wrapping", f"batch {self.batch_size}"]
        parts += [f"shards {self.shard_ids} of {self.shards}"] if self.shards > 1 else []
        parts += ["stick"] if self.stick_to_shard else []
        parts += ["by size"] if self.by_size else []
        return ", ".join(parts)

    @property
    def departs(self) -> bool:
        """DALI does not take the batch that is all padding from ranks whose shard is shorter: the next epoch gets it."""
        return self.policy == "DROP" and self.padded and self.shards > 1 and 7 // self.shards % self.batch_size == 0


CASES: list[Case] = []
for _policy, _padded in itertools.product(("PARTIAL", "FILL", "DROP"), (True, False)):
    for _batch_size in (2, 3):
        CASES += [Case(_policy, _padded, _batch_size), Case(_policy, _padded, _batch_size, by_size=True)]
        for _stick in (False, True):
            CASES += [Case(_policy, _padded, _batch_size, 2, (shard,), _stick) for shard in range(2)]
            if _batch_size == 2:  # DALI refuses batches that are larger than a shard
                CASES += [Case(_policy, _padded, _batch_size, 3, (shard,), _stick) for shard in range(3)]
            CASES += [Case(_policy, _padded, _batch_size, 2, (0, 1), _stick)]


def make_data(root: pathlib.Path) -> None:
    for number in range(1, 8):
        (root / f"{number}.jpg").write_bytes(b"%d" % number)
    (root / "list.txt").write_text("".join(f"{number}.jpg {number}\n" for number in range(1, 8)))


def _pipeline(lib, case: Case, shard: int, root: pathlib.Path, threads: int):
    pipe = lib.Pipeline(batch_size=case.batch_size, num_threads=threads, device_id=None)
    with pipe:
        labels = lib.fn.readers.file(
            name="reader", file_root=str(root), file_list=str(root / "list.txt"), num_shards=case.shards, shard_id=shard,
            stick_to_shard=case.stick_to_shard, pad_last_batch=case.padded)[1]
        pipe.set_outputs(labels)
    return pipe


def run(lib, iterator_class, policies, case: Case, root: pathlib.Path, threads: int = 1) -> list:
    """Each epoch's announced length and its batches: for each pipeline its labels."""
    pipes = [_pipeline(lib, case, shard, root, threads) for shard in case.shard_ids]
    length = {"size": 7, "last_batch_padded": case.padded} if case.by_size else {"reader_name": "reader"}
    iterator = iterator_class(pipes, ["label"], last_batch_policy=getattr(policies, case.policy), auto_reset=True, **length)
    epochs = []
    for _ in range(EPOCHS):
        announced = len(iterator)
        epochs.append([announced, [[part["label"].reshape(-1).tolist() for part in batch] for batch in iterator]])
    return epochs
