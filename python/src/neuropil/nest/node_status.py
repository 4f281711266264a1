# SPDX-License-Identifier: Apache-2.0
"""Status of nodes: reading and setting values, whether the kernel, the registry or a recorder has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import Nodes
from ..engine import Ints, Ranges
from . import compartments, elements, populations, restarts
from .errors import NESTErrors, NotSupported, translating
from .kernel import known_only, reshape, session
from .models import arrays
from .models.extras import ELEMENT_TYPES, GROWTH, OF_NUMBERS, RECEPTOR_TYPES, uses_wfr
from .models.node_models import CM, NodeModel, is_shown_otherwise, to_nest, with_room, with_spike_weights
from .node_values import ON_GRID, OPTIONS, Batch, check_window, checked_extra, is_list, kernel_values, refuse_of_model
from .registry import PerNode, Row

if TYPE_CHECKING:
    from .node_collection import NodeCollection

Column = list[Any]
_OF_MODEL = ("receptor_types", "element_type", "model", "model_id", "node_uses_wfr", "recordables")
_OF_ARCHIVE = ("archiver_length", "post_trace")  # that NEST keeps for each neuron
READ_ONLY = (*_OF_MODEL, "global_id", "local", "thread", "thread_local_id", "vp")

_plain: dict[tuple[str, str], tuple[frozenset[str], frozenset[str]]] = {}  # by model and what the kernel has for it
_keys: dict[tuple[str, str], list[str]] = {}  # likewise, of nodes that are no recorders


def plain_keys(model: NodeModel) -> tuple[frozenset[str], frozenset[str]]:
    """Keys that are shown as the kernel has them; those of them that nothing but the kernel heeds when they are set."""
    found = _plain.get((model.root, model.base))
    if found is None:
        from .senders import lent

        shown = {key for key in model.scalars if key not in model.same and not is_shown_otherwise(model, key)} - {*READ_ONLY}
        heeded = {"start", "origin", *checked_together(model), *lent(model), *model.numbered, *model.extras}
        free = {key for key in shown - heeded if not restarts.concerns(model, {key: 0.0})} & {*model.settable}
        found = _plain[model.root, model.base] = (frozenset(), frozenset()) if model.root == CM else (frozenset(shown), frozenset(free))
    return found


def values(nodes: NodeCollection, names: Sequence[str] | None) -> dict[str, Column]:
    """Values of keys by name, a list with one per node each; None for the nodes that lack a key. Raises KeyError when all lack it."""
    parts = session().registry.joined(nodes._alive())
    wanted = (keys(parts[0][0]) if len(parts) == 1 else sorted({key for row, _ in parts for key in keys(row)})) if names is None else names
    plain = [key for key in wanted if key in plain_keys(parts[0][0].model)[0]] if len(parts) == 1 else []
    at_once = dict(zip(plain, session().engine.kernel.get_all(parts[0][1], plain), strict=True)) if len(plain) > 1 else {}
    found = {key: at_once[key] if key in at_once else _joined(parts, key) for key in wanted}
    if names is not None:
        elements.refuse_unknown(found)
    return found


def _joined(parts: list[tuple[Row, Ints]], key: str) -> Column:
    columns = [_read(row, gids, key) for row, gids in parts]
    if len(parts) == 1 and columns[0] is not None:
        return columns[0]
    if all(column is None for column in columns):
        raise NotSupported(f"{key} of neurons", "compute it from recorded spikes") if key in _OF_ARCHIVE else KeyError(key)
    joined: Column = []
    for column, (_, gids) in zip(columns, parts, strict=True):
        joined += [None] * len(gids) if column is None else column
    return joined


def keys(row: Row) -> list[str]:
    """All keys of the nodes of a row."""
    model = row.model
    found = None if row.recorders else _keys.get((model.root, model.base))
    if found is None:
        own = [*row.recorders[0].key_names()] if row.recorders else model.keys
        found = sorted({*own, *(k for k in READ_ONLY if _has(model, k))})
        if not row.recorders:
            _keys[model.root, model.base] = found
    return found


def _has(model: NodeModel, key: str) -> bool:
    """Whether a model has a key of READ_ONLY."""
    return {"recordables": bool(model.recordable) or model.root == CM, "receptor_types": model.root in RECEPTOR_TYPES}.get(key, True)


def _read(row: Row, gids: Ints, key: str) -> Column | None:
    """Values of a key of nodes of one row, None where they have no such key."""
    if key in plain_keys(row.model)[0]:
        return list(session().engine.kernel.get(gids, key).tolist())
    if key in READ_ONLY and _has(row.model, key):
        return _read_only(row, gids, key)
    if row.recorders:
        some = [row.recorders[k] for k in (gids - row.first).tolist()]
        from .devices import recorders

        return recorders.read(some, key) if key in some[0].key_names() else None
    model = row.model
    if key in model.scalars:
        found = np.asarray(session().engine.kernel.get(gids, model.same.get(key, (key,))[-1]))
        return [to_nest(model, key, v) for v in found.tolist()] if is_shown_otherwise(model, key) else found.tolist()
    if key in arrays.readable(model.entry) and model.kind == "neuron":
        return _numbered(row, gids, key)
    if key in (own := arrays.groups(model.base)):
        columns = {name: np.asarray(session().engine.kernel.get(gids, member)).tolist() for name, member in own[key].items()}
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    if model.is_vector(key):
        with translating():
            return [_vector(key, session().engine.kernel.get_vector(gid, key)) for gid in gids.tolist()]
    if key in GROWTH and key in model.extras:
        return elements.read(row, gids, key)
    if key == "offset" and model.root == "iaf_psc_exp_ps_lossless":
        return list(np.asarray(session().engine.kernel.get(gids, "_free_offset")).tolist())
    if key in model.extras:
        extra = row.extra(key, gids)
        if key in OF_NUMBERS:
            return [np.asarray(value, np.float64) for value in extra]
        return [list(parts) for parts in extra] if model.root == CM and compartments.is_part(key) else extra
    return None


def _vector(key: str, array: Any) -> NDArray[Any]:
    return np.asarray(array).astype(np.int64) if key == "spike_multiplicities" and len(array) else np.asarray(array)


def _read_only(row: Row, gids: Ints, key: str) -> Column:
    model, n = row.model, len(gids)
    if key == "global_id":
        return list(gids.tolist())
    if key in ("vp", "thread", "local"):
        return _places(row, gids, key)
    if key == "thread_local_id":
        return _thread_local_ids(row, gids)
    if key == "receptor_types":
        return [dict(RECEPTOR_TYPES[model.root]) for _ in range(n)]
    if key == "recordables":
        return [shown_recordables(model, count) for count in counts(row, gids)]
    uses = uses_wfr(model.base) and session().settings.get("use_wfr", True)
    alike = {"model": model.name, "model_id": model.model_id, "node_uses_wfr": uses}
    return [alike.get(key, ELEMENT_TYPES.get(model.root, model.kind))] * n


def counts(row: Row, gids: Ints, array: str = "") -> list[int]:
    """How many entries of a numbered array each node uses, by default of those of receptors; 0 where its model has none."""
    key = arrays.count_key(row.model.entry, array) if row.model.kind == "neuron" else None
    return [0] * len(gids) if key is None else np.asarray(session().engine.kernel.get(gids, key)).astype(int).tolist()


def _numbered(row: Row, gids: Ints, key: str) -> Column:
    """Arrays that the kernel keeps as numbered scalars."""
    kernel = session().engine.kernel
    table = np.stack([np.asarray(kernel.get(gids, name)) for name in arrays.readable(row.model.entry)[key]], axis=1)
    return [values[:n] for values, n in zip(table, counts(row, gids, key), strict=True)]


def shown_recordables(model: NodeModel, count: int) -> list[str]:
    """What a multimeter can record, without numbered variables that are not in use."""
    unused = {name for members in arrays.states(model.entry).values() for name in members[count:]}
    return sorted(set(model.recordable) - unused)


def _places(row: Row, gids: Ints, key: str) -> Column:
    """Virtual process, thread and locality: neurons are dealt out, devices are everywhere."""
    s = session()
    if row.model.kind != "neuron":
        return [{"vp": s.rank, "thread": 0, "local": True}[key]] * len(gids)
    own = s.own(gids)
    if key == "local":
        return list(own.tolist())
    vps = gids % (s.threads * s.n_ranks)
    if key == "vp":
        return list(vps.tolist())
    return [t if mine else None for t, mine in zip((vps // s.n_ranks).tolist(), own.tolist(), strict=True)]


def _thread_local_ids(row: Row, gids: Ints) -> Column:
    """Number of each node among those of its thread, -1 until it is given at the next Connect or Prepare. Devices are on all threads."""
    s = session()
    n = s.threads * s.n_ranks
    thread = gids % n if row.model.kind == "neuron" else np.full(len(gids), s.rank)
    before = np.zeros(len(gids), np.int64)
    for other in s.registry.rows:
        last = np.minimum(gids, other.first + other.count) - 1
        if other.model.kind == "neuron":
            before += np.maximum((last - thread) // n - (other.first - 1 - thread) // n, 0)
        else:
            before += np.maximum(last - other.first + 1, 0)
    return list(np.where(gids <= s.counted_nodes, before, -1).tolist())


def inside(nodes: NodeCollection, name: str, names: Any) -> Any:
    """Values inside a dict such as events: of one node the value (or a dict), of several a list (or a dict of lists)."""
    wanted = [names] if isinstance(names, str) else list(names)
    column = values(nodes, [name])[name]
    found = {key: [entry[key] for entry in column] for key in wanted}
    picked = {key: entries[0] if len(nodes) == 1 else entries for key, entries in found.items()}
    return picked[names] if isinstance(names, str) else picked


def to_pandas(nodes: NodeCollection, params: tuple[Any, ...], found: Any) -> Any:
    """What `get` found as a DataFrame with the node ids as index."""
    import pandas

    table = found if isinstance(found, dict) and not (len(params) == 1 and isinstance(params[0], str)) else {params[-1]: found}
    columns = {k: _cells([v] if len(nodes) == 1 else list(v)) for k, v in table.items()}
    return pandas.DataFrame(columns, index=nodes.tolist())


def _cells(column: Column) -> Any:
    import pandas

    if column and isinstance(column[0], np.ndarray | list | dict):
        return pandas.Series([list(v) if isinstance(v, np.ndarray) else v for v in column], dtype=object).to_numpy()
    return column


def parts(nodes: NodeCollection) -> list[str]:
    """How a collection describes itself: one text per run of a model."""
    texts = []
    for row, gids in _merged_rows(nodes):
        step = int(gids[1] - gids[0]) if len(gids) > 1 else 1
        last = f", last={gids[-1]}" if len(gids) > 1 or nodes._step else ""
        texts.append(f"model={row.model.name}, size={len(gids)}, first={gids[0]}{last}{f', step={step}' if step > 1 else ''}")
    return texts


def _merged_rows(nodes: NodeCollection) -> list[tuple[Row, Ints]]:
    """Runs of ids that share a model, though made by several calls, at the distance of the slice or else neighbours."""
    step = max(nodes._step, 1)
    split = session().registry.split(nodes._alive())
    found: list[tuple[Row, Ints]] = []
    for row, gids in ((row, run) for row, all_gids in split for run in np.split(all_gids, np.flatnonzero(np.diff(all_gids) != step) + 1)):
        if found and found[-1][0].model is row.model and found[-1][1][-1] + step == gids[0]:
            found[-1] = (row, np.concatenate([found[-1][1], gids]))
        else:
            found.append((row, gids))
    return found


# --- setting


def set_values(nodes: NodeCollection, given: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
    """Sets keys of nodes to one value for all, one each, or what a Parameter gives; a list of dicts has one per node. All or nothing."""
    jobs = _jobs(nodes, given)
    kernel = sorted((job for job in jobs if isinstance(job, KernelJob)), key=lambda job: isinstance(job, GrowthJob))
    rest = [job for job in jobs if not isinstance(job, KernelJob | Shaping)]  # were checked: these cannot fail
    for shaping in (job for job in jobs if isinstance(job, Shaping)):
        shaping()
    done: list[Callable[[], None]] = []
    try:
        for job in kernel:
            if len(kernel) > 1:
                done.append(job.undo())
            job()
    except Exception:
        for undo in reversed(done):
            undo()
        raise
    for other in rest:
        other()


def _jobs(nodes: NodeCollection, given: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> list[Callable[[], None]]:
    """Checks what is given and returns what remains to be done."""
    s = session()
    gids = nodes._gids
    rows = s.registry.joined(nodes._alive())
    if not isinstance(given, Mapping) and len({frozenset(each) for each in given}) > 1:
        return [job for node, each in zip(nodes, given, strict=True) for job in _jobs(node, each)]
    batch = Batch.of_dicts(given, len(gids)) if not isinstance(given, Mapping) else Batch(dict(given), len(gids))
    jobs: list[Callable[[], None]] = []
    at = 0
    for row, some in rows:
        jobs += _plan(nodes, row, some, batch.part(row.model, at, len(some)))
        at += len(some)
    if len(rows) > 1 and _shared(rows, batch):
        return [KernelJob(gids, lambda: kernel_values(nodes, rows[0][0].model, batch, gids))]
    return jobs


def _shared(rows: list[tuple[Row, Ints]], batch: Batch) -> bool:
    """Whether all keys are numbers of the kernel in all rows: then they are set at once, all or none."""
    alike = all(row.model.same == rows[0][0].model.same for row, _ in rows)
    return (
        alike
        and all(key in row.model.scalars for row, _ in rows for key in batch.values)
        and not any(restarts.concerns(row.model, batch.values) or _lent(row.model, gids, batch) for row, gids in rows)
    )


def _plan(nodes: NodeCollection, row: Row, gids: Ints, batch: Batch) -> list[Callable[[], None]]:
    """Checks what is given for nodes of one row; returns what remains to be done."""
    model = row.model
    if row.recorders:
        some = [row.recorders[k] for k in (gids - row.first).tolist()]
        return [job for k, recorder in enumerate(some) for job in recorder.plan(batch.single(k))]
    if elements.CHANGES in batch.values and "synaptic_elements" in model.extras:
        batch = Batch(elements.merged(row, gids, batch.values), batch.n)
    batch = Batch(known_only(batch.values, model.settable, "params", "NodeManager::set_status:"), batch.n)
    jobs: list[Callable[[], None]] = _wider(row, gids, batch)
    if jobs:
        model = with_room(with_spike_weights(model) if row.model.base == "spike_generator" else model, batch.values)
    refuse_of_model(model, batch.values)
    lent = _lent(model, gids, batch)
    chosen = _with_options(row, gids, batch)
    check_mechanisms(model, batch.values, lambda flag: session().engine.kernel.get(gids, flag))
    if model.root == CM:
        jobs += map(Shaping, compartments.growth(row, gids, batch.only(compartments.is_part).values))
        batch = batch.only(lambda key: not compartments.is_part(key))
    kept_here: list[Callable[[], None]] = []  # after what the kernel may refuse
    native = batch.only(lambda key: key not in model.extras)
    extras = {key: checked_extra(key, value, nodes, gids) for key, value in batch.values.items() if key in (*GROWTH, *model.extras)}
    growth, fresh = ({key: value for key, value in extras.items() if (key in GROWTH) == of_growth} for of_growth in (True, False))
    if growth:
        jobs.append(GrowthJob(gids, lambda: growth))
    check_window(fresh, lambda key: row.extra(key, gids))
    for key, kept in fresh.items():
        if key == populations.KEY:
            populations.check_length(row, kept)
        kept_here.append(lambda key=key, kept=kept: _set_extra(row, key, gids, kept))  # type: ignore[misc]
    uneven = native.uneven(model)
    for k, gid in enumerate(gids.tolist() if uneven else ()):
        one, alone = np.array([gid]), Batch({key: native.values[key][k] for key in uneven}, 1)
        jobs.append(KernelJob(one, lambda one=one, alone=alone: kernel_values(nodes, model, alone, one, chosen)))  # type: ignore[misc]
    native = native.only(lambda key: key not in uneven)
    if native.values:
        set_here = KernelJob(gids, lambda: kernel_values(nodes, model, native, gids, chosen))
        jobs.append(LendingJob(set_here, gids, lent) if lent else set_here)
    if restarts.concerns(model, batch.values):
        before = restarts.before_set(model, gids, batch.values)
        kept_here.append(lambda: _restart(model, gids, batch, before))
    return jobs + kept_here


def _restart(model: NodeModel, gids: Ints, batch: Batch, before: restarts.State) -> None:
    state = restarts.after_set(model, gids, batch.values, before)
    if state:
        KernelJob(gids, lambda: dict(state))()


def _wider(row: Row, gids: Ints, batch: Batch) -> list[Callable[[], None]]:
    """What gives nodes room for longer arrays of receptors. Raises NotSupported where only some nodes of a row get them."""
    if row.model.base == "spike_generator" and "spike_weights" in row.model.extras and any_weights(batch):
        return _weighted(row, gids)
    wider = with_room(row.model, batch.values)
    if wider is row.model:
        return []
    clock = {key: row.extra(key, np.arange(row.first, row.first + row.count)) for key in row.model.extras.keys() - wider.extras.keys()}
    if clock and session().simulated:
        raise NotSupported("ignore_and_spike that is switched on after Simulate", "switch it on before, and off again where it waits")
    if len(gids) < row.count and not clock:
        raise NotSupported(f"more receptors of some of the nodes of a Create of {row.model.name}", "create them on their own")

    def grow() -> None:
        reshape(row, wider)
        with translating():
            for key, values in clock.items():
                session().engine.kernel.set(np.arange(row.first, row.first + row.count), {key: np.array(values, np.float64)})

    return [Shaping(grow)]


def any_weights(batch: Batch) -> bool:
    """Whether spikes are given weights."""
    given = batch.values.get("spike_weights", ())
    return any(len(weights) for weights in (given if isinstance(given, PerNode) else [given]) if is_list(weights))


def _weighted(row: Row, gids: Ints) -> list[Callable[[], None]]:
    """What makes spike_generators those of spikes with weights. Raises NotSupported where they are connected or have other options."""
    every = np.arange(row.first, row.first + row.count, dtype=np.int64)
    if session().wires.touches(every):
        raise NotSupported("spike_weights that are set after Connect", "set them before")
    kernel = session().engine.kernel
    if np.any(kernel.get(every, "precise_times")) or any(len(kernel.get_vector(gid, "spike_multiplicities")) for gid in every.tolist()):
        raise NotSupported("spike_weights together with precise_times or spike_multiplicities")
    return [Shaping(lambda: reshape(row, with_spike_weights(row.model)))]


def _with_options(row: Row, gids: Ints, batch: Batch) -> Row:
    """The row with the options that are given for times of spikes. Raises BadProperty for options without new times where there are times."""
    options = {key: batch.values[key] for key in (*OPTIONS, "precise_times") if key in batch.values and key not in row.model.numbered}
    key = next((name for name in ON_GRID if name in row.model.entry.vectors), None)
    if not options or key is None:
        return row
    kernel = session().engine.kernel
    if key not in batch.values and any(len(kernel.get_vector(gid, key)) for gid in gids.tolist()):
        present = {name: _read(row, gids, name) for name in options}
        if any(list(np.broadcast_to(value, len(gids))) != present[name] for name, value in options.items()):
            what = key.replace("_", " ")
            option = "Options" if key == "spike_times" else "Option"
            raise NESTErrors.BadProperty(f"{option} can only be set together with {what} or if no {what} have been set.")
    return replace(row, extras={**row.extras, **{name: value for name, value in options.items() if name in row.model.extras}})


_MECHANISMS = {"threshold_spike": "spike_dependent_threshold", "threshold_voltage": "adapting_threshold"}
_SHARES = frozenset("uxy")


def checked_together(model: NodeModel) -> frozenset[str]:
    """Keys that are allowed or not by the values of others."""
    if model.base.startswith("glif_"):
        return frozenset(_MECHANISMS)
    return _SHARES if model.base == "iaf_tum_2000" else frozenset()


def check_mechanisms(model: NodeModel, given: Mapping[str, Any], present: Callable[[str], Any]) -> None:
    """Raises BadProperty for parts of the threshold of glif models that they do not use, and for shares of resources above 1.

    present: what a value is that is not given
    """
    checked = checked_together(model) & given.keys()
    for key in _MECHANISMS.keys() & checked:
        flag = _MECHANISMS[key]
        if not np.all(given[flag] if flag in given else present(flag)):
            raise NESTErrors.BadProperty(f"{key} of a {model.name} cannot be set without {_MECHANISMS[key]}.")
    if _SHARES & checked:
        u, x, y = (np.asarray(v) for v in (given.get(key, present(key)) for key in "uxy"))
        if all(v.dtype.kind in "iuf" for v in (u, x, y)) and (np.any(u > 1.0) or np.any(x + y > 1.0)):
            raise NESTErrors.BadProperty("'u' and x + y must be in [0,1].")


def _lent(model: NodeModel, gids: Ints, batch: Batch) -> frozenset[str]:
    """Parameters that are given and that connections have from these nodes. Raises NotSupported for those that cannot change any more."""
    from .senders import check_lent, lent

    keys = lent(model) & batch.values.keys()
    if not keys or not session().wires.touches(gids):
        return frozenset()
    check_lent(model, gids, keys)
    return keys


def _set_extra(row: Row, key: str, gids: Ints, value: Any) -> None:
    if key in ("tau_minus", "tau_minus_triplet") and session().wires.plastic_on(gids):
        from .connection_query import lend

        if session().simulated and key == "tau_minus_triplet":
            raise NotSupported("changing tau_minus_triplet of nodes that have plastic synapses after Simulate", "set it before Simulate")
        if session().simulated and (np.asarray(row.extra("tau_minus_triplet", gids)) == np.asarray(value)).any():
            raise NotSupported("tau_minus equal to tau_minus_triplet after Simulate", "choose values that differ a little")
        lend(key, gids, np.asarray(value, np.float64) if isinstance(value, list) else float(value))
    if key == "p_copy" and session().wires.touches(gids):
        from .connection_query import follow_sources

        each = np.broadcast_to(np.asarray(value, np.float64), len(gids))
        follow_sources(gids[np.argsort(gids)], {"p_transmit": each[np.argsort(gids)]})
    row.set_extra(key, gids, value)
    if key == "frozen":
        freeze(row, gids)


def frozen(gids: Ints, steps: Ints) -> NDArray[np.bool_]:
    """Whether the i-th node was frozen in the i-th step."""
    found = np.zeros(len(gids), bool)
    for since, nodes, wanted in session().freezes:
        found[(steps > since) & np.isin(gids, nodes)] = wanted
    return found


def freeze(row: Row, gids: Ints) -> None:
    """Lets the kernel freeze those of the nodes that are to be frozen, and thaw the others."""
    wanted = np.array(row.extra("frozen", gids), bool)
    for frozen in (True, False):
        some = gids[wanted == frozen]
        if len(some) and (frozen or row.thaws):
            session().freezes.append((session().engine.kernel.step, some, frozen))
            session().engine.kernel.freeze(some, frozen)
    row.thaws = row.thaws or bool(wanted.any())


class Shaping(partial[None]):
    """Gives nodes another shape, before values of it are set."""


class KernelJob:
    """Sets values of nodes in the kernel, which checks them: all or none."""

    def __init__(self, gids: Ints, make: Callable[[], dict[str, Any]]) -> None:
        """`make` gives the values, when they are needed first."""
        self._gids, self._make = gids, cache(make)

    def _nodes(self) -> Nodes:
        return Nodes(session().network, Ranges.of(self._gids))

    def __call__(self) -> None:
        """Sets the values."""
        with translating(session().registry.row(int(self._gids[0])).model.base):
            self._nodes().set(self._make())

    def undo(self) -> Callable[[], None]:
        """Call it before the job: what puts the values back. Arrays of several nodes are not kept: they are set one node at a time."""
        old = {key: self._nodes().get(key) for key in self._make()}
        return lambda: self._nodes().set({key: value for key, value in old.items() if not isinstance(value, list)})


class LendingJob(KernelJob):
    """The same of parameters that connections have from these nodes: they get the new values, or the nodes the old ones back."""

    def __init__(self, job: KernelJob, gids: Ints, keys: frozenset[str]) -> None:
        super().__init__(gids, job._make)
        self._keys = sorted(keys)

    def __call__(self) -> None:
        """Sets the values."""
        back = super().undo()
        super().__call__()
        try:
            self._follow()
        except Exception:
            back()
            raise

    def undo(self) -> Callable[[], None]:
        """See the class."""
        back = super().undo()

        def undo() -> None:
            back()
            self._follow()

        return undo

    def _follow(self) -> None:
        from .connection_query import follow_sources

        gids, kernel = np.sort(self._gids), session().engine.kernel
        follow_sources(gids, {key: kernel.get(gids, key) for key in self._keys})


class GrowthJob(KernelJob):
    """The same of calcium and elements, after all others: what it has set stays, as it can fail for its values alone."""

    def __call__(self) -> None:
        """Sets the values."""
        elements.put(self._gids, self._make())

    def undo(self) -> Callable[[], None]:
        """See the class."""
        return lambda: None
