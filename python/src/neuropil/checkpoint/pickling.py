# SPDX-License-Identifier: Apache-2.0
"""Python objects as bytes and arrays, and back: those of neuropil, numbers, texts, arrays and what holds them. Nothing else is written, or made.

Pickle without its one danger: a class or function is never looked up by a name in the file. Instead of names there are persistent ids, which
stand for classes of `classes`, for the network, for what the catalogue has, and for arrays, which are columns of the checkpoint.
"""

from __future__ import annotations

import copyreg
import io
import pickle
import pickletools
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadType, NeuropilError
from ..model import catalog
from ..model.values import Values
from .classes import CLASSES, PLAIN, Text, all_of, fields_of, key_of
from .container import plain_type
from .former import FORMER

__all__ = ["dumped", "loaded"]


def dumped(value: Any, network: Any) -> tuple[bytes, list[NDArray[Any]]]:
    """The value, in which `network` may occur, and the arrays in it. Raises BadType for what a checkpoint cannot hold."""
    stream = io.BytesIO()
    pickler = _Pickler(stream, network)
    try:
        pickler.dump(value)
    except RecursionError as error:
        raise BadType("extra: lists or dicts are nested too deeply to be saved") from error
    return stream.getvalue(), pickler.arrays


def loaded(data: bytes, arrays: Sequence[NDArray[Any]], network: Any) -> tuple[Any, Callable[[], None]]:
    """The value, and what is to be called when the network is whole. Raises ValueError for what was not written by `dumped`."""
    unpickler = _Unpickler(io.BytesIO(data), arrays, network)
    try:
        if 0x96 in data and any(op.name == "BYTEARRAY8" for op, _, _ in pickletools.genops(data)):
            raise ValueError("a bytearray that was not written here")  # of which Python does not always let go where it is cut off
        return unpickler.load(), unpickler.finish
    except NeuropilError as error:
        raise ValueError(str(error)) from error
    except Exception as error:  # pickle raises whatever comes of wrong bytes
        raise ValueError(f"{type(error).__name__}: {error}") from error


class _Pickler(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, network: Any) -> None:
        super().__init__(stream, protocol=5)
        self._network = network
        self._known: dict[int, int] = {}
        self.arrays: list[NDArray[Any]] = []

    def persistent_id(self, value: Any) -> Any:
        kind = type(value)
        if value is self._network:
            return ("network",)
        if isinstance(value, type):
            return _class_id(value)
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, np.generic):
            if not plain_type(value.dtype):
                raise _refused(value)
            return ("number", value.dtype.str, value.tobytes())
        if isinstance(value, np.dtype):
            if not plain_type(value):
                raise _refused(value)
            return ("dtype", value.str)
        if kind is bytearray:
            return ("bytearray", bytes(value))
        if kind is catalog.Entry:
            return ("entry", value.name)
        return ("set",) if value is _set_state else None

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        key = key_of(kind)
        if key in CLASSES:
            return self._reduced(value, CLASSES[key])
        if key in PLAIN:
            return (Text, (str(value),)) if kind is Text else NotImplemented
        raise _refused(value)

    def _reduced(self, value: Any, known: Any) -> tuple[Any, ...]:
        if isinstance(value, tuple):
            return copyreg.__newobj__, (known.cls, *value)  # type: ignore[attr-defined]
        if known.saved is None:
            return copyreg.__newobj__, (known.cls,), all_of(value, known), None, None, _set_state  # type: ignore[attr-defined]
        state = {name: getattr(value, name) for name in known.saved} if known.state is None else known.state(value)
        unknown = [name for name in getattr(value, "__dict__", ()) if name not in known.saved and name not in known.anew]
        if unknown:
            raise BadType(f"{type(value).__name__}.{unknown[0]}: checkpoints cannot save this attribute")
        return copyreg.__newobj__, (known.cls,), state, None, None, _set_state  # type: ignore[attr-defined]

    def _array(self, value: NDArray[Any]) -> tuple[Any, ...]:
        if type(value) not in (np.ndarray, Values, np.memmap) or not plain_type(value.dtype):
            raise _refused(value)
        if id(value) not in self._known:
            self._known[id(value)] = len(self.arrays)
            self.arrays.append(value)
        return ("array", self._known[id(value)], value.flags.writeable or type(value) is not np.ndarray)


def _class_id(kind: type) -> tuple[str, str]:
    key = key_of(kind)
    if key is None:
        raise _refused(kind)
    return ("class", key)


def _refused(value: Any) -> BadType:
    kind = value if isinstance(value, type) else type(value)
    what = f"{kind.__module__}.{kind.__qualname__}"
    if isinstance(value, np.ndarray):
        what = f"an array of {value.dtype}"
    elif isinstance(value, FunctionType | BuiltinFunctionType):
        what = f"the function {value.__qualname__}"
    text = "numbers, texts, lists, dicts, arrays of numbers or texts, and nodes, projections and records of its network"
    return BadType(f"extra: {what} cannot be saved: a checkpoint holds {text}", "extra", value, text)


def _set_state(made: Any, state: dict[str, Any]) -> None:
    """Stands for `_Unpickler.set_state` when pickled."""
    raise NotImplementedError  # pragma: no cover


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, arrays: Sequence[NDArray[Any]], network: Any) -> None:
        super().__init__(stream)
        self._arrays, self._network = arrays, network
        self._made: list[Any] = []

    def find_class(self, module: str, name: str) -> Any:
        raise ValueError(f"{module}.{name} is not allowed in a checkpoint")

    def persistent_load(self, pid: Any) -> Any:
        match pid:
            case ("network",):
                return self._network
            case ("class", str(key)) if key in CLASSES:
                return CLASSES[key].cls
            case ("class", str(key)) if key in PLAIN:
                return PLAIN[key]
            case ("array", int(k), bool(writeable)) if 0 <= k < len(self._arrays):
                self._arrays[k].flags.writeable = writeable
                return self._arrays[k]
            case ("number", str(kind), bytes(data)) if plain_type(dtype := np.dtype(kind)) and len(data) == dtype.itemsize:
                return np.frombuffer(data, dtype)[0]
            case ("dtype", str(kind)) if plain_type(dtype := np.dtype(kind)):
                return dtype
            case ("bytearray", bytes(data)):
                return bytearray(data)
            case ("entry", str(name)):
                return catalog.synapses().get(name) or catalog.node_model(name)
            case ("set",):
                return self.set_state
        raise ValueError(f"{pid!r:.60} is not allowed in a checkpoint")

    def set_state(self, made: Any, state: dict[str, Any]) -> None:
        key = key_of(type(made)) or ""
        known, former = CLASSES[key], FORMER.get(key)
        if former is not None:
            state = former(state)
        others = {*state} ^ {*known.saved} if known.saved is not None else fields_of(known) - {*state}
        if others:
            raise ValueError(f"{type(made).__name__} of another version of neuropil: {sorted(others)}")
        for name, value in state.items():
            object.__setattr__(made, name, value)
        self._made.append(made)

    def finish(self) -> None:
        """Makes what is made anew."""
        for made in self._made:
            for name, make in CLASSES[key_of(type(made)) or ""].anew.items():
                if make is not None:
                    object.__setattr__(made, name, make(made))
