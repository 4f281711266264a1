# SPDX-License-Identifier: Apache-2.0
"""The C++ file of a synapse: the form of cpp/synapses/models/stdp_triplet_synapse.cpp, which built-in rules have as well."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from .expressions import Binary, Expression, Name, Number, names, text_of
from .frame import doubles, field_text, function, indent, type_name, words_of
from .parsing import Assignment
from .printing import HELPERS, c_text, number
from .synapse_code import RuleCode, member
from .synapse_rule import TIME, WEIGHT, Dynamics, Needed, default_of, statement
from .units import named

__all__ = ["RuleFile"]

POST = ("e.post", "e.post_triplet")
NORMAL = [
    "/// A standard normal number (Box & Muller 1958).",
    "template <class Event>",
    "static double normal_of(const Event& e, const rng::Key& own, std::uint32_t& drawn) {",
    "  const double radius = std::sqrt(-2.0 * math::log(e.uniform(own, drawn))), turn = e.uniform(own, drawn + 1);",
    "  drawn += 2;",
    "  return radius * math::cos_near(6.283185307179586 * turn);",
    "}",
]
TIME_MS = [
    "template <class Time>",
    "double time_ms(const Time& at, Step later = 0) const {",
    "  return static_cast<double>(stamp_of(at) + later) * step_ms - offset_of(at);",
    "}",
]


class RuleFile(RuleCode):
    """Writes the file of one rule."""

    maker, driver = "rule_synapse", "synapses/rule_model.hpp"
    state_places: tuple[str, ...] = ("const double* row", "const double* own")
    more_fields: tuple[str, ...] = ()
    given_more: Sequence[str] = ()  # members that the constructor sets besides

    def heard(self) -> list[str]:
        """What the constructor does besides."""
        return []

    def more_checks(self) -> list[str]:
        """Of parameters that the equations do not have."""
        return []

    @property
    def keeps_step(self) -> bool:
        """Whether times in ms are needed."""
        return bool(self.rule.between) or self.tells_time

    @property
    def tells_time(self) -> bool:
        """Whether the time of an event is needed."""
        done = (*self.rule.on_pre, *self.rule.on_post, *self.rule.between)
        return any(TIME in names(tree) for tree in [*(a.value for a in done), self.rule.transmit])

    # What happens at a spike of the source, once for all its synapses

    def source(self) -> list[str]:
        """Updates the variables of the row."""
        row = self.variables(self.places.row)
        if not row:
            return []
        sent = ["0.0", "0.0"]
        body = [line for k, v in enumerate(row) for line in self.source_variable(k, v, sent)]
        done = self.row_statements()
        body += self.parts([a.value for a in done]) + self.statements(done, set(self.places.row))
        body += [f"kept[{k}] = {self.less_initial(v)};" for k, v in enumerate(row)]
        head = "std::array<double, PreValues::most> source"
        text = function(head, ("double ms", "bool", "double* kept"), [*body, f"return {{{', '.join(sent)}}};"], " const")
        return [
            "/// A spike `ms` after the previous one: updates what the synapses of a source share; `kept` has it just after a spike.",
            *text,
            "static double left(double ms, double tau) { return Decay::entry(Decay::exponent(ms, tau)); }",
            "",
        ]

    def source_variable(self, k: int, v: Dynamics, sent: list[str]) -> list[str]:
        """A variable of the row at a spike. sent : out: what the synapses get."""
        x, slot = member(v.name), self.places.slots.get(v.name)
        lines = [f"double {x} = {self.with_initial(v, f'kept[{k}]')};"]
        if slot and slot.after_last:
            sent[slot.index] = self.last[v.name]
            lines.append(f"const double {sent[slot.index]} = {x};")
        if v.tau is not None:
            tau = self.constant(v.tau, f"tau_{v.name}")
            lines.append(f"{x} = {self.decayed(v, x, f'left(ms, {tau})')};")
        if slot and not slot.after_last:
            sent[slot.index] = self.namer.make(f"{x}_now")
            lines.append(f"const double {sent[slot.index]} = {x};")
        return lines

    def row_statements(self) -> list[Assignment]:
        """Statements of on_pre that variables of the row follow from."""
        live, found = set(self.places.row), list[Assignment]()
        for each in reversed(self.rule.on_pre):
            if each.name in live:
                found.insert(0, each)
                live |= names(each.value)
        return found

    # What happens to a synapse

    def send(self) -> list[str]:
        """Brings a synapse up to date and returns what it transmits."""
        body = [*self.loaded(), *self.at_post(), *self.at_pre(), *self.stored()]
        sent = self.sent()
        lines = self.times(body) + self.drawing(body + sent) + body + sent
        return ["template <class Event>", *function("double send", ("const Event& e", "double& w", "double* values"), lines, " const")]

    def drawing(self, body: list[str]) -> list[str]:
        """The synapse's own key of random numbers, and how many were drawn."""
        return ["const rng::Key own = e.own_key();", "std::uint32_t drawn = 0;"] if "drawn" in words_of(body) else []

    def drawn(self, trees: list[Expression]) -> list[str]:
        """Random numbers of statements."""
        used = self.made.reached(set().union(*(names(tree) for tree in trees)))
        values = {"uniform": "e.uniform(own, drawn++)", "normal": "normal_of(e, own, drawn)"}
        return [f"const double {member(name)} = {values[name.partition('_')[0]]};" for name in self.rule.draws if name in used]

    def times(self, body: list[str]) -> list[str]:
        """Times that the text uses. Delays are dendritic: the target's spikes count up to `until`."""
        used = words_of(body)
        last = "last = e.last(), from = last - e.delay" if "last" in used else "from = e.last() - e.delay" if "from" in used else ""
        declared = [text for text in (last, "until = e.stamp - e.delay" if "until" in used else "") if text]
        return [f"const auto {', '.join(declared)};"] if declared else []

    def loaded(self) -> list[str]:
        """What the synapse keeps, and what its source gives to all its synapses."""
        lines = []
        for k, v in enumerate(self.variables(self.places.own)):
            lines.append(f"double {member(v.name)} = {self.with_initial(v, f'values[{k}]')};")
        lines += [f"double {name} = {member(v.name)};" for v, name in self.seen.items()]
        lines += ["bool met = false;"] if self.seen and self.places.on_post.statements else []
        for v in self.variables(self.places.slots):
            if self.places.slots[v.name].after_last:
                lines.append(f"const double {self.last[v.name]} = {self.given(v.name)};")
        if self.places.on_post.statements and self.decaying and not self.rule.is_followed:
            lines.append("auto then = from;")
        return lines

    def given(self, name: str) -> str:
        """The value of the source that the synapse gets."""
        return f"e.before->value[{self.places.slots[name].index}]"

    @cached_property
    def last(self) -> dict[str, str]:
        """Locals with variables of the source just after its previous spike."""
        return {name: self.namer.make(f"{member(name)}_last") for name, slot in self.places.slots.items() if slot.after_last}

    @cached_property
    def seen(self) -> dict[Dynamics, str]:
        """Locals with variables of the target that the synapse keeps, as on_pre sees them: before spikes of the target at the same time."""
        found = [v for v in self.variables(self.places.own) if v.kind == "post" and v.name in self.places.on_pre.reads]
        return {v: self.namer.make(f"{member(v.name)}_before") for v in found if self.places.on_post.statements}

    @property
    def decaying(self) -> list[Dynamics]:
        """Variables of the synapse that decay."""
        return [v for v in self.variables(self.places.own) if v.tau is not None]

    def advance(self, span: str) -> list[str]:
        """Decays of what the synapse keeps."""
        return [self.advance_one(v, f"{self.decay(v)}({span})") for v in self.decaying]

    def advance_one(self, v: Dynamics, factor: str) -> str:
        """Of one variable."""
        x = member(v.name)
        return f"{x} *= {factor};" if v.rest is None else f"{x} = {self.decayed(v, x, factor)};"

    def at_post(self) -> list[str]:
        """on_post, for all spikes of the target since the previous spike of the source."""
        done = self.places.on_post
        if not done.statements:
            return self.advance("until - from")
        traces = [name for name in self.places.traces if name in done.reads]
        inner = [*(["together = at == previous ? together + 1.0 : 0.0;", "previous = at;"] if traces else [])]
        inner += [*self.advance("at - then"), *(["then = at;"] if self.decaying else [])]
        inner += self.kept_before()
        inner += self.on_post_at()
        loop = ["auto previous = from;", "double together = 0.0;  // earlier spikes of the target at the same time"] if traces else []
        at = "auto at" if "at" in words_of(inner) else "auto"
        # A first spike of the source meets all before, also where its axonal delay is longer than that of the dendrite.
        first = "happened(last) ? from : decltype(e.last()){}" if self.places.meets_all else "from"
        loop += [f"e.for_post_spikes({first}, until, [&]({at}) {{", *indent(inner), "});"]
        if not self.places.meets_all:
            loop = ["if (happened(last)) {", *indent(loop), "}"]
        lines = ["// on_post", *loop, *self.advance("until - then" if self.decaying else "")]
        return lines + [f"if (!met) {name} = {member(v.name)};" for v, name in self.seen.items()]

    def on_post_at(self) -> list[str]:
        """Statements at a spike of the target."""
        done = self.places.on_post
        trees = [a.value for a in done.statements]
        lines = self.values_at("at", done, "at - from", " + together") + self.time(trees, "at, e.delay") + self.drawn(trees)
        lines += self.seen_at(trees, "at")
        return lines + self.parts(trees) + self.post_statements(self.statements(done.statements, self.declared(done)))

    def post_statements(self, lines: list[str]) -> list[str]:
        """on_post as it is carried out."""
        return lines

    def seen_at(self, trees: list[Expression], time: str) -> list[str]:
        """The variable of the target at the end of a step; none here."""
        return []

    def time(self, trees: list[Expression], at: str) -> list[str]:
        """The time, where expressions use it."""
        used = any(TIME in names(tree) for tree in trees)
        return [f"const double {member(TIME)} = time_ms({at});"] if used else []

    def kept_before(self) -> list[str]:
        """Where a spike of the target is at the same time as that of the source: what on_pre sees."""
        if not self.seen:
            return []
        kept = " ".join(f"{name} = {member(v.name)};" for v, name in self.seen.items())
        return [f"if (at == until && !met) {{ {kept} met = true; }}"]

    def values_at(self, time: str, done: Needed, span: str, more: str) -> list[str]:
        """Variables that are kept elsewhere, at a time."""
        lines = []
        changed = {a.name for a in done.statements}
        for v in self.variables(done.reads):
            value = self.value_at(v, time, span, more)
            if value:
                lines.append(f"{'' if v.name in changed else 'const '}double {member(v.name)} = {value};")
        return lines

    def value_at(self, v: Dynamics, time: str, span: str, more: str) -> str:
        """Its value at a time; "" for one that the synapse keeps itself."""
        if trace := self.places.traces.get(v.name):
            value = f"{POST[trace.index]}->before(e.local, {time}){more}"
            factor = trace.factor and self.constant(trace.factor, f"{v.name}_step")
            return value if factor is None else f"{factor} * ({value})" if more else f"{factor} * {value}"
        slot = self.places.slots.get(v.name)
        if slot is None:
            return ""
        if not slot.after_last:
            return self.given(v.name)
        return self.decayed(v, self.last[v.name], f"{self.decay(v)}({span})" if v.tau is not None else "")

    def at_pre(self) -> list[str]:
        """on_pre."""
        done = self.places.on_pre
        trees = [a.value for a in done.statements]
        lines = self.values_at("until", done, "until - from", "")
        lines += self.time([*trees, self.rule.transmit], "e.stamp") + self.drawn([*trees, self.rule.transmit])
        lines += self.seen_at([*trees, self.rule.transmit], "until") + self.parts(trees, self.renamed)
        lines += self.pre_statements(self.statements(done.statements, self.declared(done), self.renamed))
        return ["// on_pre", *lines] if lines else []

    def pre_statements(self, lines: list[str]) -> list[str]:
        """on_pre as it is carried out."""
        return lines

    @property
    def renamed(self) -> dict[str, str]:
        """What on_pre calls variables of the target that the synapse keeps."""
        return {v.name: name for v, name in self.seen.items()}

    def stored(self) -> list[str]:
        """What the synapse keeps."""
        return [f"values[{k}] = {self.less_initial(v)};" for k, v in enumerate(self.variables(self.places.own))]

    def sent(self) -> list[str]:
        """transmit, with the values after on_pre."""
        tree = self.rule.transmit
        renamed = self.renamed | {part.name: self.namer.make(f"{member(part.name)}_sent") for part in self.made.needed_parts([tree])}
        comment = [] if tree == Name(tree.place, WEIGHT) else [f"// transmit: {text_of(tree)}"]
        return [*self.parts([tree], renamed), *comment, f"return {self.code(tree, renamed)};"]

    # The file

    def text(self) -> str:
        """The whole text."""
        kind = type_name(self.made.name)
        body = [*self.bounds(), *self.source(), *self.send(), *self.state()]
        check = self.check()
        taus = [self.code(tau) for tau in self.places.taus]
        begin = [*self.statics(), *self.members(), "", *self.constructor(kind, taus), *check, *self.helpers(), ""]
        struct = [*self.struct_head(kind), *indent([*begin, *body]), "};"]
        top = ["// SPDX-License-Identifier: Apache-2.0", f"/// {self.made.name}: made from equations.", *self.header()]
        includes = ["#include <algorithm>", "#include <array>", "#include <cmath>", "#include <optional>", "#include <string_view>", ""]
        includes += ['#include "base/error.hpp"', *self.own_headers(), f'#include "{self.driver}"', ""]
        inside = ["namespace npl::synapses {", "namespace {", "", *struct, "", "}  // namespace", "}  // namespace npl::synapses", ""]
        return "\n".join([*top, *includes, *inside, *self.registered(kind)]) + "\n"

    def struct_head(self, kind: str) -> list[str]:
        """The first lines of the struct."""
        return ["template <class Decays>", f"struct {kind} : RuleDefaults {{"]

    def own_headers(self) -> list[str]:
        """Headers of functions that expressions use."""
        more = {'"base/sine.hpp"'} if any(name.startswith("normal") for name in self.rule.draws) else set()
        return sorted(f"#include {header}" for header in {*self.printer.headers, *more, '"base/math.hpp"'} if header.startswith('"'))

    def header(self) -> list[str]:
        """The equations as comments."""
        lines = [f"/// {self.made.lines[v.name]} ({v.kind})" for v in self.rule.variables]
        lines += [f"/// {self.made.lines[part.name]}" for part in self.made.parts]
        for name, done in self.rule.written:
            lines += [f"/// {name}: {'; '.join(map(statement, done))}"] if done else []
        return [*lines, f"/// transmit: {text_of(self.rule.transmit)}"]

    def statics(self) -> list[str]:
        """Sizes, and whether spikes of the target count before the first one of the source."""
        row, own, n = len(self.places.row), len(self.places.own), len(self.made.parameters) + 1
        lines = [f"static constexpr int row_values = {row}, synapse_values = {own};"] if row or own else []
        lines += [f"static constexpr std::size_t most_parameters = {n};"] if n > 16 else []
        tree = self.rule.transmit
        amplifies = not (isinstance(tree, Name) and tree.name == WEIGHT)
        flags = {"random": bool(self.rule.draws), "meets_all": self.places.meets_all, "amplifies": amplifies}
        return lines + [f"static constexpr bool {flag} = true;" for flag, needed in flags.items() if needed]

    def members(self) -> list[str]:
        """Parameters, what follows from them, and decays."""
        own = [member(p.name) for p in self.made.parameters]
        kept = [f"Decays {', '.join(self.decays.values())};"] if self.decays else []
        own += ["step_ms"] if self.keeps_step else []
        return [*unindented(doubles(own)), *unindented(doubles(list(self.derived))), *kept]

    def constructor_head(self, kind: str) -> str:
        """Its name and arguments."""
        return f"{kind}([[maybe_unused]] const double* p, [[maybe_unused]] double dt)"

    def constructor(self, kind: str, taus: list[str]) -> list[str]:
        """From the parameters of a synapse."""
        given = [f"{member(p.name)}(p[{k}])" for k, p in enumerate(self.made.parameters)]
        given += ["step_ms(dt)"] if self.keeps_step else []
        given += [f"{name}({text})" for name, text in self.derived.items()]
        given += [f"{name}({tau}, dt)" for tau, name in self.decays.items()]
        given += self.given_more
        if not taus and not self.given_more and self.places.on_post.statements:
            taus = [number(20.0)]  # of a trace that nothing reads: the spikes of the target are kept with it
        body = [f"{name} = {tau};" for name, tau in zip(("tau_minus", "tau_minus_triplet"), taus, strict=False)]
        body += self.heard()
        head = self.constructor_head(kind)
        rest = [" {", *indent(body), "}"] if body else [" {}"]
        if not given:
            return [head + rest[0], *rest[1:]]
        listed = [f"    {'  ' if k else ': '}{text}{'' if k == len(given) - 1 else ','}" for k, text in enumerate(given)]
        return [head, *listed[:-1], listed[-1] + rest[0], *rest[1:]]

    def bounds(self) -> list[str]:
        """Least and greatest weight."""
        if not self.bounded:
            return []
        low, high = (tree and self.constant(tree, name) for tree, name in ((self.rule.low, "w_low"), (self.rule.high, "w_high")))
        inner = f"math::max(w, {low})" if low else "w"
        lines = [f"double bounded(double w) const {{ return {f'math::min({inner}, {high})' if high else inner}; }}"]
        lines.append(f"WeightBounds weight_bounds() const {{ return {{{low or 'WeightBounds{}.low'}, {high or 'WeightBounds{}.high'}}}; }}")
        if low and high:
            lines.append(f"double largest_weight() const {{ return std::max(std::fabs({low}), std::fabs({high})); }}")
        return [*lines, ""]

    def check(self) -> list[str]:
        """Values that are refused."""
        tests = [(p.name, f"{member(p.name)} == 0.0", "a number other than 0") for p in self.made.parameters if p.not_zero]
        for v in self.rule.variables:
            if v.tau is not None and not self.is_positive(v.tau):
                tests.append((self.blamed(v.tau), f"{self.code(v.tau)} <= 0.0", f"a value with which {v.name} decays"))
        if self.rule.low is not None and self.rule.high is not None and self.blamed(self.rule.high, self.rule.low):
            name = self.blamed(self.rule.high, self.rule.low)
            tests.append((name, f"{self.code(self.rule.high)} < {self.code(self.rule.low)}", "bounds of the weight in order"))
        lines = [f'if ({test}) throw BadParameter("{name}", {member(name)}, {c_text(allowed)});' for name, test, allowed in tests if name]
        lines += self.more_checks()
        if not lines:
            return []
        used = self.made.reached(set().union(*(names(t) for t in self.checked_trees())) | {name for name, _, _ in tests})
        given = [f"const double {member(p.name)} = p[{k}];" for k, p in enumerate(self.made.parameters) if p.name in used]
        fixed = [p for p in self.made.parts if p.name in used and not p.changes]
        given += [f"const double {member(p.name)} = {self.printer.text(p.value, member)};" for p in fixed]
        return ["static void check(const double* p) {", *indent([*given, *lines]), "}"]

    def checked_trees(self) -> list[Expression]:
        """Expressions whose values are checked."""
        taus = [v.tau for v in self.rule.variables if v.tau is not None and not self.is_positive(v.tau)]
        return [*taus, *(tree for tree in (self.rule.low, self.rule.high) if tree is not None)]

    def is_positive(self, tree: Expression) -> bool:
        """Whether the bounds of parameters say so."""
        match tree:
            case Number():
                return tree.value > 0.0
            case Name():
                return any(p.name == tree.name and p.bound == "positive" for p in self.made.parameters)
            case Binary(operator="*" | "/" | "+"):
                return self.is_positive(tree.left) and self.is_positive(tree.right)
        return False

    def blamed(self, *trees: Expression) -> str:
        """The first parameter that these use; "" where there is none."""
        used = self.made.reached(set().union(*(names(tree) for tree in trees)))
        return next((p.name for p in self.made.parameters if p.name in used), "")

    def helpers(self) -> list[str]:
        """Functions that expressions call."""
        found = [line for name, text in HELPERS.items() if name in self.printer.helpers for line in text]
        found += NORMAL if any(name.startswith("normal") for name in self.rule.draws) else []
        return found + (TIME_MS if self.tells_time else [])

    def state(self) -> list[str]:
        """Values that users ask for, after the spikes so far."""
        tests = []
        for where, chosen in (("row", self.places.row), ("own", self.places.own)):
            for k, v in enumerate(self.variables(chosen)):
                tests.append(f'if (name == "{v.name}") return {self.shown(v, self.with_initial(v, f"{where}[{k}]"))};')
        if not tests:
            return []
        arguments = ("std::string_view name", *self.state_places)
        return ["", *function("std::optional<double> state", arguments, [*tests, "return std::nullopt;"], " const")]

    def shown(self, v: Dynamics, value: str) -> str:
        """What users see of a variable."""
        return value

    def registered(self, kind: str) -> list[str]:
        """The entry of the model."""
        doc = self.made.doc or "Synapse from equations."
        fields = [f"    {field_text(p)}," for p in self.made.parameters]
        common = {name for tau in self.places.taus for name in self.made.reached(names(tau))}
        shared = ", ".join(f'"{p.name}"' for p in self.made.parameters if p.name in common)
        name = self.made.name
        begin = [f'NPL_SYNAPSE({name}, {self.maker}<{kind}>("{name}", {c_text(doc)}, {{']
        kept = [f"    {self.state_text(v)}," for v in self.variables([*self.places.row, *self.places.own])]
        end = [f"}}, {{{shared}}}, {{", *kept, "}))"] if kept else [f"}}, {{{shared}}}))"]
        return [*begin, *fields, *self.more_fields, "    axonal_field(),", *end]

    def state_text(self, v: Dynamics) -> str:
        """A variable as the initializer of a Field."""
        first = default_of(self.made, v.initial) if v.initial else 0.0
        return f'{{"{v.name}", {c_text(named(v.unit))}, {number(first)}, "Variable of the equations"}}'


def unindented(lines: list[str]) -> list[str]:
    return [line[2:] for line in lines]
