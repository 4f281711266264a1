# SPDX-License-Identifier: Apache-2.0
"""Neuron models from equations: which integrator they get, their C++ file and their summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.named import named_arguments
from ..errors import bad_parameter, bad_type, nearest
from ..model.catalog import Entry, announced
from ..own_models.loading import load_source
from .binary import BinaryModel, binary_model
from .describing import describe
from .description import Description
from .errors import EquationError, Place, fail
from .exact import exact_file, is_cascade
from .fixed import fixed_step_file
from .linear import NotLinear, rows_of
from .pictures import phase_plane, slopes
from .rates import rates_within
from .solver import rkf45_file
from .trials import StepCheck, fi_curve, plot_fi_curve, step_check
from .units import named
from .values import Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["INTEGRATORS", "NeuronModel", "made_model", "neuron"]

INTEGRATORS = ("auto", "exact", "rkf45", "rk4", "exponential_euler", "euler")
TOLERANCE = 1e-6
METHODS = {
    "exact": "exact integration",
    "rkf45": "the Runge-Kutta-Fehlberg method with a step size per neuron",
    "rk4": "the Runge-Kutta method of fourth order with the time step of the network",
    "exponential_euler": "exponential Euler with the time step of the network",
    "euler": "Euler with the time step of the network",
}
CALCULUS = {
    "euler": "Ito: its factor has the value at the beginning of the step",
    "rk4": "Stratonovich: the limit of noise that is constant within a step",
    "exponential_euler": "Stratonovich where it multiplies the variable of its own equation, else Ito",
}


@dataclass(frozen=True)
class NeuronModel:
    """A neuron model made from equations: see `neuron`.

    Attributes
    ----------
    name
        Of the model.
    source
        The C++ file that the equations became.
    integrator
        "exact", "rkf45", "rk4", "exponential_euler" or "euler".
    reason
        Why it was chosen.
    description
        What the equations were read as.
    """

    name: str
    source: str
    integrator: str
    reason: str
    description: Description

    @property
    def parameters(self) -> dict[str, float]:
        """Default value of each parameter, in its unit."""
        return {p.name: p.default for p in self.description.parameters}

    @property
    def initial(self) -> dict[str, float]:
        """Value of each variable at the beginning, in its unit."""
        states = {x.name: x.initial for x in self.description.program.states if not x.hidden}
        return {v.name: v.initial for v in self.description.variables} | states

    @property
    def units(self) -> dict[str, str]:
        """Unit of each variable and parameter; "" for numbers."""
        made = self.description
        return (
            {v.name: named(v.unit) for v in made.variables}
            | {x.name: x.unit for x in made.program.states}
            | {p.name: p.unit for p in made.parameters}
        )

    @property
    def receptors(self) -> dict[str, str]:
        """Unit of a weight, for each receptor in order."""
        return {r.name: r.unit or "1" for r in self.description.receptors}

    def summary(self) -> str:
        """How the model is solved, and its variables, parameters and receptors with their units, as a text."""
        made = self.description
        lines = [f"{self.name}: {METHODS[self.integrator]} ({self.reason})", ""]
        lines += ["variables", *(f"  {v.name} = {v.initial:g} {named(v.unit)}".rstrip() for v in made.variables)]
        lines += [f"  {x.name} = {x.initial:g} {x.unit}".rstrip() + ", set once per step" for x in made.program.states if not x.hidden]
        lines += ["parameters", *(f"  {p.name} = {p.default:g} {p.unit}".rstrip() for p in made.parameters)]
        none = [] if made.rate else ["receptors", "  none: connections with spikes are refused, as no line has the flag (receptor)"]
        lines += [f"receptors{', by the sign of the weight' * (made.spike_input == 'by_sign')}"] if made.receptors else none
        lines += [
            f"  {k} {r.name}: weight [{r.unit or '1'}] onto {', '.join(e.variable for e in r.effects)}"
            for k, r in enumerate(made.receptors, 1)
        ]
        lines += ["noise that is multiplied by a variable", f"  {CALCULUS[self.integrator]}"] if made.has_multiplicative_noise else []
        return "\n".join([*lines, *self._spikes()])

    def loaded(self) -> Entry:
        """Compiles the source, unless that was done before, and loads it: `Network.create` does it. Raises MissingCompiler, ModelError."""
        return load_source(self.source, f"{self.name}.cpp")

    def slopes(
        self, state: Mapping[str, ArrayLike] = {}, *, current: ArrayLike = 0.0, parameters: Mapping[str, ArrayLike] = {}
    ) -> dict[str, NDArray[np.float64]]:
        """Slope of each variable (its unit per ms) by numpy, for pictures and trials; no noise.

        state, parameters : values (numbers, or arrays of one shape) in the place of `initial` and the defaults; current : of devices (pA)

        Raises BadParameter for an unknown name.
        """
        return slopes(self.description, state, current, parameters)

    def plot_phase_plane(
        self,
        x: tuple[str, float, float],
        y: tuple[str, float, float],
        *,
        state: Mapping[str, ArrayLike] = {},
        current: float = 0.0,
        parameters: Mapping[str, ArrayLike] = {},
        ax: Axes | None = None,
    ) -> Axes:
        """Draws the flow and the nullclines of two variables into `ax`, a new figure when None; returns the axes.

        x, y : name of a variable, least and greatest value; state : values of other variables in the place of `initial`; current : of devices (pA)

        Raises BadParameter for an unknown name; MissingLibrary without matplotlib.
        """
        return phase_plane(self.description, x, y, state, current, parameters, ax)

    def check(
        self, *, current: float = 0.0, duration: float = 200.0, resolution: float = 0.1, parameters: Mapping[str, float] = {}
    ) -> StepCheck:
        """What halving the time step twice changes, of one neuron with a constant current of a device (pA).

        duration : ms; resolution : the largest time step (ms); parameters : values in the place of the defaults

        Raises BadParameter for a model with noise, or a current that no equation has; MissingCompiler, ModelError.
        """
        self.loaded()
        return step_check(self.description, current, duration, resolution, parameters)

    def fi_curve(
        self,
        currents: ArrayLike,
        *,
        duration: float = 1000.0,
        skip: float = 200.0,
        resolution: float = 0.1,
        parameters: Mapping[str, float] = {},
    ) -> NDArray[np.float64]:
        """Rate (Hz) with each constant current of a device (pA), counted for `duration` (ms) after `skip` (ms).

        Raises BadParameter for a model without current; MissingCompiler, ModelError.
        """
        self.loaded()
        return fi_curve(self.description, currents, duration, skip, resolution, parameters)

    def plot_fi_curve(self, currents: ArrayLike, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draws the rate as a function of the current into `ax`, a new figure when None; returns the axes. Options as of `fi_curve`."""
        return plot_fi_curve(self.name, currents, self.fi_curve(currents, **options), ax)

    def _spikes(self) -> list[str]:
        made = self.description
        if made.rate:
            return ["rates", f"  {made.rate} is sent; input: {', '.join(made.rate_inputs) or 'none'}"]
        if made.program.spikes:
            return ["spikes", "  when the statements of a time step send them", *self._held()]
        if made.threshold is None:
            return ["spikes", "  none: no threshold was given"]
        lines = ["spikes", "  when the threshold is passed" if made.on_crossing else "  when the threshold is true"]
        if made.refractory:
            held = ", ".join(made.all_held)
            lines.append(
                f"  none for {made.refractory} after one" + (f", while {held} {'are' if made.also_held else 'is'} held" if held else "")
            )
        return [*lines, *([] if made.takes_current else ["currents of devices are refused: no equation has I_stim or I_e"])]

    def _held(self) -> list[str]:
        held = self.description.all_held
        return [f"  {', '.join(held)} {'are' if len(held) > 1 else 'is'} held while they say so"] if held else []

    def __repr__(self) -> str:
        made = self.description
        return (
            f"NeuronModel({self.name!r}: {', '.join(v.name for v in made.variables)}; {self.integrator}; {len(made.receptors)} receptors)"
        )


@overload
def neuron(
    name: str,
    equations: str,
    *,
    threshold: str | None = None,
    reset: str | None = None,
    refractory: Value | None = None,
    parameters: Mapping[str, Value] = {},
    initial: Mapping[str, Value] = {},
    on_spike: Mapping[str, str] = {},
    rate: str | None = None,
    integrator: str = "auto",
    doc: str = "",
) -> NeuronModel: ...


@overload
def neuron(name: str, *, probability: str, parameters: Mapping[str, Value] = {}, doc: str = "") -> BinaryModel: ...


@named_arguments
def neuron(
    name: str,
    equations: str = "",
    *,
    threshold: str | None = None,
    reset: str | None = None,
    refractory: Value | None = None,
    parameters: Mapping[str, Value] = {},
    initial: Mapping[str, Value] = {},
    on_spike: Mapping[str, str] = {},
    rate: str | None = None,
    probability: str | None = None,
    integrator: str = "auto",
    doc: str = "",
) -> NeuronModel | BinaryModel:
    """A neuron model from equations, as C++ text; docs/howto/own_models.md describes the language.

    Parameters
    ----------
    name
        Of the model: letters, digits and _.
    equations
        A line for each variable, "dV_m/dt = (E_L - V_m)/tau_m + I/C_m : mV", and for each part that has a name, "I = a + b : pA".
        The unit is that of the variable. Spikes arrive at variables with the flag (receptor), or (excitatory) and (inhibitory).
    threshold
        Condition for a spike, such as "V_m > V_th"; None: no spikes.
    reset
        Assignments at a spike, such as "V_m = V_reset; w += b". They may use random_uniform(low, high) and random_normal(mean, deviation).
    refractory
        Name of the parameter with the refractory period (ms), or a time, 2.0 (ms) or "2 ms": the default of a parameter t_ref. Meanwhile
        there are no spikes, and the variable of the threshold that the reset sets is held.
    parameters
        Default values: numbers, or texts with a unit such as "281 pF". Units that are not given follow from the equations.
    initial
        Values of variables at the beginning: numbers or expressions of parameters, for their default values. Others begin with what the
        reset sets, else with 0.
    on_spike
        What spikes do: {"ex": "g += weight*jump"}, or a line "g += weight*jump : on_spike(ex)". Else weights add to the flagged variable.
    rate
        Of a rate neuron: name of the variable that is sent in each step. Its input is I_rate, the sum of weight times rate.
    probability
        Of a binary neuron, without equations: the probability of state 1, as an expression of the input `h` (mV).
    integrator
        "exact", "rkf45", "rk4", "exponential_euler", "euler", or "auto": exact if the equations are linear, else rkf45, or rk4 with random numbers.
    doc
        One sentence on the model.

    Returns
    -------
    NeuronModel
        With the C++ text, `source`, and a `summary()`. For a `probability` a BinaryModel, with `source`, `parameters`, `summary()`.

    Raises
    ------
    EquationError, UnitError, BadParameter, BadType
    """
    check_kind(equations, doc, rate, probability, {"threshold": threshold, "reset": reset, "refractory": refractory, "on_spike": on_spike})
    if probability is not None:
        return announced(binary_model(name, probability, parameters, initial, doc))
    return made_model(describe(name, equations, threshold, reset, refractory, parameters, initial, on_spike, doc, rate=rate), integrator)


def check_kind(equations: str, doc: str, rate: str | None, probability: str | None, spiking: Mapping[str, object]) -> None:
    """A neuron with equations, a rate neuron or a binary neuron. Raises BadParameter, BadType."""
    given = {"rate": rate, "probability": probability}
    for what, value in {"equations": equations, "doc": doc, **{name: text for name, text in given.items() if text is not None}}.items():
        if not isinstance(value, str):
            raise bad_type(what, value, "a text")
    if probability is not None:
        refuse_given("probability", {"equations": equations, "rate": rate, **spiking})
    if rate is not None:
        refuse_given("rate", spiking)


def refuse_given(kind: str, arguments: Mapping[str, object]) -> None:
    """Arguments that have no meaning beside the one of this kind."""
    for name, value in arguments.items():
        if value is not None and value != "" and value != {}:
            raise bad_parameter(name, value, f"left out where {kind} is given")


def made_model(made: Description, integrator: str) -> NeuronModel:
    """The model of a description. Raises EquationError, BadParameter."""
    if integrator not in INTEGRATORS:
        raise bad_parameter("integrator", integrator, f"one of {', '.join(INTEGRATORS)}{nearest(integrator, INTEGRATORS)}")
    chosen, reason = choose(made, integrator)
    return announced(NeuronModel(made.name, source_of(made, chosen, f"{METHODS[chosen]}, {reason}"), chosen, reason, made))


def choose(made: Description, wish: str) -> tuple[str, str]:
    """The integrator and why."""
    if made.rate and made.noise not in ((), ("xi",)):
        raise bad_parameter("equations", ", ".join(made.noise), "one source of noise, xi, in a rate neuron")
    if wish == "rkf45" and made.rate:
        raise bad_parameter("integrator", wish, "exact, exponential_euler, rk4 or euler for a rate neuron")
    if wish not in ("auto", "exact"):
        if wish == "rkf45" and made.chance:
            raise bad_parameter(
                "integrator", wish, f"rk4, exponential_euler or euler, as there is {made.chance} (or exact, if the equations are linear)"
            )
        return wish, "as asked"
    try:
        if made.after:
            raise NotLinear(f"{made.after[0].name} is set at the end of each step")
        rows_of(made)
    except NotLinear as why:
        if wish == "exact":
            refuse(why, "exact integration needs linear equations")
        if made.rate:
            return "exponential_euler" if is_linear_in_own(made) else "rk4", f"a rate neuron; {why.why}"
        return ("rk4", f"{made.chance}; {why.why}") if made.chance else ("rkf45", why.why)
    if not made.variables:
        return "exact", "no differential equations"
    return "exact", "linear, with propagators in closed form" if is_cascade(made) else "linear, with a matrix exponential"


def is_linear_in_own(made: Description) -> bool:
    """Whether each equation is linear in its own variable."""
    try:
        return bool(rates_within(made))
    except NotLinear:
        return False


def refuse(why: NotLinear, problem: str) -> None:
    place = why.place or Place("equations", 1, 1, "")
    fail(place, f"{problem}: {why.why}", EquationError)


def source_of(made: Description, integrator: str, how: str) -> str:
    try:
        if integrator == "exact":
            return exact_file(made, how)
        if integrator == "rkf45":
            return rkf45_file(made, TOLERANCE, how)
        return fixed_step_file(made, integrator, how)
    except NotLinear as why:
        refuse(why, f"{integrator} needs equations that are linear in their own variable")
        raise
