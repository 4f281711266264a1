# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N818  (names without Error: they say what is wrong, and are the same in C++)
"""Errors that users can cause.

All derive from `NeuropilError` and from the built-in exception they are a kind of. They are raised before anything has changed, and carry
what they are about as attributes, so that programs need not read the message.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = [
    "BadCheckpoint",
    "BadDelay",
    "BadFile",
    "BadLength",
    "BadParameter",
    "BadType",
    "ForeignNodes",
    "IllegalConnection",
    "InputOverflow",
    "MissingCompiler",
    "MissingLibrary",
    "ModelError",
    "MpiError",
    "NeuropilError",
    "NoPositions",
    "NotKept",
    "NothingDrawn",
    "NumericalInstability",
    "OutOfRange",
    "RankError",
    "ReadOnly",
    "Stale",
    "SweepError",
    "TooFewNodes",
    "TooLarge",
    "UnknownArgument",
    "UnknownAttribute",
    "UnknownName",
    "WeightOutgrown",
]


class NeuropilError(Exception):
    """Base of all errors of neuropil; `str()` is the message."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class BadParameter(NeuropilError, ValueError):
    """A value outside what is allowed: `parameter` = `value`: must be `allowed`."""

    def __init__(self, message: str, parameter: str = "", value: object = None, allowed: str = "") -> None:
        super().__init__(message)
        self.parameter, self.value, self.allowed = parameter, value, allowed


class BadDelay(BadParameter):
    """A delay below the resolution, or too long."""


class BadType(NeuropilError, TypeError):
    """A value of a Python type that is not possible here: `parameter` = `value`: must be `allowed`."""

    def __init__(self, message: str, parameter: str = "", value: object = None, allowed: str = "") -> None:
        super().__init__(message)
        self.parameter, self.value, self.allowed = parameter, value, allowed


class BadLength(NeuropilError, ValueError):
    """An array whose length or shape does not fit: `parameter` has `length`, `wanted` is needed."""

    def __init__(self, message: str, parameter: str = "", length: object = None, wanted: object = None) -> None:
        super().__init__(message)
        self.parameter, self.length, self.wanted = parameter, length, wanted


class UnknownName(NeuropilError, KeyError):
    """A model, parameter, rule, ... called `name` does not exist; `near` are the names that look like it."""

    def __init__(self, message: str, kind: str = "", name: str = "", near: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.kind, self.name, self.near = kind, name, tuple(near)


class UnknownAttribute(UnknownName, AttributeError):  # type: ignore[misc]  # both have a name: the same one
    """An attribute (of nodes: a parameter, state variable or method) that does not exist."""

    def __init__(self, message: str, kind: str = "", name: str = "", near: Sequence[str] = ()) -> None:
        NeuropilError.__init__(self, message)
        self.kind, self.name, self.near = kind, name, tuple(near)


class UnknownArgument(UnknownName, TypeError):
    """A function was called with an argument that it does not have."""

    def __init__(self, message: str, kind: str = "", name: str = "", near: Sequence[str] = ()) -> None:
        NeuropilError.__init__(self, message)
        self.kind, self.name, self.near = kind, name, tuple(near)


class ReadOnly(NeuropilError, AttributeError):
    """An attribute that can be read but not set."""


class OutOfRange(NeuropilError, IndexError):
    """An index or a slice outside of a set of nodes or connections."""


class TooLarge(NeuropilError, MemoryError):
    """The request needs `needed` bytes, more than the `available` ones; nothing was allocated.

    In a run: recordings or spikes in flight have grown so far; the run stopped, what was recorded can be read, and after it was cleared the
    network can run on. Spikes that multiply within one minimal delay are the exception: after them the network can only be read.
    """

    def __init__(self, message: str, needed: float = 0.0, available: float = 0.0) -> None:
        super().__init__(message)
        self.needed, self.available = needed, available


class NumericalInstability(NeuropilError, ArithmeticError):
    """The `state` variable of neuron `gid` has the `value`, not finite or beyond all sane ones, at `time` (ms). Raised on all ranks.

    The network can be read and run no more. Smaller time steps, or other parameters or weights, are needed.
    """

    def __init__(self, message: str, model: str = "", gid: int = 0, state: str = "", value: float = 0.0, time: float = 0.0) -> None:
        super().__init__(message)
        self.model, self.gid, self.state, self.value, self.time = model, gid, state, value, time


class InputOverflow(NeuropilError, ArithmeticError):
    """The inputs of neuron `gid` to a `receptor` in the step that ends at `time` (ms) add up to more than a sum can hold. Raised on all ranks.

    Sums hold at least 500 000 events of the largest weight of the receptor. The network can be read and run no more.
    """

    def __init__(self, message: str, model: str = "", gid: int = 0, receptor: int = 0, time: float = 0.0) -> None:
        super().__init__(message)
        self.model, self.gid, self.receptor, self.time = model, gid, receptor, time


class WeightOutgrown(NeuropilError, ArithmeticError):
    """A plastic weight has grown out of all proportion to the others of its receptor. Raised where it happened; other ranks raise RankError.

    The network can be read and run no more. `synapse` is the model, `source` and `target` are gids, `weight` (pA, nS or mV) is that at `time` (ms).
    """

    def __init__(self, message: str, synapse: str = "", source: int = 0, target: int = 0, weight: float = 0.0, time: float = 0.0) -> None:
        super().__init__(message)
        self.synapse, self.source, self.target, self.weight, self.time = synapse, source, target, weight, time


class IllegalConnection(NeuropilError, ValueError):
    """Nodes that cannot be connected in this way."""


class ForeignNodes(IllegalConnection):
    """Nodes that belong to another Network."""


class TooFewNodes(IllegalConnection):
    """Node `gid` has fewer partners to choose from than it must choose."""

    def __init__(self, message: str, gid: int = 0) -> None:
        super().__init__(message)
        self.gid = gid


class NoPositions(NeuropilError, ValueError):
    """Positions, distances or a coordinate are asked for that nodes do not have.

    misplaced: there may be positions, but a value of nodes asks for those of a connection, or the other way round
    """

    def __init__(self, message: str, misplaced: bool = False) -> None:
        super().__init__(message)
        self.misplaced = misplaced


class NothingDrawn(NeuropilError, ArithmeticError):
    """What was drawn again and again was never within its bounds."""


class Stale(NeuropilError, RuntimeError):
    """Connections that were queried before the network was changed, or nodes that a reset or restore has taken out of it."""


class NotKept(NeuropilError, RuntimeError):
    """A network that has not kept what resetting or copying it needs."""


class SweepError(NeuropilError, RuntimeError):
    """A run of a sweep has failed, at `parameters`; `__cause__` is what it raised. Or a sweep cannot be made here; then there are none."""

    def __init__(self, message: str, parameters: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.parameters = parameters


class BadFile(NeuropilError, ValueError):
    """`file` is missing, broken or holds what is not allowed; `place`: line, dataset or section, "" for the whole file."""

    def __init__(self, message: str, file: str = "", place: str = "") -> None:
        super().__init__(message)
        self.file, self.place = file, place


class BadCheckpoint(BadFile):
    """A checkpoint that cannot be written or read: `file`, and what is wrong with it; `place`: column or shard. The same on all ranks."""


class MissingCompiler(NeuropilError, RuntimeError):
    """A model is to be compiled, and this machine has no C++ compiler."""


class MissingLibrary(NeuropilError, ImportError):
    """The Python package `library`, which neuropil does without unless it is asked for this, is not installed; `extra` of neuropil brings it."""

    def __init__(self, message: str, library: str = "", extra: str = "") -> None:
        super().__init__(message)
        self.library, self.extra = library, extra


class ModelError(NeuropilError, ValueError):
    """A model of one's own that is not a model: its text does not compile, or says what is not allowed."""


class MpiError(NeuropilError, RuntimeError):
    """MPI is wanted and cannot be had; the message says what to install."""


class RankError(NeuropilError, RuntimeError):
    """Raised on every rank when one has failed, was interrupted, has ended, or no longer makes the same calls."""


def bad_parameter(parameter: str, value: object, allowed: str) -> BadParameter:
    text = repr(value)
    text = text if len(text) <= 200 else f"{text[:97]}..."
    return BadParameter(f"{parameter} = {text}: must be {allowed}", parameter, value, allowed)


def during_run(call: str) -> BadParameter:
    """`call` was made by a function of `Network.every`, while the network runs."""
    message = f"{call} was called by a function of net.every, while the network runs: call it after the run"
    return BadParameter(message, call, "a call by a function of `every`", "called after the run")


def bad_file(file: object, place: str, problem: str) -> BadFile:
    """`file`, `place`: `problem`."""
    return BadFile(f"{file}{f', {place}' if place else ''}: {problem}", str(file), place)


def bad_checkpoint(file: object, place: str, problem: str) -> BadCheckpoint:
    """`file`, `place`: `problem`."""
    return BadCheckpoint(f"{file}{f', {place}' if place else ''}: {problem}", str(file), place)


def bad_delay(parameter: str, value: object, allowed: str) -> BadDelay:
    return BadDelay(f"{parameter} = {value!r}: must be {allowed}", parameter, value, allowed)


def bad_type(parameter: str, value: object, allowed: str) -> BadType:
    text = repr(value)
    text = text if len(text) <= 60 else f"{text[:57]}..."
    return BadType(f"{parameter} = {text} ({type(value).__name__}): must be {allowed}", parameter, value, allowed)


def bad_length(parameter: str, length: object, wanted: object) -> BadLength:
    return BadLength(f"{parameter} has {length} values, needs {wanted}", parameter, length, wanted)


_ELSEWHERE = {  # names in other simulators, and ours
    "cm": "C_m",
    "dt": "resolution",
    "label": "name",
    "model": "synapse_model",
    "simulate": "run",
    "tau_refrac": "t_ref",
    "v_rest": "E_L",
    "v_thresh": "V_th",
}


def near_names(name: str, known: Iterable[str], at_most: int = 3) -> list[str]:
    """Names that look like `name` or mean the same elsewhere, best first; whatever the case of the letters."""
    import difflib  # only needed once something went wrong

    by_lower, lower = {k.lower(): k for k in known}, str(name).lower()
    near = [by_lower[k] for k in difflib.get_close_matches(lower, by_lower, at_most, 0.5)]
    meant = _ELSEWHERE.get(lower, "")
    return near if by_lower.get(meant.lower()) != meant else [meant, *(k for k in near if k != meant)][:at_most]


def nearest(name: object, known: Iterable[str]) -> str:
    """What to add to the text of an error: the nearest names, if any are near."""
    near = near_names(str(name), known)
    return f" (nearest: {', '.join(near)})" if near else ""


def unknown_text(kind: str, name: str, known: Sequence[str]) -> tuple[str, list[str]]:
    """Message of UnknownName, and the nearest names. "parameter of M" gives "unknown parameter 'x' of M"."""
    near = near_names(name, known)
    listed = [f"'{k}'" for k in near or (known if len(known) <= 12 else ())]
    hint = f"; {'nearest' if near else 'known'}: {', '.join(listed)}" if listed else ""
    what, of, owner = kind.partition(" of ")
    return f"unknown {what} '{name}'{of}{owner}{hint}", near


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UnknownName:
    message, near = unknown_text(kind, name, list(known))
    return UnknownName(message, kind, name, near)


def unknown_argument(function: str, name: str, known: Iterable[str]) -> UnknownArgument:
    message, near = unknown_text(f"argument of {function}", name, list(known))
    return UnknownArgument(message, "argument", name, near)


def unknown_attribute(owner: str, name: str, known: Iterable[str], instead: str = "") -> UnknownAttribute:
    """`instead`: what to write instead, where that is known."""
    if instead:
        return UnknownAttribute(f"unknown attribute '{name}' of {owner}: {instead}", "attribute", name)
    message, near = unknown_text(f"attribute of {owner}", name, list(known))
    return UnknownAttribute(message, "attribute", name, near)
