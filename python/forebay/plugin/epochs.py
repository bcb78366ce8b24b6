"""Which batches make an epoch, and how many samples of its last batch count: the rules of `LastBatchPolicy`.

Readers are endless; an iterator counts. With `pad_last_batch` a rank's epoch is whole batches, its last sample
repeated. Without, batches run over the end of the data, and how the next epoch begins depends on the policy. Data 1..7,
batch 2:

    policy    padded    last batch, first batch of the next epoch
    PARTIAL   yes       [7]      [1, 2]
    PARTIAL   no        [7]      [2, 3]
    FILL      yes       [7, 7]   [1, 2]
    FILL      no        [7, 1]   [2, 3]
    DROP      yes       [5, 6]   [1, 2]
    DROP      no        [5, 6]   [2, 3]
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence

from ..graph.reader_facts import ReaderFacts


class LastBatchPolicy(enum.Enum):
    """What happens to the last batch of an epoch when the samples do not fill it."""

    FILL = 0
    """It is filled, with the first samples of the next epoch or with copies of the last sample."""
    DROP = 1
    """It is left out."""
    PARTIAL = 2
    """It is given shorter. Without `pad_last_batch=True` of the reader, the samples of the next epoch that were read to
    fill it are left out there, so that epochs do not hold each sample once: as in DALI."""


def _check_counts(state: Any, *names: str) -> None:
    for name in names:
        if not isinstance(state, Mapping) or not isinstance(state.get(name), int) or state[name] < 0:
            raise ValueError(f"this is not the state of such an iterator: it has no valid '{name}'")


def _ceil_div(a: int, b: int) -> int:
    return -(-a // b)


@dataclass
class ReaderEpochs:
    """Epochs of iterators over readers: every pipeline reads a shard of the data set."""

    meta: Mapping[str, int]
    shard_ids: Sequence[int]  # one a pipeline
    batch_size: int
    policy: LastBatchPolicy
    epoch: int = 0
    step: int = 0  # batches of this epoch that were taken
    carry: list[int] = field(default_factory=list)  # FILL: samples of this epoch that the last one took, by shard
    first_epoch: int = 0  # of the stream, and what all shards together have of it and of those after it;
    left: Sequence[int] = ()  # the others are whole

    def __post_init__(self) -> None:
        self.carry = self.carry or [0] * self._shards

    @property
    def _shards(self) -> int:
        return int(self.meta["number_of_shards"])

    @property
    def _is_padded(self) -> bool:
        return bool(self.meta["pad_last_batch"])

    def shard_size(self, shard: int) -> int:
        """Samples that the rank which began with `shard` reads in this epoch."""
        if not self.meta["stick_to_shard"]:
            shard = (shard + self.epoch) % self._shards
        total = self._total
        return (shard + 1) * total // self._shards - shard * total // self._shards

    @property
    def _total(self) -> int:
        """Samples of this epoch, over all shards."""
        place = self.epoch - self.first_epoch
        return self.left[place] if 0 <= place < len(self.left) else int(self.meta["epoch_size"])

    def _has_of_each(self, samples: int) -> bool:
        """Whether each shard has so many samples of this epoch; waits for no more than these to be known."""
        samples *= self._shards
        place = self.epoch - self.first_epoch
        if isinstance(self.meta, ReaderFacts) and not 0 <= place < len(self.left):
            return self.meta.has(samples)
        return self._total >= samples

    @property
    def _padded_size(self) -> int:
        """Samples of a rank's epoch, before its last batch is filled up."""
        return int(self.meta["epoch_size_padded"]) // self._shards

    def _sizes(self) -> list[int]:
        return [self.shard_size(shard) for shard in range(self._shards)]

    def steps_given(self) -> int:
        """Batches that the user gets in this epoch."""
        if self.policy is LastBatchPolicy.DROP:
            return min(self._sizes()) // self.batch_size
        return self.steps_taken()

    def steps_taken(self) -> int:
        """Batches that are taken from the pipelines in this epoch; more than given when some are dropped."""
        if self._is_padded:
            return _ceil_div(self._padded_size, self.batch_size)
        if self.policy is LastBatchPolicy.DROP:
            return _ceil_div(min(self._sizes()), self.batch_size)
        if self.policy is LastBatchPolicy.FILL:
            missing = max(size - carry for size, carry in zip(self._sizes(), self.carry))
            return max(0, _ceil_div(missing, self.batch_size))
        return _ceil_div(_ceil_div(self._total, self._shards), self.batch_size)

    def is_over(self) -> bool:
        if not any(self.carry) and self._has_of_each((self.step + 1) * self.batch_size):
            return False  # whatever the policy
        return self.step >= self.steps_given()

    def take(self) -> list[int]:
        """Counts a batch; how many of its samples count, for each pipeline."""
        self.step += 1
        if self.policy is not LastBatchPolicy.PARTIAL or self._has_of_each(self.step * self.batch_size):
            return [self.batch_size] * len(self.shard_ids)
        before = (self.step - 1) * self.batch_size
        return [max(0, min(self.batch_size, self.shard_size(shard) - before)) for shard in self.shard_ids]

    def end(self) -> int:
        """Goes on to the next epoch; how many batches have to be taken and dropped first."""
        dropped = self.steps_taken() - self.step
        if self.policy is LastBatchPolicy.FILL and not self._is_padded:
            taken = self.steps_taken() * self.batch_size
            self.carry = [carry + taken - size for carry, size in zip(self.carry, self._sizes())]
        self.epoch += 1
        self.step = 0
        if self.steps_taken() == 0:  # the batch before held all of this epoch
            self.carry = [0] * self._shards
        return dropped

    @property
    def size(self) -> int:
        """Samples that a pipeline gives in this epoch."""
        if self.policy is LastBatchPolicy.DROP:
            return min(self._sizes())
        return self._padded_size if self._is_padded else self.steps_taken() * self.batch_size

    def __len__(self) -> int:
        return self.steps_given()

    def end_early(self) -> None:
        """The data ended before the epoch; the next one begins."""
        self.epoch += 1
        self.step = 0
        self.carry = [0] * self._shards

    def fresh(self) -> ReaderEpochs:
        """As when nothing was taken."""
        return ReaderEpochs(
            self.meta, self.shard_ids, self.batch_size, self.policy, epoch=self.first_epoch,
            first_epoch=self.first_epoch, left=self.left,
        )

    def begin_in(self, first_epoch: int, left: Sequence[int]) -> None:
        """The stream begins in `first_epoch`, of which and of those after it `left` is left."""
        self.first_epoch = first_epoch
        self.left = left

    def divided_anew(self) -> dict[str, Any]:
        """The state in which epochs go on that were divided between another number of shards."""
        return self.fresh().state()

    def state(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "step": self.step, "carry": list(self.carry)}

    def check(self, state: Mapping[str, Any]) -> None:
        """ValueError if :meth:`restore` does not take the state."""
        _check_counts(state, "epoch", "step")
        carry = state.get("carry")
        if not isinstance(carry, list) or len(carry) != self._shards or not all(isinstance(one, int) for one in carry):
            raise ValueError("the iterator's state is damaged or of another number of shards: it has no valid 'carry'")

    def restore(self, state: Mapping[str, Any]) -> None:
        self.epoch = int(state["epoch"])
        self.step = int(state["step"])
        self.carry = [int(count) for count in state["carry"]]


@dataclass
class SizeEpochs:
    """Epochs of a given number of samples over all pipelines; a negative size: until the data ends."""

    size: int
    pipelines: int
    batch_size: int
    policy: LastBatchPolicy
    is_padded: bool
    counter: int = 0

    @property
    def _step(self) -> int:
        return self.pipelines * self.batch_size

    def is_over(self) -> bool:
        if self.size < 0:
            return False
        if self.policy is LastBatchPolicy.DROP:
            return self.counter + self._step > self.size
        return self.counter >= self.size

    def take(self) -> list[int]:
        self.counter += self._step
        left = self._step
        if self.size >= 0 and self.policy is LastBatchPolicy.PARTIAL:
            left -= max(0, self.counter - self.size)
        counts = []
        for _ in range(self.pipelines):
            counts.append(max(0, min(self.batch_size, left)))
            left -= counts[-1]
        return counts

    def end(self) -> int:
        dropped = 0
        if self.size < 0:
            self.counter = 0
            return 0
        if self.policy is LastBatchPolicy.DROP and self.counter < self.size:
            dropped = 1
        if self.policy is LastBatchPolicy.FILL and not self.is_padded:
            self.counter %= self.size
        else:
            self.counter = 0
        return dropped

    def __len__(self) -> int:
        if self.policy is LastBatchPolicy.DROP:
            return self.size // self._step
        return _ceil_div(self.size, self._step)

    def end_early(self) -> None:
        """The data ended before the epoch; the next one begins."""
        self.counter = 0

    def fresh(self) -> SizeEpochs:
        """As when nothing was taken."""
        return SizeEpochs(self.size, self.pipelines, self.batch_size, self.policy, self.is_padded)

    def begin_in(self, first_epoch: int, left: Sequence[int]) -> None:
        """An epoch is a number of samples, whichever they are."""

    def divided_anew(self) -> dict[str, Any]:
        """ValueError: what is left of an epoch is not known."""
        if self.size < 0:
            return self.fresh().state()
        raise ValueError(
            f"an iterator with size={self.size} does not know what is left of an epoch that is divided between another "
            "number of shards; give it `reader_name` instead"
        )

    def check(self, state: Mapping[str, Any]) -> None:
        """ValueError if :meth:`restore` does not take the state."""
        _check_counts(state, "counter")

    def state(self) -> dict[str, Any]:
        return {"counter": self.counter}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.counter = int(state["counter"])
