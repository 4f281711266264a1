# SPDX-License-Identifier: Apache-2.0
"""What of a script neuropil.nest supports, found without running it; and the lists of all functions and models for the documentation."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from neuropil.cli.nest_attributes import MEANINGS
from neuropil.nest.kernel import Session
from neuropil.nest.kernel_status import ATTRIBUTES
from neuropil.nest.models.faces import FILTERS
from neuropil.nest.models.nest_names import NODE_MODELS, SYNAPSE_MODELS
from neuropil.nest.module import FUNCTIONS, NOT_YET, SUBMODULES
from neuropil.nest.specs import CONNECTION_RULES

__all__ = ["Finding", "read", "report", "table"]

OF_NEST = (
    *[
        "Cleanup",
        "CollocatedSynapses",
        "Compartments",
        "Connect",
        "ConnectionRules",
        "CopyModel",
        "Create",
        "CreateMask",
        "CreateParameter",
        "DisableStructuralPlasticity",
        "Disconnect",
        "Displacement",
        "Distance",
        "DumpLayerConnections",
        "DumpLayerNodes",
        "EnableStructuralPlasticity",
        "FindCenterElement",
        "FindNearestElement",
        "GetConnections",
        "GetDefaults",
        "GetKernelStatus",
        "GetLocalNodeCollection",
        "GetLocalVPs",
        "GetNodes",
        "GetPosition",
        "GetSourceNodes",
        "GetSourcePositions",
        "GetStatus",
        "GetTargetNodes",
        "GetTargetPositions",
        "Install",
        "Models",
        "NodeCollection",
        "NumProcesses",
        "PlotLayer",
        "PlotProbabilityParameter",
        "PlotSources",
        "PlotTargets",
        "Prepare",
        "PrintNodes",
        "Rank",
        "Receptors",
        "ResetKernel",
        "Run",
        "RunManager",
        "SelectNodesByMask",
        "SetAcceptableLatency",
        "SetDefaults",
        "SetKernelStatus",
        "SetMaxBuffered",
        "SetStatus",
        "Simulate",
        "SonataNetwork",
        "SynapseCollection",
        "SyncProcesses",
        "TripartiteConnect",
        "get",
        "get_verbosity",
        "help",
        "message",
        "random",
        "math",
        "logic",
        "spatial",
        "spatial_distributions",
        "raster_plot",
        "voltage_trace",
        "visualization",
        "server",
        "set",
        "set_communicator",
        "set_verbosity",
    ],
)
ALWAYS_REFUSED = {  # there, but raise NotSupported whatever is asked
    "SetAcceptableLatency": "MUSIC",
    "SetMaxBuffered": "MUSIC",
    "server": "the command `neuropil serve` is the server",
}


@dataclass(slots=True)
class Finding:
    """One name that a script uses: what it is, where, and why it is not supported (empty: it is)."""

    kind: str
    name: str
    lines: list[int] = field(default_factory=list)
    why: str = ""


class Reader(ast.NodeVisitor):
    """Collects what a script uses of nest: attributes, names of models, parameters."""

    def __init__(self) -> None:
        self.aliases: dict[str, str] = {}  # names in the script: "" is nest, else a name in nest
        self.found: dict[tuple[str, str], Finding] = {}
        self.session = Session()
        self.copies: dict[str, str] = {}  # models made by CopyModel: what they are copies of
        self.constants: dict[str, ast.expr] = {}  # names that stand for a text or a dict that is written down

    def note(self, kind: str, name: str, line: int, why: str) -> None:
        finding = self.found.setdefault((kind, name), Finding(kind, name, why=why))
        if line not in finding.lines:
            finding.lines.append(line)

    # --- names of nest

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name == "nest" or alias.name.startswith("nest."):
                inside = alias.name.removeprefix("nest").removeprefix(".")
                self.aliases[alias.asname or "nest"] = inside if alias.asname else ""
                if inside:
                    self.note_attribute(inside.split(".")[0], node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module == "nest":
            for alias in node.names:
                self.aliases[alias.asname or alias.name] = alias.name
                self.note_attribute(alias.name, node.lineno)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and self.aliases.get(node.value.id) == "":
            self.note_attribute(node.attr, node.lineno)
        self.generic_visit(node)

    def note_attribute(self, name: str, line: int) -> None:
        if name in ATTRIBUTES:
            self.note("kernel attribute", name, line, "")
        elif name != "*":
            self.note("function", name, line, why_not(name))

    # --- models and parameters

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.value, ast.Constant | ast.Dict):
            self.constants |= {target.id: node.value for target in node.targets if isinstance(target, ast.Name)}
        self.generic_visit(node)

    def meant(self, node: ast.expr | None) -> ast.expr | None:
        """The expression itself, or what a name stands for."""
        return self.constants.get(node.id, node) if isinstance(node, ast.Name) else node

    def visit_Call(self, node: ast.Call) -> None:
        name = self.called(node.func)
        if name in ("Create", "GetDefaults", "SetDefaults", "CopyModel") and node.args:
            self.note_model(node, name)
        if name == "Connect":
            self.note_connect(node)
        self.generic_visit(node)

    def called(self, func: ast.expr) -> str:
        """Name in nest of what is called, else empty."""
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and self.aliases.get(func.value.id) == "":
            return func.attr
        return self.aliases.get(func.id, "") if isinstance(func, ast.Name) else ""

    def note_model(self, node: ast.Call, function: str) -> None:
        model = text_of(self.meant(node.args[0]))
        if model is None:
            return
        if function == "CopyModel" and len(node.args) > 1 and (new := text_of(self.meant(node.args[1]))):
            self.copies[new] = model
        self.note_one_model(model, node.lineno)
        for given in (*node.args[1:], *(keyword.value for keyword in node.keywords)):
            if isinstance(shown := self.meant(given), ast.Dict):
                self.note_parameters(model, shown)

    def note_one_model(self, model: str, line: int) -> None:
        while model in self.copies:
            model = self.copies[model]
        kind = "synapse model" if model in SYNAPSE_MODELS or model in self.session.synapse_models else "node model"
        known = model in self.session.node_models or model in self.session.synapse_models
        listed = model in NODE_MODELS or model in SYNAPSE_MODELS
        self.note(kind, model, line, "" if known else "not there yet" if listed else "no model of NEST 3.10")

    def note_parameters(self, model: str, given: ast.Dict) -> None:
        while model in self.copies:
            model = self.copies[model]
        known = self.keys_of(model)
        for key in given.keys:
            name = text_of(key)
            if name not in (None, "synapse_model") and known and key is not None:
                self.note("parameter", f"{model}.{name}", key.lineno, "" if name in known else "unknown or not there yet")

    def keys_of(self, model: str) -> set[str]:
        s = self.session
        if model in s.node_models:
            return {*s.node_models[model].settable, "precision", "file_extension", *FILTERS.get(model, ())}
        if model in s.synapse_models:
            return {
                *s.synapse_models[model].own_parameters,
                *s.synapse_models[model].extras,
                "weight",
                "delay",
                "receptor_type",
                "synapse_model",
                "synapse_label",
                "weight_recorder",
            }
        return set()

    def note_connect(self, node: ast.Call) -> None:
        given = dict(zip(("pre", "post", "conn_spec", "syn_spec"), node.args, strict=False)) | {
            k.arg: k.value for k in node.keywords if k.arg
        }
        conn, syn = self.meant(given.get("conn_spec")), self.meant(given.get("syn_spec"))
        rule = text_of(conn) or (text_of(self.meant(dict_of(conn).get("rule"))) if isinstance(conn, ast.Dict) else None)
        if rule:
            self.note("rule", rule, node.lineno, "" if rule in CONNECTION_RULES else "no rule of NEST 3.10")
        model = text_of(syn) or (text_of(self.meant(dict_of(syn).get("synapse_model"))) if isinstance(syn, ast.Dict) else None)
        if model:
            self.note_one_model(model, node.lineno)
        if isinstance(syn, ast.Dict):
            self.note_parameters(model or "static_synapse", syn)


def text_of(node: ast.expr | None) -> str | None:
    """The text of a constant, None for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def dict_of(node: ast.Dict) -> dict[str | None, ast.expr]:
    """Entries of a literal dict by their constant keys."""
    return {text_of(key): value for key, value in zip(node.keys, node.values, strict=True)}


def why_not(name: str) -> str:
    """Why a function or other name of nest is not supported; empty where it is."""
    if name in ALWAYS_REFUSED:
        return f"not there: {ALWAYS_REFUSED[name]}"
    from neuropil import nest

    known = name in vars(nest) or name in FUNCTIONS or name in SUBMODULES or name in ("get", "set", "kernel_status", "ll_api")
    return "" if known and name not in NOT_YET else "not there"


def read(text: str, name: str = "script") -> list[Finding]:
    """What a script uses of nest, in the order of kinds and lines. Raises SyntaxError."""
    reader = Reader()
    reader.visit(ast.parse(text, name))
    return sorted(reader.found.values(), key=lambda f: (f.kind, f.lines[0], f.name))


def report(findings: list[Finding]) -> Iterator[str]:
    """Lines that tell what is supported and what not."""
    missing = [f for f in findings if f.why]
    for title, some in (("not supported", missing), ("supported", [f for f in findings if not f.why])):
        yield f"{title}: {len(some)}"
        yield from (f"  {f.kind:16} {f.name:32} line {', '.join(map(str, f.lines[:8]))}{f'  ({f.why})' if f.why else ''}" for f in some)
    if not findings:
        yield "the script does not import nest"


# --- the table for the documentation


def table() -> str:
    """Functions, models, rules and attributes of NEST 3.10 and whether they are there, as Markdown."""
    s = Session()
    parts = [
        "# What neuropil.nest has of NEST 3.10",
        "Made by `neuropil nest-compat --table`; see [scripts of NEST](coming_from_nest.md).",
        _section("Functions", {name: why_not(name) for name in OF_NEST}),
        _section("Neuron and device models", {name: "" if name in s.node_models else "not there yet" for name in sorted(NODE_MODELS)}),
        _section("Synapse models", {name: "" if name in s.synapse_models else "not there yet" for name in _plain_synapses()}),
        _section("Connection rules", dict.fromkeys((*CONNECTION_RULES, "third_factor_bernoulli_with_pool"), "")),
        _attributes(),
    ]
    return "\n\n".join(parts) + "\n"


def _plain_synapses() -> list[str]:
    return [name for name in sorted(SYNAPSE_MODELS) if not name.endswith(("_hpc", "_lbl"))]


def _section(title: str, entries: Mapping[str, str]) -> str:
    there = [f"`{name}`" for name, why in entries.items() if not why]
    missing = [f"`{name}`" + (f" ({why.partition(': ')[2]})" if ": " in why else "") for name, why in entries.items() if why]
    parts = [f"## {title}: {len(there)} of {len(entries)}", _wrapped(f"Supported: {', '.join(there) or 'none'}.")]
    if missing:
        parts.append(_wrapped(f"Not supported: {', '.join(missing)}."))
    return "\n\n".join(parts)


def _attributes() -> str:
    lines = [_wrapped(f"- `{name}`{'' if a.set else ' (read only)'}: {MEANINGS[name]}", "  ") for name, a in sorted(ATTRIBUTES.items())]
    return f"## Kernel attributes: {len(ATTRIBUTES)}\n\n" + "\n".join(lines)


def _wrapped(text: str, indent: str = "") -> str:
    """The text in lines of at most 120 columns, as pages have them."""
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
