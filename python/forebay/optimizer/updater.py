"""`Updater`: an optimizer with the states of the weights that it has seen."""

from __future__ import annotations

import json
from typing import Any

import numpy

from .. import nd
from ..nd import NDArray
from .base import Optimizer, State

_NUMBERS = "optimizer"  # the array that holds the optimizer's numbers, as text


class Updater:
    """Called with the index of a weight, its gradient and itself, changes it."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.states: dict[int, State] = {}

    def __call__(self, index: int, grad: NDArray, weight: NDArray) -> None:
        if index not in self.states:
            self.states[index] = self.optimizer.create_state(index, weight)
        self.optimizer.update(index, weight, grad, self.states[index])

    def named_states(self) -> dict[str, NDArray]:
        """States and the numbers of the optimizer, for `nd.save`."""
        arrays = {
            f"{index}.{place}": array
            for index, state in self.states.items()
            for place, array in enumerate(_arrays_of(state))
        }
        text = json.dumps(_numbers_of(self.optimizer)).encode()
        arrays[_NUMBERS] = nd.array(numpy.frombuffer(text, numpy.uint8))
        return arrays

    def set_named_states(self, arrays: dict[str, NDArray], source: str) -> None:
        """Goes on from `named_states`. ValueError when they are another optimizer's or were written by something
        else."""
        numbers = _read_numbers(arrays, source)
        found: dict[int, list[NDArray]] = {}
        for name, array in arrays.items():
            if name != _NUMBERS:
                found.setdefault(int(name.partition(".")[0]), []).append(array)
        _set_numbers(self.optimizer, numbers, source)
        self.states = {int(index): _state_of(found.get(int(index), []), numbers["is_tuple"]) for index in numbers["counts"]}


def _read_numbers(arrays: dict[str, NDArray], source: str) -> dict[str, Any]:
    if _NUMBERS not in arrays:
        raise ValueError(f"{source}: these are not the states of a trainer")
    try:
        numbers = json.loads(arrays[_NUMBERS].asnumpy().tobytes())
        if set(numbers) != {"kind", "is_tuple", "settings", "scheduler", "counts"}:
            raise ValueError(f"the numbers are {sorted(numbers)}")
    except (ValueError, TypeError) as error:
        raise ValueError(f"{source}: the states of a trainer are broken: {error}") from error
    return dict(numbers)


def get_updater(optimizer: Optimizer) -> Updater:
    return Updater(optimizer)


def _arrays_of(state: State) -> tuple[NDArray, ...]:
    if state is None:
        return ()
    return (state,) if isinstance(state, NDArray) else state


def _state_of(arrays: list[NDArray], is_tuple: bool) -> State:
    if is_tuple:
        return tuple(arrays)
    return arrays[0] if arrays else None


def _plain(value: object) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))


def _settings_of(thing: object) -> dict[str, Any]:
    return {name: value for name, value in vars(thing).items() if _plain(value) and not name.startswith("_")}


def _numbers_of(optimizer: Optimizer) -> dict[str, Any]:
    scheduler = optimizer.lr_scheduler
    probe = optimizer.create_state(0, nd.zeros((1,)))
    return {
        "kind": type(optimizer).__name__,
        "is_tuple": isinstance(probe, tuple),
        "settings": _settings_of(optimizer),
        "scheduler": None if scheduler is None else _settings_of(scheduler),
        "counts": optimizer._index_update_count,
    }


def _set_numbers(optimizer: Optimizer, numbers: dict[str, Any], source: str) -> None:
    if numbers["kind"] != type(optimizer).__name__:
        raise ValueError(f"{source}: states of {numbers['kind']}, not of {type(optimizer).__name__}")
    _set(optimizer, numbers["settings"])
    optimizer._index_update_count = {int(index): count for index, count in numbers["counts"].items()}
    if optimizer.lr_scheduler is not None and numbers["scheduler"] is not None:
        _set(optimizer.lr_scheduler, numbers["scheduler"])


def _set(thing: object, settings: dict[str, Any]) -> None:
    """Sets those attributes that are there and are plain."""
    vars(thing).update((name, value) for name, value in settings.items() if name in _settings_of(thing))
