# SPDX-License-Identifier: Apache-2.0
"""A network as the Methods section of a paper tells it: a paragraph, and tables in the form of Nordlie, Gewaltig & Plesser (2009)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..base.ranges import Ranges
from ..base.tables import text_table
from . import catalog
from .distributions import text_of
from .growing import Growing
from .nodes import Nodes
from .notes import TRANSMITTED
from .projection import Projection

__all__ = ["EDITS", "Description", "edits_text"]

EDITS = {"set": "weights, delays or parameters of some were set", "removed": "some were removed"}
_FIXED = {  # synapse models whose weight does not change, and that do not depend on what was sent before
    "bernoulli_synapse",
    "cont_delay_synapse",
    "nmda_synapse",
    "rate_connection_delayed",
    "state_change_synapse",
    "static_synapse",
}
_LATEX = {
    "\\": r"\textbackslash{}",
    "_": r"\_",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "$": r"\$",
    "^": r"\^{}",
    "~": r"\~{}",
    "{": r"\{",
    "}": r"\}",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts below titles of columns."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def used(self) -> Table:
        """Without the columns in which all texts are empty."""
        kept = [k for k in range(len(self.columns)) if any(row[k] for row in self.rows)]
        return Table(self.title, [self.columns[k] for k in kept], [[row[k] for k in kept] for row in self.rows])


class Description:
    """A paragraph and tables; `str` is text, `to_markdown` and `to_latex` are for papers. What a notebook shows is the Markdown."""

    __slots__ = ("paragraph", "tables")

    def __init__(self, network: Growing) -> None:
        neurons = [n for n in network.populations if catalog.node_model(n.model).kind == "neuron"]
        drives = [p for p in network._projections if _is_drive(p)]
        others = [p for p in network._projections if not _is_drive(p)]
        sentences = [*_network_text(network, neurons, others), *_drive_text(network, drives), edits_text(network), _run_text(network)]
        self.paragraph = " ".join(filter(None, sentences))
        measured = _measured(network)
        tables = [
            _summary(network, neurons, others, drives, measured),
            _populations(network, neurons),
            Table(
                "Connectivity", ("name", "source", "target", "rule", "synapse", "weight", "delay (ms)"), [_row(network, p) for p in others]
            ),
            *(_neuron_table(network, model, [n for n in neurons if n.model == model]) for model in dict.fromkeys(n.model for n in neurons)),
            _initial(network),
            *(_synapse_table(name, others) for name in dict.fromkeys(p.synapse.name for p in others)),
            _stimuli(network, drives),
            measured,
        ]
        self.tables = [table.used() for table in tables if table.rows]

    def __repr__(self) -> str:
        return "\n\n".join([self.paragraph, *(f"{t.title}\n{text_table([t.columns, *t.rows])}" for t in self.tables)])

    def to_markdown(self) -> str:
        """The paragraph, and each table below a heading."""
        return "\n\n".join([self.paragraph, *(f"### {t.title}\n\n{_markdown(t)}" for t in self.tables)]) + "\n"

    def to_latex(self) -> str:
        """The paragraph, and each table as a `tabular` in a `table`; needs no package."""
        return "\n\n".join([_latex(self.paragraph), *(_latex_table(t) for t in self.tables)]) + "\n"

    def _repr_markdown_(self) -> str:
        return self.to_markdown()


# --- sentences


def _network_text(network: Growing, neurons: Sequence[Nodes], projections: Sequence[Projection]) -> Iterable[str]:
    total = sum(len(n) for n in neurons)
    if not neurons:
        yield "The network has no neurons."
        return
    parts = _listed([f"{len(n)} {n.model}" + (f" ({name})" if (name := network.name_of(n)) else "") for n in neurons])
    yield f"The network has {_count(total, 'neuron')} in {_count(len(neurons), 'population')}: {parts}."
    if projections:
        names = sorted({p.synapse.name for p in projections})
        yield f"{_count(len(projections), 'projection')} of {_listed(names)} connect{'s' if len(projections) == 1 else ''} them."


def _drive_text(network: Growing, drives: Sequence[Projection]) -> Iterable[str]:
    for p in drives:
        yield f"Input of {_named(network, p.post)}: {len(p.pre)} {p.pre.model}{_with(p.pre)}."


def edits_text(network: Growing) -> str:
    """A sentence on what has become of connections since they were made; "" where nothing has."""
    found = [EDITS[what] for what in EDITS if what in network._edits]
    if len(network.growths):
        found.append("synapses grew and were lost")
    if not found:
        return ""
    return f"Since connections were made, {_listed(found)}: tables tell how they were made, not what they are now."


def _run_text(network: Growing) -> str:
    time = f", until {network.time:g} ms of biological time" if network.time else ""
    return f"It {'was' if network.time else 'will be'} simulated with neuropil {_core.version()} in steps of {network.resolution:g} ms, with seed {network.seed}{time}."


def _with(devices: Nodes) -> str:
    """Parameters of devices that are not the defaults."""
    entry = catalog.devices()[devices.model]
    found = {name: devices.get(name) for name in entry.parameters}
    texts = [
        f"{name} = {_value(found[name])} {f.unit}".rstrip() for name, f in entry.parameters.items() if np.any(found[name] != f.default)
    ]
    texts += [f"{name}: {text_of(np.asarray(devices[0].get(name)))}" for name in entry.vectors if len(devices[0].get(name))]
    return f" ({', '.join(texts)})" if texts else ""


# --- tables


def _summary(
    network: Growing, neurons: Sequence[Nodes], projections: Sequence[Projection], drives: Sequence[Projection], measured: Table
) -> Table:
    """Table A of Nordlie et al.: the network in a line for each of its aspects."""
    if not neurons:
        return Table("Model summary", ("aspect", "content"), [])
    spaces = {named: space for n in neurons if (space := _space(network, n)) and (named := _named(network, n))}
    synapses = [*dict.fromkeys(p.synapse.name for p in projections)]
    plastic = [name for name in synapses if name not in _FIXED and not catalog.synapses()[name].carries]
    grown = [f"structural plasticity ({_count(len(network.growths), 'growth')})"] if len(network.growths) else []
    content = {
        "Populations": [f"{len(neurons)}: {_listed([_named(network, n) for n in neurons])}"],
        "Topology": [f"{name} in {space}" for name, space in spaces.items()],
        "Connectivity": [p.rule.name for p in projections],
        "Neuron model": [n.model for n in neurons],
        "Synapse model": synapses,
        "Plasticity": plastic + grown,
        "Input": [p.pre.model for p in drives],
        "Measurements": [f"{what} of {which}" for what, which, _ in measured.rows],
    }
    rows = [[aspect, "; ".join(dict.fromkeys(texts)) if texts else "none"] for aspect, texts in content.items()]
    return Table("Model summary", ("aspect", "content"), rows)


def _initial(network: Growing) -> Table:
    """States that begin at drawn values or at those of an expression."""
    rows = []
    for nodes in network.populations:
        states = catalog.node_model(nodes.model).state
        for name, text in network._notes["drawn"].get(int(nodes._ranges.table[0, 0]), {}).items():
            rows.append([_named(network, nodes), name, text, states[name].unit])
    return Table("Initial values", ("population", "state", "value", "unit"), rows)


def _measured(network: Growing) -> Table:
    """What is recorded of which nodes, and when."""

    def ends(first: Ranges | None, second: Ranges | None) -> str:
        source, target = (None if nodes is None else _named(network, Nodes(network, nodes)) for nodes in (first, second))
        found = " ".join(f"{word} {name}" for word, name in (("from", source), ("to", target)) if name)
        return f"synapses {found}" if found else "synapses with this recorder"

    rows = []
    for what, nodes, targets, when in network._notes["measured"]:
        is_synapses = nodes is None or targets is not None or what == TRANSMITTED
        rows.append([what, ends(nodes, targets) if is_synapses else _named(network, Nodes(network, nodes)), when])
    for sampler in network._streams.samplers:
        every = f"every {network._grid.time(sampler.every):g} ms"
        _, source, target, *_ = _row(network, sampler.projection)
        rows.append([", ".join(sampler.names), sampler.projection.name or f"synapses from {source} to {target}", every])
    return Table("Measurements", ("quantity", "of", "when"), rows)


def _populations(network: Growing, neurons: Sequence[Nodes]) -> Table:
    rows = [[_named(network, n), n.model, str(len(n)), _space(network, n)] for n in neurons]
    return Table("Populations", ("name", "model", "size", "space"), rows)


def _neuron_table(network: Growing, model: str, populations: Sequence[Nodes]) -> Table:
    """Parameters of a model: one value where all its populations have it, else one for each."""
    rows = []
    for name, field in catalog.models()[model].parameters.items():
        values = [_value(n.get(name)) for n in populations]
        if len(set(values)) > 1:
            values = [f"{_named(network, n)}: {value}" for n, value in zip(populations, values, strict=True)]
        rows.append([name, "; ".join(dict.fromkeys(values)), field.unit, field.doc])
    return Table(f"Neuron model {model}", ("parameter", "value", "unit", "meaning"), rows)


def _synapse_table(name: str, projections: Sequence[Projection]) -> Table:
    """Parameters of a synapse model: as given, else the default."""
    given = [p.synapse.parameters for p in projections if p.synapse.name == name]
    rows = []
    for key, field in catalog.synapses()[name].parameters.items():
        texts = dict.fromkeys(text_of(values.get(key, field.default)) for values in given)
        rows.append([key, "; ".join(texts), field.unit, field.doc])
    return Table(f"Synapse model {name}", ("parameter", "value", "unit", "meaning"), rows)


def _stimuli(network: Growing, drives: Sequence[Projection]) -> Table:
    rows = []
    for p in drives:
        _, _, post, rule, _, weight, delay = _row(network, p)
        rows.append([f"{len(p.pre)} {p.pre.model}{_with(p.pre)}", post, rule, weight, delay])
    return Table("Input", ("device", "target", "rule", "weight", "delay (ms)"), rows)


# --- texts


def _is_drive(projection: Projection) -> bool:
    return all(entry.kind != "neuron" for entry, _ in projection.pre._parts())


def _named(network: Growing, nodes: Nodes) -> str:
    """By the names of `create`; a population without one by its model and its number; others by how many they are."""
    if name := network.name_of(nodes):
        return name
    for number, (first, count, entry) in enumerate(network._populations.rows(), 1):
        if nodes._ranges.table.tolist() == [[first, count, 1]]:
            return f"{entry.name} #{number}"
    return f"{len(nodes)} {' and '.join(nodes.models)}"


def _row(network: Growing, p: Projection) -> list[str]:
    """As `Projection.row`, with numbers of populations that have no name."""
    label, _, _, *rest = p.row()
    return [label, _named(network, p.pre), _named(network, p.post), *rest]


def _space(network: Growing, nodes: Nodes) -> str:
    dims = network._populations.dims(nodes._ranges)
    return f"{dims}-D" if dims else ""


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}".replace(",", " ")


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _value(values: Any) -> str:
    """One value, or the range of those that differ."""
    array = np.asarray(values, np.float64)
    low, high = array.min(), array.max()
    return f"{low:g}" if low == high else f"{low:g} to {high:g} (mean {array.mean():g})"


def _markdown(table: Table) -> str:
    rows = [table.columns, ["---"] * len(table.columns), *table.rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def _latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)


def _latex_table(table: Table) -> str:
    lines = [" & ".join(map(_latex, row)) + r" \\" for row in [table.columns, *table.rows]]
    body = "\n".join([lines[0], r"\hline", *lines[1:]])
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{_latex(table.title)}}}",
            rf"\begin{{tabular}}{{{'l' * len(table.columns)}}}",
            body,
            r"\end{tabular}",
            r"\end{table}",
        ]
    )
