# SPDX-License-Identifier: Apache-2.0
"""The errors of NEST by their names, as a module-like object `NESTErrors`, and how errors of neuropil become them."""

from __future__ import annotations

import types
from types import TracebackType
from typing import Any, cast

from .. import errors as native

_NAMES = [
    "BackendAlreadyRegistered",
    "BackendNotPrepared",
    "BackendPrepared",
    "BadDelay",
    "BadParameter",
    "BadParameterValue",
    "BadProperty",
    "DimensionMismatch",
    "DistributionError",
    "DynamicModuleManagementError",
    "GSLSolverFailure",
    "IOError",
    "IllegalConnection",
    "IncompatibleReceptorType",
    "InexistentConnection",
    "InternalError",
    "InvalidDefaultResolution",
    "InvalidTimeInModel",
    "KeyError",
    "LayerExpected",
    "LayerNodeExpected",
    "LocalNodeExpected",
    "MPIErrorCode",
    "MPIPortsFileMissing",
    "MPIPortsFileUnknown",
    "MUSICChannelAlreadyMapped",
    "MUSICChannelUnknown",
    "MUSICPortAlreadyPublished",
    "MUSICPortHasNoWidth",
    "MUSICPortUnconnected",
    "MUSICPortUnknown",
    "MUSICSimulationHasRun",
    "ModelInUse",
    "NamingConflict",
    "NewModelNameExists",
    "NoThreadSiblingsAvailable",
    "NodeWithProxiesExpected",
    "NotImplemented",
    "NumericalInstability",
    "RangeCheck",
    "StepMultipleRequired",
    "TimeMultipleRequired",
    "TypeMismatch",
    "UnaccessedDictionaryEntry",
    "UndefinedName",
    "UnexpectedEvent",
    "UnknownCompartment",
    "UnknownComponent",
    "UnknownModelName",
    "UnknownNode",
    "UnknownPort",
    "UnknownReceptorType",
    "UnknownSynapseType",
    "UnknownThread",
    "UnmatchedSteps",
    "UnsupportedEvent",
]


class KernelException(Exception):  # noqa: N818  (the name is NEST's)
    """Base of all errors of NEST: `nest.NESTError`."""


KernelException.__module__ = "NESTErrors"

NESTErrors: Any = types.ModuleType("NESTErrors", "Errors of NEST by their names, all derived from KernelException.")
NESTErrors.KernelException = KernelException
for _name in _NAMES:
    setattr(NESTErrors, _name, type(_name, (KernelException,), {"__module__": "NESTErrors", "__doc__": f"NEST's {_name}."}))

NESTError = KernelException


class NotSupported(NESTErrors.NotImplemented):  # type: ignore[misc]
    """Something of NEST that neuropil.nest does not have, named in `what`."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(f"neuropil.nest has no {what} yet{': ' + hint if hint else ''}")
        self.what = what


def unaccessed(what: str, function: str, names: list[str]) -> KernelException:
    """The error of keys that nobody knows."""
    found: KernelException = NESTErrors.UnaccessedDictionaryEntry(
        f"Unaccessed elements in {what}, in function {function.rstrip(':')}:  {' '.join(names)}"
    )
    return found


_TRANSLATION: list[tuple[type[Exception], str]] = [
    (native.BadDelay, "BadDelay"),
    (native.TooFewNodes, "KernelException"),
    (native.NothingDrawn, "KernelException"),
    (native.NoPositions, "KernelException"),
    (native.IllegalConnection, "IllegalConnection"),
    (native.NumericalInstability, "NumericalInstability"),
    (native.BadLength, "BadProperty"),
    (native.BadType, "TypeMismatch"),
    (native.BadParameter, "BadProperty"),
    (native.UnknownName, "UnaccessedDictionaryEntry"),
]


def translated(error: native.NeuropilError) -> Exception:
    """The error of NEST that says the same; `error` itself where NEST has none (TooLarge, RankError, ...)."""
    if isinstance(error, native.BadParameter) and error.parameter == "dt":
        return cast(Exception, NESTErrors.StepMultipleRequired(str(error)))
    if isinstance(error, native.NoPositions) and error.misplaced:
        return cast(Exception, NESTErrors.BadParameterValue(str(error)))
    for kind, name in _TRANSLATION:
        if isinstance(error, kind):
            found: Exception = getattr(NESTErrors, name)(str(error))
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
_of_model = {"ht_neuron": _Translating("BadParameter")}  # NEST's class for its parameters


def translating(model: str = "") -> _Translating:
    """Errors of neuropil inside become those of NEST. model: whose parameters are checked."""
    return _of_model.get(model, _translating)
