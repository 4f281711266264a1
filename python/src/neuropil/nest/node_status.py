# SPDX-License-Identifier: Apache-2.0
"""Status of nodes: values of their keys, whether the kernel, the registry or a recorder has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Ints
from . import elements
from .errors import NotSupported, translating
from .kernel import session
from .models import arrays
from .models.faces import GROWTH
from .models.node_models import CM, NodeModel, is_shown_otherwise, to_nest
from .node_collection import NodeCollection
from .node_values import checked_together, restarts
from .registry import Row

Column = list[Any]
Reader = Callable[[Row, Ints], Column]
_OF_ARCHIVE = ("archiver_length", "post_trace")  # that NEST keeps for each neuron
_SHOWN: dict[tuple[str, str, str], Shown] = {}  # by model of NEST and of the kernel, with the shape, and digest


class Shown:
    """How the keys of nodes of a model are read.

    numbers : keys with one number per node, and the kernel's names; changed : what NEST shows in place of some of these numbers
    readers : of all other keys; keys : all that `get` shows, those of recorders beside
    free : numbers that nothing but the kernel heeds when they are set
    """

    def __init__(self, model: NodeModel) -> None:
        every = _of_every_model(model)
        self.readers = _of_own_model(model) | every
        self.numbers = {key: model.same.get(key, (key,))[-1] for key in model.scalars - self.readers.keys()}
        self.changed = {key: partial(to_nest, model, key) for key in self.numbers if is_shown_otherwise(model, key)}
        self.keys = sorted({*every, *(model.keys if model.kind != "recorder" else ())})
        heeded = {"start", "origin", *checked_together(model), *model.face.lent, *model.same, *model.numbered, *self.changed}
        free = self.numbers.keys() & model.settable - heeded if model.root != CM else ()
        self.free = frozenset(key for key in free if not restarts(model, {key: 0.0}))
        self._every = self.numbers, [(key, self.readers[key]) for key in self.keys if key in self.readers]

    def of(self, wanted: Sequence[str]) -> tuple[dict[str, str], list[tuple[str, Reader]]]:
        """Numbers and readers of the keys that are wanted."""
        if wanted is self.keys:
            return self._every
        numbers, readers = self.numbers, self.readers
        return {key: numbers[key] for key in wanted if key in numbers}, [(key, readers[key]) for key in wanted if key in readers]


def shown_of(model: NodeModel) -> Shown:
    """How nodes of a model are read, made when it is first asked for."""
    found = _SHOWN.get(key := (model.root, model.base, model.entry.digest))
    if found is None:
        found = _SHOWN[key] = Shown(model)
    return found


def values(nodes: NodeCollection, names: Sequence[str] | None) -> dict[str, Column]:
    """Values of keys by name, a list with one per node each; None for the nodes that lack a key. Raises KeyError when all lack it."""
    parts = session().registry.joined(nodes._alive())
    wanted = keys([row for row, _ in parts]) if names is None else names
    with translating():
        columns = [read(row, gids, wanted) for row, gids in parts]
    found = columns[0] if len(parts) == 1 else _joined(columns, [len(gids) for _, gids in parts])
    if None in found.values():
        lacking = next(key for key, column in found.items() if column is None)
        raise NotSupported(f"{lacking} of neurons", "compute it from recorded spikes") if lacking in _OF_ARCHIVE else KeyError(lacking)
    if names is not None and ("Ca" in found or "t_spike" in found):
        elements.refuse_unknown(found)
    return found


def _joined(columns: list[dict[str, Any]], sizes: list[int]) -> dict[str, Any]:
    """Columns of all parts, with None for the nodes of those that lack a key; None for keys that all lack."""
    found: dict[str, Any] = {}
    for key in columns[0]:
        some = [column[key] for column in columns]
        pieces = [[None] * n if piece is None else piece for piece, n in zip(some, sizes, strict=True)]
        found[key] = None if all(piece is None for piece in some) else [value for piece in pieces for value in piece]
    return found


def keys(rows: list[Row]) -> list[str]:
    """All keys of the nodes of some rows."""
    if len(rows) == 1 and not rows[0].recorders:
        return shown_of(rows[0].model).keys
    own = [(shown_of(row.model).keys, row.recorders[0].key_names() if row.recorders else ()) for row in rows]
    return sorted({key for pair in own for some in pair for key in some})


def read(row: Row, gids: Ints, wanted: Sequence[str]) -> dict[str, Any]:
    """Columns of nodes of one row; None for keys that they lack."""
    shown = shown_of(row.model)
    if len(wanted) == 1 and wanted[0] in shown.numbers and wanted[0] not in shown.changed:  # what loops of Simulate, get, set read
        return {wanted[0]: session().engine.kernel.get(gids, shown.numbers[wanted[0]]).tolist()}
    found: dict[str, Any] = dict.fromkeys(wanted)
    numbers, readers = shown.of(wanted)
    if numbers:
        found.update(zip(numbers, session().engine.kernel.get_all(gids, [*numbers.values()]), strict=True))
        for key, change in shown.changed.items():
            if key in numbers:
                found[key] = [*map(change, found[key])]
    for key, reader in readers:
        found[key] = reader(row, gids)
    if row.recorders:
        found |= row.recorders[0].read(row.recorders_of(gids), [key for key, column in found.items() if column is None])
    return found


# --- readers


def _of_own_model(model: NodeModel) -> dict[str, Reader]:
    """Readers of keys that not all models have and that are no numbers."""
    if model.kind == "recorder":
        return {}
    found: dict[str, Reader] = {key: partial(_extra, key, None) for key in model.extras}
    found |= {key: partial(_extra, key, partial(np.asarray, dtype=np.float64)) for key in model.extras if model.is_array(key)}
    found |= {key: partial(_extra, key, list) for key in ("compartments", "receptors") if key in model.extras}
    found |= {key: partial(elements.read, key=key) for key in GROWTH if key in model.extras}
    found |= {key: partial(_vector, key) for key in {*model.entry.vectors, *model.numbered}}
    found |= {key: partial(_group, members) for key, members in model.groups.items()}
    return found | ({key: partial(_numbered, key) for key in arrays.readable(model.entry)} if model.kind == "neuron" else {})


def _of_every_model(model: NodeModel) -> dict[str, Reader]:
    """Readers of keys that say what nodes are and where they live."""
    found: dict[str, Reader] = {"global_id": lambda row, gids: gids.tolist(), "thread_local_id": _thread_local_ids}
    found |= {"vp": _vps, "thread": _threads, "local": _local}
    found["node_uses_wfr"] = lambda row, gids: [row.model.face.uses_wfr and session().setting("use_wfr")] * len(gids)
    found["model"] = lambda row, gids: [row.model.name] * len(gids)
    found["model_id"] = lambda row, gids: [row.model.model_id] * len(gids)
    found["element_type"] = lambda row, gids: [row.model.element_type] * len(gids)
    if model.recordable or model.root == CM:
        found["recordables"] = partial(_recordables, shown_recordables(model, 0), bool(arrays.states(model.entry)))
    if model.face.receptors:
        found["receptor_types"] = lambda row, gids: [row.model.face.receptor_types for _ in gids]
    return found


def _recordables(fixed: list[str], varies: bool, row: Row, gids: Ints) -> Column:
    return [shown_recordables(row.model, count) for count in counts(row, gids)] if varies else [fixed.copy() for _ in range(len(gids))]


def _extra(key: str, shown: Callable[[Any], Any] | None, row: Row, gids: Ints) -> Column:
    """What only NEST has. shown : makes of a value what is shown."""
    return row.extra(key, gids) if shown is None else [*map(shown, row.extra(key, gids))]


def _vector(key: str, row: Row, gids: Ints) -> Column:
    """Arrays of devices."""
    found = [np.asarray(session().engine.kernel.get_vector(gid, key)) for gid in gids.tolist()]
    return [array.astype(np.int64) if key == "spike_multiplicities" and len(array) else array for array in found]


def _group(members: Mapping[str, str], row: Row, gids: Ints) -> Column:
    """Dicts of parameters that are numbers of the kernel."""
    columns = session().engine.kernel.get_all(gids, [*members.values()])
    return [dict(zip(members, values, strict=True)) for values in zip(*columns, strict=True)]


def _numbered(key: str, row: Row, gids: Ints) -> Column:
    """Arrays that the kernel keeps as numbered scalars."""
    table = np.array(session().engine.kernel.get_all(gids, [*arrays.readable(row.model.entry)[key]]), np.float64).T
    return [values[:n] for values, n in zip(table, counts(row, gids, key), strict=True)]


def counts(row: Row, gids: Ints, array: str = "") -> list[int]:
    """How many entries of a numbered array each node uses, by default of those of receptors; 0 where its model has none."""
    key = arrays.count_key(row.model.entry, array) if row.model.kind == "neuron" else None
    return [0] * len(gids) if key is None else np.asarray(session().engine.kernel.get(gids, key)).astype(int).tolist()


def shown_recordables(model: NodeModel, count: int) -> list[str]:
    """What a multimeter can record, without numbered variables that are not in use."""
    unused = {name for members in arrays.states(model.entry).values() for name in members[count:]}
    return sorted(set(model.recordable) - unused)


def _vps(row: Row, gids: Ints) -> Column:
    """Virtual processes: neurons are dealt out, devices are everywhere."""
    s = session()
    n = s.threads * s.n_ranks
    return [gid % n for gid in gids.tolist()] if row.model.kind == "neuron" else [s.rank] * len(gids)


def _threads(row: Row, gids: Ints) -> Column:
    n_ranks = session().n_ranks
    if n_ranks == 1:
        return _vps(row, gids)
    return [vp // n_ranks if own else None for vp, own in zip(_vps(row, gids), _local(row, gids), strict=True)]


def _local(row: Row, gids: Ints) -> Column:
    s = session()
    return list(s.own(gids).tolist()) if row.model.kind == "neuron" and s.n_ranks > 1 else [True] * len(gids)


def _thread_local_ids(row: Row, gids: Ints) -> Column:
    """Number of each node among those of its thread, -1 until it is given at the next Connect or Prepare. Devices are on all threads."""
    s = session()
    ids = gids.tolist()
    before = [gid - 1 for gid in ids] if s.threads * s.n_ranks == 1 else _before_on_thread(row, gids).tolist()
    return [number if gid <= s.counted_nodes else -1 for gid, number in zip(ids, before, strict=True)]


def _before_on_thread(row: Row, gids: Ints) -> Ints:
    """How many nodes of lower id the thread of each node has."""
    s = session()
    n = s.threads * s.n_ranks
    thread = gids % n if row.model.kind == "neuron" else np.full(len(gids), s.rank)
    before = (gids - 1 - thread) // n + (thread + n - 1) // n  # as if all were neurons
    for other in s.registry.rows:
        if other.model.kind != "neuron":
            last = np.minimum(gids, other.first + other.count) - 1
            of_thread = (last - thread) // n - (other.first - 1 - thread) // n
            before += np.maximum(last - other.first + 1 - of_thread, 0)
    return before


# --- frozen nodes


def frozen(gids: Ints, steps: Ints) -> NDArray[np.bool_]:
    """Whether the i-th node was frozen in the i-th step."""
    found = np.zeros(len(gids), bool)
    for since, nodes, wanted in session().freezes:
        found[(steps > since) & np.isin(gids, nodes)] = wanted
    return found


def freeze(row: Row, gids: Ints) -> None:
    """Lets the kernel freeze those of the nodes that are to be frozen, and thaw the others."""
    asked = row.extra("frozen", gids)
    if not row.thaws and not any(asked):
        return
    wanted = np.array(asked, bool)
    for frozen in (True, False):
        some = gids[wanted == frozen]
        if len(some) and (frozen or row.thaws):
            session().freezes.append((session().engine.kernel.step, some, frozen))
            session().engine.kernel.freeze(some, frozen)
    row.thaws = row.thaws or bool(wanted.any())
