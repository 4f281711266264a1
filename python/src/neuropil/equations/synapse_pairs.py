# SPDX-License-Identifier: Apache-2.0
"""The C++ file of a pair rule: the form of cpp/synapses/models/vogels_sprekeler_synapse.cpp, whose synapses are updated in vectors."""

from __future__ import annotations

from dataclasses import replace

from .expressions import Binary, Expression, Name, Number, names, walk
from .frame import function, type_name
from .printing import number
from .synapse_code import member
from .synapse_places import Places
from .synapse_rule import TIME, WEIGHT, Dynamics, Needed, Rule
from .synapse_vectors import VectorFile

__all__ = ["PairFile", "is_pair_rule"]

TAU = "tau_plus"  # what the kernel calls the time constant of the source's trace
MOST_PARAMETERS = 15  # VariedParameters of cpp/synapses/varied_parameters.hpp, less the delay of the axon


def is_pair_rule(rule: Rule, places: Places) -> bool:
    """Whether spikes of the target change weights by a trace of the source, those of the source by a trace of the target, and no more."""
    if rule.is_followed or rule.seen or rule.draws or places.own or len(rule.made.parameters) > MOST_PARAMETERS:
        return False
    if rule.transmit != Name(rule.transmit.place, WEIGHT) or len(places.row) != 1 or len(places.traces) > 1:
        return False
    (x,) = (v for v in rule.variables if v.name == places.row[0])
    wrong = places.on_pre.reads & {x.name} or places.on_post.reads & {*places.traces}
    return not wrong and x.name in places.on_post.reads and is_plain_trace(rule, x) and not tells_time(rule, places)


def is_plain_trace(rule: Rule, x: Dynamics) -> bool:
    """Whether each spike of the source adds 1, and the time constant is a parameter that no other one would be taken for."""
    steps = [a for a in rule.on_pre if a.name == x.name]
    if len(steps) != 1 or steps[0].operator != "+=" or steps[0].value != Number(steps[0].value.place, 1.0) or x.rest or x.initial:
        return False
    parameters = {p.name for p in rule.made.parameters}
    taken = {*parameters, *(v.name for v in rule.variables), *(p.name for p in rule.made.parts)}
    return isinstance(x.tau, Name) and x.tau.name in parameters and (x.tau.name == TAU or TAU not in taken)


def tells_time(rule: Rule, places: Places) -> bool:
    done = (*places.on_pre.statements, *places.on_post.statements)
    return TIME in rule.made.reached(set().union(*(names(a.value) for a in done)))


class PairFile(VectorFile):
    """Writes the file of such a rule."""

    maker = "pair_synapse"
    driver = "synapses/varied_pairs.hpp"

    def __init__(self, rule: Rule, places: Places) -> None:
        (x,) = (v for v in rule.variables if v.name == places.row[0])
        parameters = sorted(rule.made.parameters, key=lambda p: p.name != text_of_tau(x))  # the kernel looks for it in the first place
        super().__init__(replace(rule, made=replace(rule.made, parameters=tuple(parameters))), places)
        self.trace, self.k = x, self.namer.make("k")

    def statics(self) -> list[str]:
        """The number of parameters, what users call the trace of the source, and whether spikes of the target count before it has any."""
        size = f"static constexpr int parameters = {len(self.made.parameters) + 1};  ///< with that of the axonal delay"
        always = ["static constexpr bool always = true;"] if self.places.meets_all else []
        return [size, f'static constexpr const char* trace = "{self.trace.name}";', *always]

    def members(self) -> list[str]:
        """Parameters, what follows from them, and the time constants of the traces."""
        own = [TAU] if text_of_tau(self.trace) != TAU else []
        return [*super().members(), f"double {', '.join([*own, 'tau_minus'])};"]

    def given_members(self, taus: list[str]) -> list[str]:
        """Values of the time constants."""
        own = [f"{TAU}({member(text_of_tau(self.trace))})"] if text_of_tau(self.trace) != TAU else []
        return [*own, f"tau_minus({taus[0] if taus else number(20.0)})"]  # of a trace that nothing reads: spikes are kept with it

    def constructor(self, kind: str, taus: list[str]) -> list[str]:
        """From the parameters of a synapse."""
        self.given_more = self.given_members(taus)
        return super().constructor(kind, [])

    def bounds(self) -> list[str]:
        """Least and greatest weight."""
        found = [line.replace("double bounded", "NPL_INLINE double bounded") for line in super().bounds()]
        if not any("weight_bounds" in line for line in found):
            found.append("static WeightBounds weight_bounds() { return {}; }")
        if not any("largest_weight" in line for line in found):
            found.append("static double largest_weight() { return 0.0; }")
        return [*(line for line in found if line), ""]

    def source(self) -> list[str]:
        """The kernel keeps the trace of the source."""
        return []

    def send(self) -> list[str]:
        """What spikes of the target and of the source do."""
        (y, factor), x = self.trace_of_target(), self.trace.name
        post = self.change("facilitate", "A spike of the target", self.places.on_post, {x: ""})
        return [*post, *self.change("depress", "A spike of the source", self.places.on_pre, {y: factor} if y else {})]

    def trace_of_target(self) -> tuple[str, str]:
        """Its name and by what the kernel's is multiplied; "" for none."""
        for name, trace in self.places.traces.items():
            return name, self.constant(trace.factor, f"{name}_step") if trace.factor else ""
        return "", ""

    def change(self, name: str, what: str, done: Needed, traces: dict[str, str]) -> list[str]:
        """A function that makes a new weight. traces : what the weight depends on, and its factor."""
        exponent = self.shared_exponent([a.value for a in done.statements])
        self.printer.pow_function = "raise" if exponent else "power"
        body = self.new_weight(done, traces)
        self.printer.pow_function = "power"
        head = f"/// {what}, where the trace of the other side is {self.k}."
        arguments = ("double w", f"double {self.k}")
        if not exponent:
            return [head, *function(f"NPL_INLINE double {name}", arguments, body, " const")]
        raised = function(f"NPL_INLINE double {name}", (*arguments, "Raise raise"), body, " const")
        return [head, "template <class Raise>", *raised, *self.loops(name, arguments, exponent)]

    def new_weight(self, done: Needed, traces: dict[str, str]) -> list[str]:
        """The body of such a function."""
        trees = [a.value for a in done.statements]
        body = [
            f"const double {member(x)} = {f'{factor} * {self.k}' if factor else self.k};" for x, factor in traces.items() if x in done.reads
        ]
        return [*body, *self.parts(trees), *self.statements(done.statements, {*traces}), "return w;"]

    def shared_exponent(self, trees: list[Expression]) -> str:
        """The parameter that is the exponent of all powers; "" where there is none or another one, too."""
        everything = [*trees, *(part.value for part in self.made.needed_parts(trees))]
        found = {node.right for tree in everything for node in walk(tree) if isinstance(node, Binary) and node.operator == "**"}
        names_of = {each.name for each in found if isinstance(each, Name)}
        return member(names_of.pop()) if len(found) == len(names_of) == 1 and self.rule.is_constant(found.pop()) else ""

    def loops(self, name: str, arguments: tuple[str, ...], exponent: str) -> list[str]:
        """The function for one synapse, and for loops, before which the kind of exponent is chosen."""
        self.printer.need("power")
        self.printer.headers.add('"synapses/exponents.hpp"')
        own, loop = type_name(self.made.name), {"facilitate": "facilitation", "depress": "depression"}[name]
        power = "[](double x, double y) NPL_INLINE_LAMBDA { return power(x, y); }"
        one = f"return {name}(w, {self.k}, {power});"
        call = f"loop([raise](const {own}& r, double w, double k) NPL_INLINE_LAMBDA {{ return r.{name}(w, k, raise); }});"
        chosen = [f"by_exponent({exponent}, {power}, [&](auto raise) NPL_INLINE_LAMBDA {{", f"  {call}", "});"]
        return [
            *function(f"NPL_INLINE double {name}", arguments, [one], " const"),
            "template <class Loop>",
            *function(f"NPL_INLINE void {loop}", ("Loop&& loop",), chosen, " const"),
        ]

    def state(self) -> list[str]:
        """The kernel knows the trace of the source."""
        return []


def text_of_tau(x: Dynamics) -> str:
    """The parameter that is the time constant."""
    assert isinstance(x.tau, Name)
    return x.tau.name
