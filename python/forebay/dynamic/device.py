"""Where values are. Names are those of DALI's dynamic mode; operators run on the CPU."""

from __future__ import annotations

import threading
from typing import Any

from ..errors import InvalidError

__all__ = ["Device", "device"]

_KINDS = {"cpu": "cpu", "gpu": "gpu", "cuda": "gpu"}

NO_GPU = (
    "calls of operators run on the CPU: leave out device=\"gpu\" and .gpu(); tensors go to a GPU by DLPack, "
    "for example by .torch().cuda()"
)


class _Stack(threading.local):
    def __init__(self) -> None:
        self.devices: list[Device] = []


_current = _Stack()


class Device:
    """A device by its name: "cpu", "gpu" or "gpu:1". With `with` it is the current one of the thread.

    :param name: "cuda" is another name of "gpu".
    :param device_id: which GPU, where the name does not say it.
    """

    CPU: Device

    def __init__(self, name: str, device_id: int | None = None) -> None:
        kind, colon, number = name.partition(":")
        if kind not in _KINDS or (colon and not number.isdigit()):
            raise InvalidError(f"{name!r} is no device; 'cpu', 'gpu' and 'gpu:0' are")
        if colon and device_id is not None:
            raise InvalidError(f"device {name!r} has its number in the name: leave out device_id={device_id}")
        chosen = int(number) if colon else device_id
        self.device_type = _KINDS[kind]
        if self.device_type == "cpu" and chosen is not None:
            raise InvalidError(f"there is one CPU: device {name!r} has no number")
        if chosen is not None and chosen < 0:
            raise InvalidError(f"device_id={chosen} is negative")
        self.device_id = 0 if self.device_type == "gpu" and chosen is None else chosen

    @staticmethod
    def default_device_id(device_type: str) -> int | None:
        """None for the CPU, 0 for GPUs."""
        if device_type not in ("cpu", "gpu"):
            raise InvalidError(f"{device_type!r} is no type of device; 'cpu' and 'gpu' are")
        return None if device_type == "cpu" else 0

    @staticmethod
    def type_from_dlpack(dev_type: Any) -> str:
        """"cpu" or "gpu" for a DLPack type of device."""
        names = {1: "cpu", 2: "gpu", 3: "cpu"}
        if int(dev_type) not in names:
            raise InvalidError(f"DLPack's device type {int(dev_type)} is neither a CPU nor a CUDA GPU")
        return names[int(dev_type)]

    @staticmethod
    def from_dlpack(dlpack_device: Any) -> Device:
        """Where an object with ``__dlpack_device__`` is."""
        kind, number = dlpack_device.__dlpack_device__()
        name = Device.type_from_dlpack(kind)
        return Device(name, None if name == "cpu" else int(number))

    @staticmethod
    def current() -> Device:
        """The innermost device of a `with` on this thread; else the CPU."""
        return _current.devices[-1] if _current.devices else Device.CPU

    def __enter__(self) -> Device:
        _current.devices.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _current.devices.pop()

    def __str__(self) -> str:
        return self.device_type if self.device_id is None else f"{self.device_type}:{self.device_id}"

    def __repr__(self) -> str:
        number = "" if self.device_id is None else f", device_id={self.device_id}"
        return f"Device(device_type={self.device_type!r}{number})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Device):
            return NotImplemented
        return (self.device_type, self.device_id) == (other.device_type, other.device_id)

    def __hash__(self) -> int:
        return hash((self.device_type, self.device_id))


Device.CPU = Device("cpu")

DeviceLike = Any
"""A Device, its name, a torch.device or None."""


def device(obj: DeviceLike, id: int | None = None) -> Device | None:
    """The device of a name, a Device or a torch.device; None of None.

    :param id: which GPU; with a name only.
    """
    if obj is None:
        return None
    if isinstance(obj, str):
        return Device(obj, id)
    if id is not None:
        raise InvalidError("`id` goes with the name of a device only")
    if isinstance(obj, Device):
        return obj
    if type(obj).__module__ == "torch" and hasattr(obj, "type") and hasattr(obj, "index"):
        return Device(obj.type, obj.index)
    raise TypeError(f"{type(obj).__name__} is no device: give 'cpu', 'gpu', a Device or a torch.device")


def check_cpu(wanted: DeviceLike) -> None:
    """NotImplementedError for a GPU."""
    if wanted is None or wanted is Device.CPU or wanted == "cpu":
        return
    chosen = device(wanted)
    if chosen is not None and chosen.device_type != "cpu":
        raise NotImplementedError(NO_GPU)
