# SPDX-License-Identifier: Apache-2.0
"""Small functions of NEST: status of old, ranks, help, messages and their verbosity, what is not there."""

from __future__ import annotations

import enum
import json
import sys
import warnings
from typing import Any

from ..engine import catalog, gather_bytes, load_module
from ..errors import UnknownName
from .errors import NESTErrors, NotSupported
from .kernel import reset, session
from .node_collection import NodeCollection, to_json
from .synapse_collection import SynapseCollection


def ResetKernel() -> None:  # noqa: N802
    """Forgets all nodes, connections, changed defaults and settings but `data_path` and `data_prefix`."""
    reset()


def GetStatus(nodes_or_conns: Any, keys: Any = None, output: str = "") -> Any:  # noqa: N802
    """Status of nodes or connections: a tuple of dicts; of one key its values (a list for connections), of several a tuple of tuples. Deprecated in NEST."""
    _deprecated("GetStatus", "get")
    n = len(_collection(nodes_or_conns))
    if n == 0:
        return "[]" if output == "json" else ()
    if keys is None:
        table = nodes_or_conns.get()
        found: Any = tuple({key: column if n == 1 else column[k] for key, column in table.items()} for k in range(n))
    elif isinstance(keys, str):
        column = nodes_or_conns.get(keys)
        found = (column,) if n == 1 else column
    elif hasattr(keys, "__iter__"):
        names = list(keys)
        table = nodes_or_conns.get(names)
        found = tuple(tuple(table[key] if n == 1 else table[key][k] for key in names) for k in range(n))
    else:
        raise TypeError("keys should be either a string or an iterable")
    return to_json(found) if output == "json" else found


def SetStatus(nodes_or_conns: Any, params: Any, val: Any = None) -> None:  # noqa: N802
    """Sets parameters of nodes or connections: a dict, a list of dicts, or one name with `val`. Deprecated in NEST."""
    _deprecated("SetStatus", "set")
    _collection(nodes_or_conns)
    if val is not None and not isinstance(params, str):
        raise TypeError(f"val goes with the name of one parameter, not with {type(params).__name__}: give params alone, or a name and val")
    if isinstance(params, str):
        params = {params: val}
    nodes_or_conns.set(params)


def _collection(nodes_or_conns: Any) -> Any:
    if not isinstance(nodes_or_conns, NodeCollection | SynapseCollection):
        raise TypeError("The first input (nodes_or_conns) must be NodeCollection or SynapseCollection with connection handles")
    return nodes_or_conns


def _deprecated(old: str, new: str) -> None:
    warnings.warn(f"{old}() is deprecated: use the {new}() of the collection", stacklevel=3)


def Rank() -> int:  # noqa: N802
    """Number of this rank, from 0."""
    return session().rank


def NumProcesses() -> int:  # noqa: N802
    """Number of ranks."""
    return session().n_ranks


def GetLocalVPs() -> Any:  # noqa: N802
    """Numbers of the virtual processes of this rank."""
    s = session()
    return range(s.rank, s.threads * s.n_ranks, s.n_ranks)


def SyncProcesses() -> None:  # noqa: N802
    """Waits until all ranks are here."""
    s = session()
    if s.n_ranks > 1:
        gather_bytes(b"")


def set_communicator(comm: Any) -> None:
    """Another communicator than the world: not supported."""
    raise NotSupported("set_communicator")


def help(obj: Any = None, return_text: bool = False) -> Any:
    """Help on a function, or on a model by its name."""
    text = _help_text(obj)
    if return_text:
        return text
    print(text)
    return None


def _help_text(obj: Any) -> str:
    if obj is None:
        return "neuropil.nest runs scripts of NEST on neuropil. help('iaf_psc_alpha') tells about a model, help(nest.Connect) about a function."
    if isinstance(obj, str):
        s = session()
        if obj in s.node_models or obj in s.synapse_models:
            model = (s.node_models if obj in s.node_models else s.synapse_models)[obj]
            return repr(catalog.describe(model.base))
        return f"No help on '{obj}'."
    import pydoc  # slow to import

    return pydoc.render_doc(obj, renderer=pydoc.plaintext)  # type: ignore[attr-defined]


def Install(module_name: str) -> None:  # noqa: N802
    """Loads the models of a module that `neuropil build-model FILE... --module NAME` made; those of NEST are compiled for its kernel."""
    s = session()
    try:
        load_module(module_name)
    except UnknownName as error:
        raise NESTErrors.DynamicModuleManagementError(f"{error}: neuropil build-model FILE... --module {module_name} makes it") from error
    s.modules.append(module_name)


def SetAcceptableLatency(port_name: str, latency: float) -> None:  # noqa: N802
    """MUSIC is not there."""
    raise NotSupported("MUSIC")


def SetMaxBuffered(port_name: str, size: int) -> None:  # noqa: N802
    """MUSIC is not there."""
    raise NotSupported("MUSIC")


def serialize_data(data: Any) -> Any:
    """Values as the status has them as plain Python ones."""
    return json.loads(to_json(data))


class VerbosityLevel(enum.IntEnum):
    """Levels of messages, from the most to the least talkative."""

    ALL = 0
    DEBUG = 5
    STATUS = 7
    INFO = 10
    PROGRESS = 15
    DEPRECATED = 18
    WARNING = 20
    ERROR = 30
    FATAL = 40
    QUIET = 100


_level = VerbosityLevel.INFO


def get_verbosity() -> VerbosityLevel:
    """The verbosity, which ResetKernel leaves as it is. Deprecated in NEST."""
    return _level


def set_verbosity(level: Any) -> None:
    """Sets the verbosity: a VerbosityLevel, a number, or a name such as "M_WARNING". Deprecated in NEST."""
    global _level
    _level = VerbosityLevel[level.removeprefix("M_")] if isinstance(level, str) else VerbosityLevel(level)


def message(
    message: str,
    severity: VerbosityLevel = VerbosityLevel.INFO,
    *,
    function: str | None = None,
    filename: str | None = None,
    lineno: int | None = None,
) -> None:
    """Shows a message on standard error if its level is not below the verbosity."""
    if severity < _level:
        return
    where = " ".join(str(part) for part in (filename, lineno, function) if part is not None)
    print(f"{where + ' ' if where else ''}[{VerbosityLevel(severity).name}]: {message}", file=sys.stderr)
