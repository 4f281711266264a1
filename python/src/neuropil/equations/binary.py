# SPDX-License-Identifier: Apache-2.0
"""Binary neurons (Ginzburg & Sompolinsky 1994) from an expression: the probability of state 1 as a function of the input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from ..errors import bad_parameter
from ..model.catalog import Entry
from ..own_models.loading import load_source
from .describing import describe
from .description import Parameter
from .errors import fail
from .expressions import Expression, Name, names, text_of, walk
from .frame import field_text, type_name
from .names import cpp_name, is_noise
from .parsing import read_expression
from .printing import HELPERS, Printer, c_text
from .values import Value

__all__ = ["BinaryModel", "binary_model"]

INPUT = "h"


@dataclass(frozen=True)
class BinaryModel:
    """A binary neuron: see `neuron`.

    Attributes
    ----------
    name
        Of the model.
    source
        Its C++ file.
    parameters
        Default value of each parameter, in its unit.
    probability
        Of state 1, as an expression of the input `h` (mV).
    units
        Unit of each parameter; "" for numbers.
    """

    name: str
    source: str
    parameters: Mapping[str, float]
    probability: str = ""
    units: Mapping[str, str] = field(default_factory=dict)

    def summary(self) -> str:
        """How the state is chosen, and the parameters with their units, as a text."""
        lines = [
            f"{self.name}: a neuron with the states 0 and 1, updated at random times, on average every tau_m",
            "",
            "probability of state 1",
            f"  {self.probability}",
            "input",
            f"  {INPUT}: sum of the weights of active sources and the current of devices [mV]",
            "parameters",
            *(f"  {name} = {value:g} {self.units[name]}".rstrip() for name, value in self.parameters.items()),
        ]
        return "\n".join(lines)

    def check(self, **_: object) -> NoReturn:
        """Raises BadParameter: a binary neuron has no differential equation, so its results do not depend on a solver."""
        raise bad_parameter("check", self.name, "called for a model with differential equations: a binary neuron has no solver to compare")

    def loaded(self) -> Entry:
        """Compiles the source, unless that was done before, and loads it: `Network.create` does it. Raises MissingCompiler, ModelError."""
        return load_source(self.source, f"{self.name}.cpp")


def binary_model(name: str, probability: str, parameters: Mapping[str, Value], initial: Mapping[str, Value], doc: str) -> BinaryModel:
    """The model of `neuron(name, probability=...)`. Raises EquationError, UnitError, BadParameter, BadType."""
    if initial:
        raise bad_parameter("initial", initial, "left out where probability is given")
    if isinstance(parameters, Mapping) and (taken := [each for each in (INPUT, "tau_m") if each in parameters]):
        raise bad_parameter("parameters", taken[0], f"another name: {taken[0]} is known in all binary neurons")
    tree = read_expression(probability, "probability")
    for node in walk(tree):
        if isinstance(node, Name) and is_noise(node.name):
            fail(node.place, "white noise may stand in differential equations only")
    # The input as a variable, and the probability as a part: names and units are checked as those of equations are.
    lines = f"d{INPUT}/dt = -{INPUT}/ms : mV (receptor)\nprobability = {text_of(tree)} : 1"
    made = describe(name, lines, None, None, None, parameters, {}, {}, doc)
    (part,) = made.parts
    if other := sorted(names(part.value) - {INPUT} - {p.name for p in made.parameters}):
        raise bad_parameter("probability", other[0], f"an expression of {INPUT} and parameters")
    source = source_of(name, doc, part.value, made.parameters)
    values, units = {p.name: p.default for p in made.parameters}, {p.name: p.unit for p in made.parameters}
    return BinaryModel(name, source, {"tau_m": 10.0, **values}, text_of(tree), {"tau_m": "ms", **units})


def source_of(name: str, doc: str, tree: Expression, parameters: Sequence[Parameter]) -> str:
    """The C++ file, of the form that built-in binary neurons have (cpp/model/binary.hpp)."""
    printer, struct = Printer(), type_name(name)
    text = printer.text(tree, lambda used: "input" if used == INPUT else f"p.{cpp_name(used)}")
    fields = [f"    Field{field_text(each)}," for each in parameters]
    helpers = [f"  {line}" for helper, lines in HELPERS.items() if helper in printer.helpers for line in lines]
    headers = sorted({"<array>"} | {each for each in printer.headers if each.startswith("<")})
    own = sorted({'"model/binary.hpp"', '"model/step.hpp"'} | {each for each in printer.headers if each.startswith('"')})
    unused = "" if INPUT in names(tree) else "[[maybe_unused]] "
    return "\n".join(
        [
            "// SPDX-License-Identifier: Apache-2.0",
            f"/// {name}: a binary neuron made from an expression.",
            *(f"#include {each}" for each in headers),
            "",
            *(f"#include {each}" for each in own),
            "",
            "namespace npl::model {",
            "",
            f"struct {struct}Gain {{",
            "  struct Params {",
            *([f"    double {', '.join(cpp_name(each.name) for each in parameters)};"] if parameters else []),
            "  };",
            *(
                ["  static constexpr std::array parameters{", *fields, "  };"]
                if parameters
                else ["  static constexpr std::array<Field, 0> parameters{};"]
            ),
            *helpers,
            f"  /// {text_of(tree)}",
            f"  NPL_STEP static double probability({unused}double input, [[maybe_unused]] const Params& p) {{ return {text}; }}",
            "};",
            "",
            f"struct {struct} : Binary<{struct}Gain> {{",
            f'  static constexpr const char* name = "{name}";',
            f"  static constexpr const char* doc = {c_text(doc or 'Neuron with two states, chosen at random times, from an expression.')};",
            "};",
            "",
            "}  // namespace npl::model",
            "",
            '#include "nodes/update.hpp"',
            "",
            f"NPL_NEURON({name}, {struct})",
            "",
        ]
    )
