# SPDX-License-Identifier: Apache-2.0
"""The errors of NEST by their names, as a module-like object `NESTErrors`, and how errors of neuropil become them."""

from __future__ import annotations

import re
import types
from collections.abc import Iterable
from types import TracebackType
from typing import Any, cast

import numpy as np

from .. import errors as native

_NAMES = (
    "BackendAlreadyRegistered BackendNotPrepared BackendPrepared BadDelay BadParameter BadParameterValue BadProperty "
    "DimensionMismatch DistributionError DynamicModuleManagementError GSLSolverFailure IOError IllegalConnection "
    "IncompatibleReceptorType InexistentConnection InternalError InvalidDefaultResolution InvalidTimeInModel KeyError "
    "LayerExpected LayerNodeExpected LocalNodeExpected MPIErrorCode MPIPortsFileMissing MPIPortsFileUnknown "
    "MUSICChannelAlreadyMapped MUSICChannelUnknown MUSICPortAlreadyPublished MUSICPortHasNoWidth MUSICPortUnconnected "
    "MUSICPortUnknown MUSICSimulationHasRun ModelInUse NamingConflict NewModelNameExists NoThreadSiblingsAvailable "
    "NodeWithProxiesExpected NotImplemented NumericalInstability RangeCheck StepMultipleRequired TimeMultipleRequired "
    "TypeMismatch UnaccessedDictionaryEntry UndefinedName UnexpectedEvent UnknownCompartment UnknownComponent UnknownModelName "
    "UnknownNode UnknownPort UnknownReceptorType UnknownSynapseType UnknownThread UnmatchedSteps UnsupportedEvent"
)


class KernelException(Exception):  # noqa: N818  (the name is NEST's)
    """Base of all errors of NEST: `nest.NESTError`."""


KernelException.__module__ = "NESTErrors"

NESTErrors: Any = types.ModuleType("NESTErrors", "Errors of NEST by their names, all derived from KernelException.")
NESTErrors.KernelException = KernelException
for _name in _NAMES.split():
    setattr(NESTErrors, _name, type(_name, (KernelException,), {"__module__": "NESTErrors", "__doc__": f"NEST's {_name}."}))

NESTError = KernelException
nearest = native.nearest


class NotSupported(NESTErrors.NotImplemented):  # type: ignore[misc]
    """Something of NEST that neuropil.nest does not have, named in `what`."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(f"neuropil.nest has no {what} yet{': ' + hint if hint else ''}")
        self.what = what


def unaccessed(what: str, function: str, names: list[str], known: Iterable[str] = ()) -> KernelException:
    """The error of keys that nobody knows, with the known names nearest to the first."""
    text = f"Unaccessed elements in {what}, in function {function.rstrip(':')}:  {' '.join(map(str, names))}{nearest(names[0], known)}"
    return cast(KernelException, NESTErrors.UnaccessedDictionaryEntry(text))


def expect(fits: object, what: str, *given: Any) -> None:
    """Raises TypeMismatch unless a value fits. what : the value that is expected; given : the value there is, to be shown."""
    if not fits:
        raise NESTErrors.TypeMismatch(f"Expected datatype: {what}{''.join(f', not {value!r}' for value in given)}")


_KINDS: dict[type, Any] = {float: int | float | np.number, int: int | np.integer, bool: bool | np.bool_}


def is_a(kind: type, value: Any) -> bool:
    """Whether a value is of a type: any number is a float, any whole one an int, but neither True nor False."""
    return isinstance(value, _KINDS.get(kind, kind)) and (kind is bool or not isinstance(value, bool))


def illegal(why: str) -> KernelException:
    """The error of connections that cannot be made."""
    return cast(KernelException, NESTErrors.IllegalConnection(f"Creation of connection is not possible because:\n{why}"))


_TRANSLATION: list[tuple[type[Exception], str]] = [
    (native.BadDelay, "BadDelay"),
    (native.TooFewNodes, "KernelException"),
    (native.NothingDrawn, "KernelException"),
    (native.NoPositions, "KernelException"),
    (native.IllegalConnection, "IllegalConnection"),
    (native.NumericalInstability, "NumericalInstability"),
    (native.InputOverflow, "KernelException"),
    (native.BadLength, "BadProperty"),
    (native.BadType, "TypeMismatch"),
    (native.BadParameter, "BadProperty"),
    (native.UnknownName, "UnaccessedDictionaryEntry"),
]


_IN_NEST = {  # what errors of values say in NEST, which scripts look for
    r"(?:spike|rate|amplitude)_times\[\d+\] = (\S+): must be a multiple": r"Time point \1 is not representable in current resolution.",
    r"spike_times.* finite time": "spike time cannot be set to 0.",
    r"spike_times.* not earlier": "Spike times must be sorted in non-descending order.",
    r"amplitude_times.* finite time": "Amplitude can only be changed at strictly positive times (t > 0).",
    r"amplitude_times.* later": "amplitude times must be at strictly increasing time steps.",
    r"rate_times.* later": "Rate times must be strictly increasing.",
    r"(rate|amplitude)_values has length.* 0\b": r"\1 times and values must be reset together.",
    r"(rate|amplitude)_values has length": r"\1 times and values have to be the same size.",
    r"t_ref = \S+: must be a finite number > 0": "Refractory time must be at least one time step.",
    r"delay = (\S+): must be between one step": r"Delay value \1 is invalid: Delay must be greater than or equal to resolution",
}


def _in_nest(text: str) -> str:
    """The text of an error, with what NEST says."""
    for pattern, said in _IN_NEST.items():
        if found := re.match(pattern, text):
            said = found.expand(said)
            return f"{text}: {said[0].upper() + said[1:] if '_values' in pattern else said}"
    return text


def translated(error: native.NeuropilError) -> Exception:
    """The error of NEST that says the same; `error` itself where NEST has none (TooLarge, RankError, ...)."""
    if isinstance(error, native.BadParameter) and error.parameter == "dt":
        return cast(Exception, NESTErrors.StepMultipleRequired(str(error)))
    if isinstance(error, native.NoPositions) and error.misplaced:
        return cast(Exception, NESTErrors.BadParameterValue(str(error)))
    for kind, name in _TRANSLATION:
        if isinstance(error, kind):
            found: Exception = getattr(NESTErrors, name)(_in_nest(str(error)))
            return found
    return error


class _Translating:
    """A class, as a generator costs a microsecond. bad: what errors of values become."""

    def __init__(self, bad: str = "BadProperty") -> None:
        self.bad = bad

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, native.NeuropilError):
            found = translated(error)
            if type(found) is NESTErrors.BadProperty:
                found = getattr(NESTErrors, self.bad)(str(found))
            if found is not error:
                raise found from error


_translating = _Translating()


def translating(bad: str = "") -> _Translating:
    """Errors of neuropil inside become those of NEST. bad : the class of errors of values."""
    return _Translating(bad) if bad else _translating
