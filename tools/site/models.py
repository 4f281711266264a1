# SPDX-License-Identifier: Apache-2.0
"""Pages of the reference: one for each neuron, device, synapse and rule that the registry has, and the lists of them."""

from collections.abc import Iterable
from pathlib import Path

from tools.site import equations, pictures

import neuropil as npl
from neuropil.classes import Entry
from neuropil.model.catalog import Field, no_limit
from neuropil.nest.models.nest_names import NODE_MODELS, SYNAPSE_MODELS

REPOSITORY = "https://github.com/neuropil/neuropil/blob/main"
ROOT = Path(__file__).resolve().parents[2]
BOUNDS = {
    "positive": "> 0",
    "non_negative": "≥ 0",
    "not_nan": "any, or ±inf",
    "any": "any",
    "probability": "0 to 1",
    "count": "whole number ≥ 0",
    "flag": "True or False",
}
INPUTS = {
    "by_sign": "The sign of a weight chooses the receptor: positive weights excite, negative weights inhibit.",
    "single": "All spikes act in the same way, with the sign of their weight.",
    "count": "Spikes are counted; weights are ignored.",
    "ports": "`receptor=1`, 2, ... of `connect` chooses the receptor.",
}
EFFECTS = {
    "spikes": "Spikes, made at each target.",
    "current": "A current into its targets.",
    "emits": "Spikes that travel like those of a neuron.",
    "values": "Values, through continuous connections.",
}
NEST_NAMES = {  # where NEST has another name, or spreads over several models
    "stdp_facetshw_synapse": "stdp_facetshw_synapse_hom",
    "iaf_psc_delta[clock]": "iaf_psc_delta",
    "weighted_spike_generator": "spike_generator",
    "nmda_synapse": "static_synapse",
    "state_change_synapse": "static_synapse",
    "tripartite": "tripartite_bernoulli_with_pool",
}
RULES_OF_NEST = {
    *("all_to_all", "one_to_one", "fixed_indegree", "fixed_outdegree", "fixed_total_number"),
    *("pairwise_bernoulli", "pairwise_poisson", "symmetric_pairwise_bernoulli"),
}
LEFT_OUT = {"recorder"}  # what neuropil.nest puts in place of recorders
KINDS = {
    "neurons": ("Neuron models", npl.models, "cpp/nodes/models", 'net.create("{0}", 100)'),
    "devices": ("Devices", npl.devices, "cpp/devices/models", 'net.create("{0}", 1)'),
    "synapses": ("Synapse models", npl.synapses, "cpp/synapses/models", 'npl.synapse("{0}")'),
    "rules": ("Connection rules", npl.rules, "cpp/connect/rules", ""),
}


def built_in(kind: str) -> list[Entry]:
    """Entries of one kind, without models that were loaded."""
    return [entry for name, entry in KINDS[kind][1]().items() if not entry.digest and name not in LEFT_OUT]


def nest_name(entry: Entry) -> str:
    """Its name in NEST 3.10; "" where NEST has none."""
    if entry.name in NEST_NAMES:
        return NEST_NAMES[entry.name]
    known = {*NODE_MODELS, *SYNAPSE_MODELS, *RULES_OF_NEST}
    return entry.name if entry.name in known else ""


def cell(text: str) -> str:
    """Text in a table of Markdown."""
    return text.replace("|", "\\|").replace("*", "\\*").replace("[", "\\[")


def default(field: Field) -> str:
    """A default as it is written."""
    if field.default is None:
        return ""
    return str(field.default) if isinstance(field.default, bool) else f"{no_limit(field.default):g}".replace("inf", "∞")


def table(fields: Iterable[Field], with_bounds: bool) -> str:
    """Parameters or state variables as a table."""
    head = "| name | default | unit | meaning |" + (" allowed |" if with_bounds else "")
    rows = [head, "|---|---:|---|---|" + ("---|" if with_bounds else "")]
    for field in fields:
        bound = f" {BOUNDS.get(field.bound, field.bound)} |" if with_bounds else ""
        rows.append(f"| `{field.name}` | {default(field)} | {cell(field.unit)} | {cell(field.doc)} |{bound}")
    return "\n".join(rows) + "\n"


def facts(entry: Entry, kind: str) -> list[str]:
    """What else there is to know, one line each."""
    found = []
    if entry.receptors:
        found.append(f"**Receptors:** {', '.join(f'`{name}`' for name in entry.receptors)}")
    if kind == "neurons" and entry.input:
        found.append(f"**Input:** {INPUTS[entry.input]}")
    if entry.weight_unit:
        found.append(f"**Unit of weights:** {entry.weight_unit}")
    if entry.effect:
        found.append(f"**Sends:** {EFFECTS[entry.effect]}")
    if entry.precise:
        found.append("**Spike times:** between grid points")
    if entry.varied:
        found.append(f"**May differ between synapses:** {', '.join(f'`{name}`' for name in sorted(entry.varied))}")
    if kind == "synapses" and not entry.delayed:
        found.append("**Delay:** none")
    if entry.rows:
        found.append(f"**Shape of arrays of weights and delays:** ({', '.join(entry.rows)})")
    if kind in ("neurons", "devices") and entry.recordables:
        found.append(f"**Can be recorded:** {', '.join(f'`{name}`' for name in entry.recordables)}")
    name = nest_name(entry)
    found.append(f"**In NEST 3.10:** {f'`{name}`' if name else 'no such ' + ('rule' if kind == 'rules' else 'model')}")
    return found


def source(entry: Entry, kind: str) -> str:
    """Paper and file."""
    paper = equations.described(entry.name).paper
    file = f"{KINDS[kind][2]}/{entry.name}.cpp"
    code = f"Source code: [{file}]({REPOSITORY}/{file})." if (ROOT / file).exists() else ""
    return "\n\n".join(part for part in (f"Paper: {paper}." if paper else "", code) if part)


def page(entry: Entry, kind: str, picture: str) -> str:
    """The page of one model."""
    parts = [f"# {entry.name}\n", sentence(entry.doc) + "\n"]
    if call := KINDS[kind][3]:
        parts.append(f"```python\n{call.format(entry.name)}\n```\n")
    if picture:
        parts.append(f"```{{image}} {entry.name}.svg\n:alt: {picture.replace('`', '')}\n:class: response\n```\n\n*{picture}*\n")
    parts.append("\n".join(f"- {fact}" for fact in facts(entry, kind)) + "\n")
    if block := equations.block(entry.name):
        parts.append(f"## Equations\n\n{block}")
    if entry.parameters:
        parts.append(f"## Parameters\n\n{table(entry.parameters.values(), True)}")
    if entry.vectors:
        parts.append(f"## Arrays\n\n{table(entry.vectors.values(), False)}")
    if state := [field for name, field in entry.state.items() if not name.startswith("_")]:
        parts.append(f"## State\n\n{table(state, False)}")
    if entry.recorded:
        parts.append(f"## Recorded\n\n{table(entry.recorded.values(), False)}")
    if text := source(entry, kind):
        parts.append(f"## Source\n\n{text}\n")
    return "\n".join(parts)


def sentence(text: str) -> str:
    """A documentation text as prose of Markdown."""
    return cell(text).replace("<", "\\<")


def listing(kind: str) -> str:
    """The page that lists all models of a kind."""
    entries = built_in(kind)
    rows = "\n".join(f"- [{entry.name}]({kind}/{entry.name}.md): {sentence(entry.doc)}" for entry in entries)
    toc = "\n".join(f"{kind}/{entry.name}" for entry in entries)
    head = (
        f"# {KINDS[kind][0]}\n\n{len(entries)} are built in. This page and the pages behind it are made from `npl.{kind_call(kind)}()`.\n"
    )
    return f"{head}\n{rows}\n\n```{{toctree}}\n:hidden:\n\n{toc}\n```\n"


def kind_call(kind: str) -> str:
    """The function that gives the entries."""
    return KINDS[kind][1].__name__


def pages(folder: Path, pictures_wanted: bool = True) -> dict[str, str]:
    """All pages by their paths; draws the pictures into `folder`."""
    found = {}
    for kind in KINDS:
        found[f"reference/models/{kind}.md"] = listing(kind)
        for entry in built_in(kind):
            picture = pictures.draw(entry, kind, folder / kind / f"{entry.name}.svg") if pictures_wanted else ""
            found[f"reference/models/{kind}/{entry.name}.md"] = page(entry, kind, picture)
    return found
