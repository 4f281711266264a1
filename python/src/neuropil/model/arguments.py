# SPDX-License-Identifier: Apache-2.0
"""What users may write for rules, synapses and receptors in `Network.connect`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.checks import to_whole
from ..errors import BadParameter, IllegalConnection, bad_length, bad_parameter, bad_type, unknown_name
from ..space.expression import Term
from . import catalog, rules
from .declared_rules import declared_rules
from .devices import Device, device
from .distributions import Distribution, Value, to_spec
from .nodes import Nodes
from .readings import Readings
from .rules import Rule, all_to_all
from .synapses import AnySynapse, Synapse, static
from .synapses import synapse as constructor

if TYPE_CHECKING:
    from ..plan.dry_running import DryRun
    from ..space.layers import Layer
    from .drawing import Draws

__all__ = [
    "check_shape",
    "explained",
    "has_terms",
    "kernel_arguments",
    "simple",
    "to_device",
    "to_layer",
    "to_named",
    "to_parameters",
    "to_ranks",
    "to_receptor",
    "to_rule",
    "to_synapse",
]


def to_rule(rule: Rule | str | None) -> Rule:
    """The rule that a user means; None is all_to_all()."""
    if rule is None:
        return all_to_all()
    if isinstance(rule, str):
        if rule not in ("all_to_all", "one_to_one"):
            if rule not in catalog.rules():
                raise unknown_name("rule", rule, catalog.rules())
            made = getattr(rules, rule, None) or declared_rules().get(rule)
            how = (
                f"neuropil.{rule}{_plain(signature(made))}"
                if made
                else "Network.connect_tripartite"
                if rule == "tripartite"
                else "neuropil.classes.Rule"
            )
            raise bad_parameter("rule", rule, f"given with its parameters: {how}")
        return Rule(rule)
    if not isinstance(rule, Rule):
        raise bad_type("rule", rule, "a rule: all_to_all(), fixed_indegree(k), ... or its name")
    return rule


def _plain(given: Signature) -> Signature:
    """A signature without types, for people."""
    parameters = [p.replace(annotation=Parameter.empty) for p in given.parameters.values()]
    return given.replace(parameters=parameters, return_annotation=Signature.empty)


def check_shape(name: str, value: Value, rule: Rule, n_pre: int, n_post: int) -> None:
    """Two-dimensional arrays must have the shape of the rule: one of (n_pre, n_post) would be read in the wrong order."""
    if isinstance(value, int | float | Distribution | Term):
        return
    shape = np.shape(value)
    if shape and rule.drawn:
        raise bad_parameter(name, f"array of shape {shape}", "a number, a distribution or an expression with this connection rule")
    wanted = rule.edge_shape(n_pre, n_post)
    if len(shape) > 1 and shape != wanted:
        allowed = f"shape {wanted} with {rule.name}" if wanted else f"a one-dimensional array with {rule.name}"
        raise bad_length(name, shape, allowed)


def to_parameters(model: Synapse, rule: Rule, n_pre: int, n_post: int) -> dict[str, Any]:
    """Parameters of a synapse model as the kernel takes them: numbers, and specs of those that differ from synapse to synapse."""
    for name, value in model.parameters.items():
        check_shape(name, value, rule, n_pre, n_post)
    return {k: float(v) if isinstance(v, int | float) else to_spec(k, v) for k, v in model.parameters.items()}


def kernel_arguments(
    network: Readings,
    pre: Nodes,
    post: Nodes,
    rule: Rule,
    weight: Value,
    delay: Value,
    synapse: AnySynapse | None,
    receptor: int | str,
    double_weights: bool,
    label: int = 0,
    weight_recorder: int | None = None,
) -> dict[str, Any]:
    """What the kernel takes besides the nodes, checked as far as Python can.

    `label`: connections of different labels can be told apart by the column "label" of the kernel's.
    """
    network._check_mine("pre", pre)
    network._check_mine("post", post)
    model = to_synapse(synapse)
    if catalog.loads():
        refuse_spikes(pre, post, model)
    for name, value in (("weight", weight), ("delay", delay)):
        check_shape(name, value, rule, len(pre), len(post))
    return {
        "rule": rule.name,
        "rule_params": rule.parameters,
        "synapse": model.name,
        "synapse_params": to_parameters(model, rule, len(pre), len(post)),
        "weight": to_spec("weight", weight),
        "delay": to_spec("delay", delay),
        "receptor": to_receptor(receptor, post),
        "double_weights": bool(double_weights),
        "label": label,
        "recorder": -1 if weight_recorder is None else weight_recorder,
    }


def refuse_spikes(pre: Nodes, post: Nodes, model: Synapse) -> None:
    """Raises IllegalConnection where spikes would be sent to a neuron of one's own that takes none."""
    refusing = next((entry.name for entry, _ in post._parts() if not entry.takes_spikes), None)
    if refusing is None or all(entry.effect == "current" for entry, _ in pre._parts()) or catalog.synapses()[model.name].carries:
        return
    raise IllegalConnection(
        f"post: {refusing} takes no spikes, which {model.name} transmits: no line of its equations has the flag (receptor), and it has no on_spike"
    )


def to_receptor(receptor: int | str, post: Nodes) -> int:
    """Number of a receptor as the kernel counts: 0 for the model's choice, from 1 for a chosen one."""
    if not isinstance(receptor, str):
        return to_whole("receptor", receptor, bits=31)
    entries = [entry for entry, _ in post._parts()]
    found = {entry.receptors.index(receptor) if receptor in entry.receptors else -1 for entry in entries}
    if -1 not in found and (signed := _by_sign(entries)):
        raise bad_parameter("receptor", receptor, f"left out for {signed}")
    if len(found) != 1 or -1 in found:
        names = [name for entry, _ in post._parts() for name in entry.receptors]
        raise unknown_name(f"receptor of {' and '.join(post.models)}", receptor, names)
    return found.pop() + 1


def _by_sign(entries: Sequence[catalog.Entry]) -> str:
    """The first of these models whose receptor follows from the weight, and how; "" where none is."""
    entry = next((entry for entry in entries if entry.input == "by_sign"), None)
    return "" if entry is None else f"{entry.name}: the sign of the weight chooses the receptor of this model, and weights below 0 inhibit"


def explained(error: BadParameter, post: Nodes) -> BadParameter:
    """What the kernel says of the number of a receptor, with how the model chooses it; other errors as they are."""
    signed = _by_sign([entry for entry, _ in post._parts()])
    if error.parameter != "receptor" or not error.allowed.startswith("0 for ") or not signed:
        return error
    return bad_parameter("receptor", error.value, f"0, or left out, for {signed}")


def to_synapse(synapse: AnySynapse | None) -> Synapse:
    """The synapse model that a user means; None is a static one. Raises BadType, and what `loaded` of a model of one's own raises."""
    if isinstance(synapse, Synapse):
        return synapse
    if synapse is None:
        return static()
    if isinstance(synapse, catalog.Loadable):
        return constructor(synapse.loaded().name)
    if not isinstance(synapse, str):
        raise bad_type(
            "synapse", synapse, "static(), stdp(...), stdp_pl_hom(...), synapse(name, ...), a model of one's own or the name of a model"
        )
    return constructor(synapse)


def to_device(given: Device | str) -> Device:
    """The device that a user means."""
    if isinstance(given, str):
        return device(given)
    if not isinstance(given, Device):
        raise bad_type("device", given, "a device: poisson(...), dc(...), device(name, ...) or the name of one")
    return given


def has_terms(weight: Any, delay: Any, model: Synapse) -> bool:
    """Whether a value is an expression."""
    if isinstance(weight, Term) or isinstance(delay, Term):
        return True
    return bool(model.parameters) and any(isinstance(value, Term) for value in model.parameters.values())


def simple(value: Any) -> Any:
    """An expression as the number or distribution that it is, where the kernel can draw it."""
    found = value.native() if isinstance(value, Term) else value
    return value if found is None else found


# --- of arguments that few networks are given: what takes them is imported then


def to_ranks(dry_run: DryRun | None, ranks: Any, comm: Any = None) -> dict[str, Any]:
    """Settings of a network that is given these ranks or this communicator, or plays one of many. Raises BadType, BadParameter, MpiError."""
    if comm is not None:
        if ranks is not None or dry_run is not None:
            raise bad_parameter("comm", comm, "left out where `ranks` or `dry_run` is given")
        from ..parallel.communicators import adopted

        return {"comm": adopted(comm)}
    if dry_run is None:
        return {"comm": ranks}
    from ..plan.dry_running import played

    return played(dry_run, ranks)


def to_layer(positions: Any, number: int | None, draw: Draws) -> Layer:
    """Positions of new nodes. Raises as `Network.create`."""
    from ..space import arrangements

    return arrangements.to_layer(positions, number, draw.seed, draw.next)


def to_named(model: Any, params: Mapping[str, Any], resolution: float) -> tuple[str, dict[str, Any]]:
    """A tree, a population or a model of one's own as the name of a model and its parameters. Raises BadType, and what `loaded` raises."""
    from .population import GifPopulation
    from .tree import Tree

    if isinstance(model, catalog.Loadable):
        return model.loaded().name, {**params}
    if not isinstance(model, Tree | GifPopulation):
        raise bad_type("model", model, "the name of a model, a model of one's own, tree(...) or gif_population(...)")
    return model.name if isinstance(model, Tree) else model.name(resolution), {**model.values, **params}
