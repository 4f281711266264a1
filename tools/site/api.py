# SPDX-License-Identifier: Apache-2.0
"""Pages of the Python API: each public name of neuropil is on one of them. Sphinx reads the docstrings (autodoc)."""

import importlib
from collections.abc import Iterable
from inspect import isclass

from tools.site import docstrings

import neuropil as npl

PAGES: dict[str, tuple[str, str, tuple[str, ...]]] = {  # page -> title, what it is, names of neuropil
    "network": ("Network", "Describe a network, run it, read it.", ("Network",)),
    "nodes": ("Nodes", "What `Network.create` returns.", ("Nodes",)),
    "connections": ("Projections and connections", "What `connect` and `connections` return.", ("Projection", "Connections")),
    "rules": (
        "Rules",
        "Which pairs are connected: the third argument of `connect`.",
        (
            *("all_to_all", "one_to_one", "fixed_indegree", "fixed_outdegree", "fixed_total_number", "pairwise_bernoulli"),
            *("pairwise_poisson", "symmetric_pairwise_bernoulli", "small_world", "explicit"),
        ),
    ),
    "synapses": ("Synapses", "The argument `synapse` of `connect`.", ("synapse", "static", "stdp", "stdp_pl_hom", "synaptic_elements")),
    "devices": ("Devices", "What `stimulate` takes.", ("device", "dc", "poisson", "noise", "spike_train", "step_current")),
    "distributions": ("Distributions", "Values that are drawn.", ("normal", "lognormal", "uniform", "uniform_int", "exponential")),
    "own_models": (
        "Own models and shapes",
        "Models from equations, from files and with a shape.",
        ("neuron", "synapse_model", "load_model", "tree", "gif_population"),
    ),
    "catalogue": ("Catalogue", "What models there are.", ("models", "devices", "synapses", "rules", "describe")),
    "running": (
        "Ranks, sweeps, plans, checkpoints",
        "Many processes, many runs, and networks from files.",
        ("exchange", "rank", "n_ranks", "sweep", "dry_run", "load", "open_results"),
    ),
    "records": ("Records", "What `record` returns, and what it contains.", ("Record", "Data")),
    "positions": ("Positions", "Where nodes are, and distances.", ("grid", "free", "distance", "position")),
}
MODULES = {
    "results": ("neuropil.results", "Records, data, files and streams."),
    "analysis": ("neuropil.analysis", "Statistics of spikes."),
    "lfp": ("neuropil.analysis.lfp", "Local field potentials from spikes."),
    "plot": ("neuropil.analysis.plot", "Pictures of results: `npl.plot`."),
    "space": ("neuropil.space", "Masks, functions of distance, arrangements."),
    "parallel": ("neuropil.parallel", "Distributions over ranks, and the balance between them."),
    "equations": ("neuropil.equations", "What `neuron` and `synapse_model` return."),
    "nestml": ("neuropil.nestml", "Models in NESTML."),
    "classes": ("neuropil.classes", "Classes of values, for annotations."),
    "engine": ("neuropil.engine", "The base that front ends such as `neuropil.nest` are built on. Scripts have no need of it."),
    "space_engine": ("neuropil.space.engine", "The same for values and edges in space."),
    "equations_engine": ("neuropil.equations.engine", "The same for models from equations."),
    "equations_expressions": ("neuropil.equations.expressions", "Trees of expressions."),
    "equations_parsing": ("neuropil.equations.parsing", "From texts to trees."),
    "errors": ("neuropil.errors", "All errors derive from `NeuropilError`."),
}
VALUES = {  # of names that are no classes or functions
    "neuropil.equations.INTEGRATORS": "Names of integrators",
    "neuropil.equations.engine.EARLY": "Parameter of a settable rule: by how much spikes of the target are seen earlier (ms)",
    "neuropil.equations.engine.EPOCH": "Variable of a settable rule: the value of `settled` that its other variables follow",
    "neuropil.equations.engine.LAST": "Variable of a settable rule: time of its last event (ms)",
    "neuropil.equations.engine.LAST_SPIKE": "Variable of a deferred model: step of its last spike",
    "neuropil.equations.engine.LATE": "Parameter of a settable rule: by how much spikes of the source come later (ms)",
    "neuropil.equations.engine.NO_SPIKES": "Spikes of a group that has none",
    "neuropil.equations.engine.SETTLED": "Parameter of a settable rule: events up to this time are in what was set (ms)",
    "neuropil.equations.engine.SETTLED_AT": "Parameter of a deferred model: the step before which its state was set",
    "neuropil.equations.engine.WAITING": "Variable of a deferred model: 1 while it is refractory until a condition is false",
    "neuropil.equations.expressions.COMPARISONS": "Operators that compare",
    "neuropil.equations.expressions.FUNCTIONS": "Functions of the language, and how many arguments they take",
    "neuropil.equations.expressions.LEVELS": "How tightly operators bind",
    "neuropil.equations.parsing.FLAGS": "Flags behind lines of a neuron",
    "neuropil.equations.parsing.RANDOM": "Functions that draw random numbers, and how many arguments they take",
    "neuropil.equations.parsing.SYNAPSE_FLAGS": "Flags behind lines of a synapse",
    "neuropil.engine.Columns": "Recorded values by their names",
    "neuropil.engine.Floats": "NumPy array of float64",
    "neuropil.engine.HANDLE": "Columns by which the kernel knows a connection: slice, table, position",
    "neuropil.engine.Ints": "NumPy array of int64",
    "neuropil.engine.OFFSETS": "Column of spikes between grid points: time from the spike to the end of its step (ms)",
}
ON_ANOTHER_PAGE = {
    "neuropil.equations.neuron",
    "neuropil.equations.synapse_model",
    "neuropil.equations.engine.NeuronModel",
    "neuropil.equations.engine.SynapseModel",
    "neuropil.analysis.lfp",
    "neuropil.results.Data",
    "neuropil.results.Record",
    "neuropil.space.Expression",
    "neuropil.space.Mask",
}
ELSEWHERE = {"errors", "classes", "analysis", "parallel", "results", "space", "plot", "nestml", "NeuropilError"}  # modules, and an error


def directive(owner: str, name: str, value: object) -> str:
    """The directive of autodoc for one name; "" for what has no docstring of its own."""
    if text := VALUES.get(f"{owner}.{name}"):
        return f"``{owner}.{name}``\n   {docstrings.inline(text)}.\n"
    if isclass(value):
        rest = (
            "\n   :members:\n   :inherited-members: Exception, tuple, dict, list, Mapping, Sequence\n"
            if not issubclass(value, Exception)
            else "\n"
        )
        return f".. autoclass:: {owner}.{name}{rest}"
    if callable(value):
        return f".. autofunction:: {owner}.{name}\n"
    return f"``{owner}.{name}``\n   {docstrings.inline(meaning(value))}\n"


def meaning(value: object) -> str:
    """What a value of a module is: the first line of its text."""
    text = str(value.__doc__).partition("\n")[0].rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."


def block(owner: str, names: Iterable[str]) -> str:
    """Directives for names of a module."""
    module = importlib.import_module(owner)
    made = [directive(owner, name, getattr(module, name)) for name in names]
    return "\n".join(f"```{{eval-rst}}\n{text}```\n" for text in made)


def module_names(owner: str) -> list[str]:
    """Public names of a module."""
    return [name for name in getattr(importlib.import_module(owner), "__all__", ()) if f"{owner}.{name}" not in ON_ANOTHER_PAGE]


def pages() -> dict[str, str]:
    """All pages of the API, and their list."""
    found = {}
    for page, (title, what, names) in PAGES.items():
        found[f"reference/api/{page}.md"] = f"# {title}\n\n{what}\n\n{block('neuropil', names)}"
    for page, (owner, what) in MODULES.items():
        found[f"reference/api/{page}.md"] = f"# {owner}\n\n{what}\n\n{block(owner, module_names(owner))}"
    titles = {**{page: title for page, (title, *_) in PAGES.items()}, **{page: owner for page, (owner, _) in MODULES.items()}}
    rows = "\n".join(f"- [{title}](api/{page}.md)" for page, title in titles.items())
    toc = "\n".join(f"api/{page}" for page in titles)
    found["reference/api.md"] = (
        f"# Python API\n\n`import neuropil as npl`. Units: ms, mV, pA, nS, pF, spikes/s. Gids count from 1.\n\n{rows}\n\n"
        f"What the parts have in common: [concepts of the API](../concepts/python_api.md).\n\n```{{toctree}}\n:hidden:\n\n{toc}\n```\n"
    )
    return found


def documented() -> set[str]:
    """Names of neuropil that have a place on a page."""
    return {name for _, _, names in PAGES.values() for name in names} | ELSEWHERE


def missing() -> set[str]:
    """Public names of neuropil that no page has."""
    return set(npl.__all__) - documented()
