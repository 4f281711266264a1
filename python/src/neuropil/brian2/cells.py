# SPDX-License-Identifier: Apache-2.0
"""From a NeuronGroup of Brian2 to a model of `neuropil.neuron`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from brian2.equations.unitcheck import check_units_statements
from brian2.parsing.expressions import parse_expression_dimensions
from brian2.utils.stringtools import get_identifiers

from ..equations import EquationError
from ..equations.engine import Deferred, Description, NeuronModel, Unchecked, describe, is_noise, made_model, parameters_of, value_of
from ..equations.expressions import Binary, Expression, Name, changed, names, text_of
from ..equations.parsing import Assignment, read_expression
from .errors import refuse
from .scope import Outside, own_name
from .translating import Translator, is_condition, named, number, statements
from .units import unit_of, values_in

__all__ = ["Cells", "Demands"]

METHODS = {"exact": "exact", "linear": "exact", "euler": "euler", "exponential_euler": "exponential_euler", "rk4": "rk4"}
NOT_KNOWN = ("t", "t_in_timesteps", "lastspike", "not_refractory")  # to the kernel, in equations


@dataclass(frozen=True)
class Demands:
    """What other objects ask of a group: variables that synapses add to, variable of each PoissonInput, variables that are recorded."""

    added: tuple[str, ...] = ()
    kicked: tuple[str, ...] = ()
    sampled: tuple[str, ...] = ()


class Cells:
    """A NeuronGroup: its equations as a model, and its values. dt : ms."""

    def __init__(self, group: Any, demands: Demands, namespace: dict[str, Any], dt: float) -> None:
        self.group, self.demands, self.dt = group, demands, dt
        self.outside = Outside(group, namespace)
        self.translator = Translator(group.name, self.name, self.outside.function)
        self.threshold: str | None = group.events.get("spike")
        self.reset = statements(group.name, group_code(group))
        self.used: set[str] = set()  # parameters of the group that equations use
        self.of_pause: set[str] = set()  # those of the refractory period
        self.kicks = tuple((own_name(name), f"poisson_{k}") for k, name in enumerate(demands.kicked))
        self.kinds()
        added = set(demands.added or tuple(self.states)[:1])
        self.receptors = [name for name in self.states if name in added]  # in the order in which the model has them
        self.check_units(namespace)
        self.refractory()
        self.model = self.made()

    # What the group has

    def kinds(self) -> None:
        """Tells variables, parts and parameters apart. A parameter that something changes is a variable."""
        set_by = {s.name for s in self.reset} | set(self.demands.added) | set(self.demands.kicked)
        self.states: dict[str, Any] = {}
        self.parts: dict[str, Any] = {}
        self.settings: dict[str, Any] = {}
        for name, line in self.group.user_equations.items():
            if {"linked", "constant over dt"} & set(line.flags):
                refuse(self.group.name, f"the flags {', '.join(line.flags)} are not supported", str(line))
            if "shared" in line.flags and (name in set_by or line.expr is not None):
                refuse(self.group.name, "the flag shared is supported for parameters that nothing changes", str(line))
            changes = line.type == "differential equation" or (line.type == "parameter" and name in set_by)
            (self.states if changes else self.parts if line.type == "subexpression" else self.settings)[name] = line
        if unknown := sorted(set_by - self.states.keys()):
            refuse(self.group.name, f"'{unknown[0]}' is set and is no variable of the group", next((s.place.text for s in self.reset), ""))
        if not self.states:
            refuse(self.group.name, "a group without differential equations is not supported; PoissonGroup sends random spikes")

    def check_units(self, namespace: dict[str, Any]) -> None:
        """Brian2 checks its units. Raises what it raises."""
        group, codes = self.group, [self.threshold or "", group_code(self.group)]
        group.user_equations.check_units(group, run_namespace=namespace)
        variables = [group.resolve_all(get_identifiers(code), namespace) for code in codes]
        if codes[0]:
            parse_expression_dimensions(codes[0], variables[0])
        if codes[1]:
            check_units_statements(codes[1], variables[1])

    def refractory(self) -> None:
        """How long: a time (`self.pause`, an expression), or until a condition is false (`self.until`)."""
        given, line = self.group._refractory, f"refractory={self.group._refractory!r}"
        self.until: Expression | None = None
        self.pause: Expression | None = None
        if given is False or self.threshold is None:
            return
        if not isinstance(given, str):
            self.pause = number(float(given) * 1e3)
        elif is_condition(given, self.is_boolean):
            self.until = self.translator.code(given, line)
            return
        else:
            self.pause = self.written_out(self.translator.code(given, line))
        if changing := names(self.pause) & {own_name(name) for name in self.states}:
            refuse(self.group.name, f"a refractory period that depends on {min(changing)}, which changes, is not supported", line)
        # They are no parameters of the model, unless an equation uses them, too.
        self.of_pause = set(self.used)
        self.used.clear()
        self.outside.units.clear()

    def is_boolean(self, name: str) -> bool:
        """Whether a parameter of the group is true or false."""
        return name in self.settings and self.settings[name].var_type == "boolean"

    def name(self, name: str) -> Expression:
        """What a name of a string becomes."""
        if name in self.states or name in self.parts:
            return named(own_name(name))
        if name in self.settings or name == "i":
            self.used.add(name)
            return Binary(named("").place, ">", named(own_name(name)), number(0.5)) if self.is_boolean(name) else named(own_name(name))
        if name in ("N", "dt"):
            return number(float(len(self.group)) if name == "N" else self.dt)
        if is_noise(name):
            return named(name)
        if name in NOT_KNOWN:
            self.translator.fail(f"'{name}' is not supported here")
        return self.outside.name(name, self.translator.line)

    def written_out(self, tree: Expression) -> Expression:
        """With the parts that it uses."""

        def part(node: Expression) -> Expression | None:
            known = {own_name(name): name for name in self.parts}
            if not isinstance(node, Name) or node.name not in known:
                return None
            line = self.parts[known[node.name]]
            return self.written_out(self.translator.code(line.expr.code, str(line)))

        return changed(tree, part)

    # The model

    def made(self) -> NeuronModel:
        """As equations, then as a model."""
        lines = [self.line_of(name, line) for name, line in [*self.states.items(), *self.parts.items()]]
        if self.until is not None:
            lines.append(f"waits = where({text_of(self.until)}, 1, 0) : 1")
        threshold = self.threshold and text_of(self.translator.code(self.threshold, f"threshold={self.threshold!r}"))
        reset = "\n".join(self.reset_line(each) for each in self.reset) if threshold else ""
        self.of_model = self.parameter_units()
        defaults = {name: f"{1 + k / 64!r} {unit}".strip() for k, (name, unit) in enumerate(self.of_model.items())}
        text = repr((lines, threshold, reset, defaults, self.demands, self.held(), self.group.method_choice))
        name = f"brian2_{hashlib.blake2s(text.encode()).hexdigest()[:12]}"
        refractory = "refractory_time" if self.pause is not None else None
        initial = {own_name(each): 0.0 for each in self.states}
        doc = f"A NeuronGroup of Brian2 with the variables {', '.join(self.states)}."
        try:
            made = describe(name, "\n".join(lines), threshold or None, reset or None, refractory, defaults, initial, {}, doc, Unchecked())
        except EquationError as error:
            refuse(self.group.name, str(error))
        return self.integrated(self.with_order(made))

    def line_of(self, name: str, line: Any) -> str:
        """A line of equations."""
        slope = line.type != "subexpression"
        value = number(0.0) if line.expr is None else self.translator.code(line.expr.code, str(line))
        flag = " (receptor)" if name in self.receptors else ""
        return f"{f'd{own_name(name)}/dt' if slope else own_name(name)} = {text_of(value)} : {unit_of(line.dim) or '1'}{flag}"

    def reset_line(self, each: Assignment) -> str:
        """An assignment of the reset; parts are written out, as they follow what is assigned before."""
        return f"{own_name(each.name)} {each.operator} {text_of(self.written_out(self.translator.value(each)))}"

    def held(self) -> list[str]:
        """Variables with (unless refractory)."""
        pauses = self.pause is not None or self.until is not None
        return [own_name(name) for name, line in self.states.items() if pauses and "unless refractory" in line.flags]

    def parameter_units(self) -> dict[str, str]:
        """Parameters of the model and their units."""
        found = {own_name(name): unit_of(self.settings[name].dim) if name != "i" else "" for name in sorted(self.used)}
        found |= dict(sorted(self.outside.units.items()))
        return found | ({"refractory_time": "ms"} if self.pause is not None else {})

    def with_order(self, made: Description) -> Description:
        """In the order of a time step of Brian2."""
        held, others = next(iter(self.held()), None), self.held()[1:]
        until = read_expression("waits > 0.5", "refractory") if self.until is not None else None
        deferred = Deferred(tuple(own_name(name) for name in self.demands.sampled), self.kicks, until)
        pairs = zip(made.receptors, self.receptors, strict=True)
        return replace(
            made,
            variables=tuple(sorted(made.variables, key=lambda variable: variable.name != held)),
            held=held,
            also_held=tuple(others),
            deferred=deferred,
            receptors=tuple(replace(each, unit=unit_of(self.group.variables[name].dim)) for each, name in pairs),
            parameters=(*made.parameters, *parameters_of(deferred)),
        )

    def integrated(self, made: Description) -> NeuronModel:
        """By the first method of Brian2's list that these equations allow."""
        choice = self.group.method_choice
        if options := self.group.state_updater.method_options:
            refuse(self.group.name, f"method_options={options} is not supported")
        reasons = []
        for method in [choice] if not isinstance(choice, tuple | list) else choice:
            if method not in METHODS:
                reasons.append(f"method {method!r} is not supported; these are: {', '.join(METHODS)}")
            elif made.has_multiplicative_noise:
                reasons.append("noise that depends on a variable is not supported")
            elif made.noise and method != "euler":
                reasons.append(f"method {method!r} takes no noise; euler does")
            else:
                try:
                    return made_model(made, METHODS[method])
                except EquationError as error:
                    reasons.append(f"method {method!r}: {str(error).partition(chr(10))[0]}")
        refuse(self.group.name, "; ".join(reasons))

    # Values

    def parameters(self) -> dict[str, Any]:
        """Of the model, as they are now: numbers or arrays."""
        found: dict[str, Any] = dict(self.outside.values())
        for name in self.used | self.of_pause:
            found[own_name(name)] = np.arange(len(self.group), dtype=float) if name == "i" else values_in(self.group, name)
        if self.pause is not None:
            found["refractory_time"] = np.floor(np.asarray(value_of(self.pause, found), float) / self.dt + 1e-3) * self.dt
        return {name: plain(found[name]) for name in self.of_model}


def group_code(group: Any) -> str:
    """The reset."""
    return str(group.event_codes.get("spike") or "")


def plain(value: Any) -> Any:
    """A number where an array has one value only."""
    array = np.asarray(value, float)
    return float(array.flat[0]) if array.size == 1 or (array.size and (array == array.flat[0]).all()) else array
