"""The states of readers and generators, collected, saved, loaded and given back."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Protocol

from ..errors import InvalidError
from ..graph.replace_file import replace_file
from .numbered_files import last_file, next_file

_VERSION = 1
_AUTOMATIC = "__op_"


class Stateful(Protocol):
    """What can be registered: a reader or an RNG."""

    def get_state(self, *, cuda_stream: Any = None) -> Any: ...

    def set_state(self, value: Any) -> None: ...


@dataclass(frozen=True)
class _Entry:
    state: Any
    kind: str | None  # name of the class that it is for


class Checkpoint:
    """States by name. :meth:`register` says whose; a state that was loaded is given to its owner then.

        checkpoint.register(reader, "reader")
        checkpoint.collect()
        checkpoint.save("state-{seq:04}.json")
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forgets everything."""
        self._owners: dict[str, Stateful] = {}
        self._entries: dict[str, _Entry] = {}
        self._waiting: set[str] = set()  # states that their owners do not have yet
        self._is_complete = False
        self._is_loaded = False

    @property
    def is_complete(self) -> bool:
        """Whether the states are those of the last :meth:`collect`."""
        return self._is_complete

    @property
    def is_loaded(self) -> bool:
        """Whether the states are those of the last :meth:`load` or :meth:`deserialize`."""
        return self._is_loaded

    @property
    def names(self) -> tuple[str, ...]:
        """Of what is registered."""
        return tuple(self._owners)

    def __len__(self) -> int:
        return len(self._owners)

    def __contains__(self, name: object) -> bool:
        return str(name) in self._owners

    def register(self, op: Stateful, name: str | None = None) -> str:
        """Adds a reader or RNG. If there is a state of that name that it does not have yet, it gets it.

        :param name: without one, the same name again for what is registered already, else one by the order of
            registration.
        :returns: the name.
        """
        known = next((key for key, owner in self._owners.items() if owner is op), None)
        prepare = getattr(op, "_enable_checkpointing", None)
        if prepare is not None:
            prepare()
        if name is not None:
            self._check_name(op, name, known)
        key = name or known or f"{_AUTOMATIC}{len(self._owners)}"
        if key not in self._owners:
            if self._is_complete:
                raise RuntimeError(f"the checkpoint is complete; call clear() before {key!r} is registered")
            if self._is_loaded and key not in self._entries:
                raise KeyError(f"the checkpoint that was loaded has no state of {key!r}")
        self._owners[key] = op
        self._apply(key)
        return key

    def _check_name(self, op: Stateful, name: str, known: str | None) -> None:
        if not name or name.startswith(_AUTOMATIC):
            raise InvalidError(f"{name!r} is no name for a state: it is empty or begins with '{_AUTOMATIC}'")
        if known is not None and known != name:
            raise RuntimeError(f"{name!r} is registered already, as {known!r}")
        before = self._owners.get(name)
        if before is not None and type(before) is not type(op):
            kinds = (type(before).__qualname__, type(op).__qualname__)
            raise TypeError(f"{name!r} is a {kinds[0]}: a {kinds[1]} cannot take its place")

    def _apply(self, key: str) -> None:
        if key not in self._waiting:
            return
        entry = self._entries[key]
        kind = type(self._owners[key]).__qualname__
        if entry.kind is not None and entry.kind != kind:
            raise TypeError(f"the state of {key!r} is of a {entry.kind}, and a {kind} is registered under that name")
        self._owners[key].set_state(entry.state)
        self._waiting.discard(key)

    def get_state(self, name: str) -> Any:
        """The state of that name; None where there is none yet. KeyError where nothing of that name is registered."""
        if name not in self:
            raise KeyError(f"nothing is registered as {str(name)!r}")
        entry = self._entries.get(str(name))
        return None if entry is None else entry.state

    def set_state(self, name: str, value: Any, op_type: Any = None) -> None:
        """Keeps a state for who is, or will be, registered under that name: it gets it by :meth:`restore`, or when it
        is registered.

        :param op_type: the class, or its name, that the state is for.
        """
        if op_type is not None and not isinstance(op_type, (str, type)):
            raise TypeError(f"`op_type` must be a class or a string, got {op_type!r}.")
        key = str(name)
        if self._is_complete and key not in self._owners:
            raise KeyError(f"nothing is registered as {key!r}")
        self._entries[key] = _Entry(value, op_type.__qualname__ if isinstance(op_type, type) else op_type)
        self._waiting.add(key)

    def _check_owners(self) -> None:
        extra = sorted(self._entries.keys() - self._owners.keys())
        if extra:
            raise RuntimeError(f"the checkpoint has states of {extra}, and nothing is registered under these names")

    def collect(self) -> None:
        """Takes the states of all that is registered."""
        self._check_owners()
        self._entries = {key: _Entry(op.get_state(), type(op).__qualname__) for key, op in self._owners.items()}
        self._waiting.clear()
        self._is_complete = True
        self._is_loaded = False

    def restore(self) -> None:
        """Gives all states to their owners that do not have them yet."""
        if not self._entries:
            return
        self._check_owners()
        missing = sorted(self._owners.keys() - self._entries.keys())
        if missing:
            raise RuntimeError(f"the checkpoint has no states of {missing}")
        for key in sorted(self._waiting):
            self._apply(key)

    def serialize(self) -> str:
        """The states as JSON."""
        if not self._entries:
            raise RuntimeError("the checkpoint is empty: call collect() first")
        states = {key: {"state": str(entry.state), "type": entry.kind} for key, entry in self._entries.items()}
        return json.dumps({"version": _VERSION, "states": states})

    def deserialize(self, data: str) -> None:
        """Takes the states of :meth:`serialize`."""
        try:
            content = json.loads(data)
            version, states = content["version"], content["states"]
            entries = {str(key): _Entry(str(each["state"]), each["type"]) for key, each in states.items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidError("this is not what Checkpoint.serialize() gave") from error
        if version != _VERSION:
            raise InvalidError(f"a checkpoint of version {version}; this is version {_VERSION}")
        self._entries = entries
        self._waiting = set(entries)
        self._is_complete = False
        self._is_loaded = True

    def save(self, filename: str) -> str:
        """Writes the states to a file; gives its name. ``{seq}`` in the name, or ``{seq:04}``, becomes the number
        behind the highest one there. At any moment the file is whole or not there."""
        text = self.serialize()
        path = next_file(filename)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        replace_file(path, text.encode())
        return path

    def load(self, filename: str) -> str:
        """Takes the states of a file; of several that ``{seq}`` fits, of that with the highest number. Gives its
        name."""
        path = last_file(filename)
        with open(path, encoding="utf-8") as file:
            self.deserialize(file.read())
        return path
