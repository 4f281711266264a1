# SPDX-License-Identifier: Apache-2.0
"""The language of equations: what is read, what is refused and how, and that nothing but its trees reaches C++."""

import re
import subprocess
from fractions import Fraction

import pytest
from examples.published_models import MODELS
from hypothesis import example, given, settings
from hypothesis import strategies as st

from architecture.sources import CPP
from equations.compiled import COMPILER, FLAGS
from neuropil.equations import EquationError, NeuronModel, UnitError, neuron, synapse_model
from neuropil.equations.expressions import FUNCTIONS, text_of
from neuropil.equations.names import cpp_name, forbidden
from neuropil.equations.parsing import read_expression, read_lines, read_quantity
from neuropil.equations.units import SYMBOLS, Solver, Unit, named, power, times, unknown
from neuropil.errors import BadParameter, BadType, NeuropilError

LIF = {
    "equations": "dV_m/dt = (E_L - V_m)/tau_m + I_e/C_m : mV (receptor)",
    "threshold": "V_m >= V_th",
    "reset": "V_m = V_reset",
    "refractory": "t_ref",
    "parameters": {"C_m": 250.0, "tau_m": 10.0, "E_L": -70.0, "I_e": 0.0, "V_th": -55.0, "V_reset": -70.0, "t_ref": 2.0},
}


def lif(**changed):
    given = LIF | {name: value for name, value in changed.items() if name != "parameters"}
    return neuron("lif", **given | {"parameters": LIF["parameters"] | changed.get("parameters", {})})


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("-x**2", "-x**2"),
        ("(-x)**2", "(-x)**2"),
        ("2**-x**3", "2**(-x**3)"),
        ("a - (b - c)", "a - (b - c)"),
        ("a/(b*c)/d", "a / (b * c) / d"),
        ("not a > b and (c < d or e == f)", "not a > b and (c < d or e == f)"),
        ("((a + b))*+c", "(a + b) * c"),
        ("where(a > 1e-3, exp(b), .5)", "where(a > 0.001, exp(b), 0.5)"),
    ],
)
def test_expressions_keep_their_meaning(text, shown):
    assert text_of(read_expression(text, "text")) == shown
    assert read_expression(shown, "text") == read_expression(text, "text")


def test_lines_may_be_broken_within_parentheses_and_have_comments():
    (line, other) = read_lines("# adaptation\n dw/dt = (a  # nS\n    - w)/tau : pA/ms ; x = 3 : 1/(mV*ms) (parameter)\n")
    assert (line.name, line.derivative, text_of(line.value), named(line.unit)) == ("w", True, "(a - w) / tau", "pA/ms")
    assert (other.name, other.flags, named(other.unit)) == ("x", ("parameter",), "1/(mV*ms)")


@pytest.mark.parametrize(
    ("equations", "message", "line", "column"),
    [
        ("dV_m/dt = (E_L - V_m/tau_m : mV", "':' where ')' to close the parenthesis is needed", 1, 28),
        ("\ndV_m/dt = E_L $ V_m", "'$' is no part of the language", 2, 15),
        ("dV_m/dt = foo(V_m) : mV", "unknown function 'foo'", 1, 11),
        ("dV_m/dt = V_m^2 : mV", "'**' is needed for a power", 1, 14),
        ("dV_m/dt = (E_l - V_m)/tau_m : mV (receptor)", "unknown name 'E_l' (nearest: E_L)", 1, 12),
        ("dV_m/dt = (E_L - V_m)/tau_m : volt", "unknown unit 'volt'", 1, 31),
        ("dV_m/dt = (E_L - V_m)/tau_m : mV (recepter)", "unknown flag 'recepter' (nearest: receptor", 1, 35),
        ("dV_m/dt = (E_L - V_m)/tau_m : mV (receptor)\nV_m = 3", "'V_m' is defined twice", 2, 1),
        ("dV_m/dt = a < b < c", "cannot be chained", 1, 17),
        ("dV_m/dt = E_L > V_m : mV (receptor)", "where a number is needed", 1, 15),
        ("dV_m/dt = where(E_L, 1, 2)*mV/ms : mV (receptor)", "where a condition such as a > b is needed", 1, 17),
        ("dV_m/dt = (E_L - V_m)/tau_m : s", "must be made of mV, ms, pA", 1, 1),
        ("dV_m/dt = (E_L - V_m)/ms : mV (receptor)\nx = y : mV\ny = x : mV", "these lines depend on each other", 2, 1),
        ("x = 3 : mV", "no differential equation", 1, 1),
        ("dV_m/dt = (E_L - V_m)/ms : mV (excitatory)", "no line has the flag (inhibitory)", 1, 1),
        ("x/dt = 3 : mV", "where the derivative of a variable is needed", 1, 1),
        ("dV_m/dt = 1e999 : mV", "too large", 1, 11),
        ("dV_m/dt = (E_L - V_m)/0/tau_m : mV (receptor)", "division by 0", 1, 22),
        ("dV_m/dt = (E_L - V_m)/(2*ms - 2*ms) : mV (receptor)", "division by 0", 1, 22),
        ("dV_m/dt = (E_L - V_m)/tau_m*exp(1000) : mV (receptor)", "'exp(1000)' is not a finite number", 1, 29),
        ("dV_m/dt = log(0)*mV/tau_m : mV (receptor)", "'log(0)' is not a finite number", 1, 11),
        ("dV_m/dt = (E_L - V_m)/tau_m : mV (receptor)\nC = 1/0 : pF (parameter)", "division by 0", 2, 6),
        ("dV_m/dt = pow(2) : mV", "pow has 1 arguments, needs 2", 1, 11),
        ("ddouble/dt = xi*mV/sqrt(ms) : mV (receptor)\ny = xi", "white noise may stand in differential equations only", 2, 5),
    ],
)
def test_errors_show_the_place(equations, message, line, column):
    with pytest.raises(EquationError, match=re.escape(message)) as caught:
        neuron("m", equations, parameters={"E_L": -70.0, "tau_m": 10.0})
    error = caught.value
    assert (error.part, error.line, error.column) == ("equations", line, column)
    shown, caret = str(error).split("\n")[-2:]
    assert shown == f"    {equations.split(chr(10))[line - 1]}"
    assert caret.index("^") == column + 3


@pytest.mark.parametrize(
    "equations",
    [
        f"dV_m/dt = {'(' * 5000}V_m{')' * 5000}/tau_m : mV (receptor)",
        f"dV_m/dt = -V_m/tau_m{' ' * 5000}$ : mV (receptor)",
        f"dV_m/dt = -{'V' * 5000}/tau_m : mV (receptor)",
        f"dV_m/dt = -V_m/tau_m + {'9' * 5000} : mV (receptor)",
        f"dV_m/dt = -V_m/tau_m + {'0+' * 100}1/0 : mV (receptor)",
    ],
)
def test_of_a_long_line_the_part_around_the_place_is_shown(equations):
    with pytest.raises(EquationError) as caught:
        neuron("m", equations, parameters={"tau_m": 10.0})
    problem, shown, caret = str(caught.value).split("\n")
    assert max(len(problem), len(shown), len(caret)) < 130
    at, column = caret.index("^"), caught.value.column - 1
    assert shown[at : at + 5].rstrip(".") == equations[column : column + 5][: len(shown[at : at + 5].rstrip("."))]
    assert shown.endswith("...") == (len(equations) - column > 110)


def test_of_a_long_argument_the_beginning_is_shown():
    with pytest.raises(BadParameter) as caught:
        lif(refractory="t" * 5000)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"equations": "dV_m/dt = (E_L - V_m)/tau_m + I_e/C_m : pA (receptor)"},
            "both sides of '-' need the same unit: 'E_L' has [mV], 'V_m' has [pA]. Units by name: E_L [mV]",
        ),
        (
            {"equations": "dV_m/dt = (E_L - V_m) + I_e/C_m + 0*tau_m : mV (receptor)"},
            "both sides of '+' need the same unit: 'E_L - V_m' has [mV], 'I_e / C_m' has [mV/ms]",
        ),
        ({"equations": "dV_m/dt = (E_L - exp(V_m)*mV)/tau_m + I_e/C_m : mV (receptor)"}, "the argument of exp has [1]"),
        ({"equations": "dV_m/dt = (E_L - V_m**tau_m*mV)/tau_m + I_e/C_m : mV (receptor)"}, "an exponent has [1], but 'tau_m' has [ms]"),
        ({"threshold": "V_m >= t_ref"}, "'t_ref' has [ms]"),
        ({"threshold": "V_m >= 3"}, "both sides of '>=' need the same unit: 'V_m' has [mV], '3' has [1]"),
        ({"reset": "V_m = tau_m"}, "V_m has [mV], but 'tau_m' has [ms]"),
        ({"parameters": {"C_m": "250 nS"}}, "both sides of '+'"),
        ({"initial": {"V_m": "tau_m"}}, "V_m has [mV]"),
        ({"on_spike": {"V_m": "V_m += weight*weight"}}, "proportional to weight"),
        ({"reset": "V_m = V_reset; V_m *= E_L"}, "what *= takes has [1]"),
    ],
)
def test_units_are_checked(changed, message):
    with pytest.raises((UnitError, BadParameter, EquationError), match=re.escape(message)) as caught:
        lif(**changed)
    assert isinstance(caught.value, UnitError) or "weight" in message


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"parameters": {"foo": 1.0}}, BadParameter, "a name that the equations, the threshold or the reset use"),
        ({"parameters": {"C_m": 0.0}}, BadParameter, "> 0"),
        ({"parameters": {"t_ref": -1.0}}, BadParameter, ">= 0"),
        ({"parameters": {"C_m": float("nan")}}, BadParameter, "a finite number"),
        ({"parameters": {"C_m": True}}, BadType, "a number"),
        ({"parameters": {"V_m": 1.0}}, BadParameter, "do not define themselves"),
        ({"parameters": {"I_stim": 1.0}}, BadParameter, "the current of devices"),
        ({"parameters": {"a;b": 1.0}}, BadParameter, "letters, digits"),
        ({"refractory": "tref"}, BadParameter, "the name of a parameter (nearest: t_ref)"),
        ({"refractory": "tref"}, BadParameter, "or a time such as 2.0 (ms) or '2 ms'"),
        ({"refractory": "E_L"}, BadParameter, "a time [ms]"),
        ({"refractory": 2.0}, BadParameter, "'t_ref', as the model has a parameter or line of this name"),
        ({"refractory": "2 mV"}, BadParameter, "a time, such as '2 ms'"),
        ({"refractory": -2.0}, BadParameter, ">= 0"),
        ({"refractory": float("inf")}, BadParameter, "a finite number"),
        ({"refractory": True}, BadType, "a number"),
        ({"threshold": None, "reset": None}, BadParameter, "left out where there is no threshold"),
        ({"threshold": None}, BadParameter, "left out where there is no threshold"),
        ({"threshold": "V_m >= V_th + I_stim*GOhm"}, EquationError, "in differential equations only"),
        ({"threshold": "V_m + E_L"}, EquationError, "where a condition"),
        ({"threshold": 3}, BadType, "a text"),
        ({"reset": "V_n = V_reset"}, EquationError, "'V_n' is no variable with a derivative (nearest: V_m)"),
        ({"reset": "V_m == V_reset"}, EquationError, "is needed"),
        ({"initial": {"V": 1.0}}, BadParameter, "a variable with a derivative (nearest: V_m)"),
        ({"initial": {"V_m": "V_m"}}, EquationError, "'V_m' is no parameter"),
        ({"on_spike": {"V_m": "V_m = weight"}}, EquationError, "'+=' or '-=' is needed"),
        ({"on_spike": {"V_m": "V_m += weight + E_L"}}, EquationError, "proportional to weight"),
        ({"integrator": "rk5"}, BadParameter, "nearest: rkf45, rk4"),
        ({"equations": 3}, BadType, "a text"),
        (
            {"integrator": "exact", "equations": LIF["equations"].replace("V_m)", "V_m**2/mV)")},
            EquationError,
            "exact integration needs linear",
        ),
        (
            {"integrator": "exponential_euler", "equations": LIF["equations"].replace("V_m)", "V_m**2/mV)")},
            EquationError,
            "not linear in V_m",
        ),
        (
            {"integrator": "rkf45", "equations": "dV_m/dt = (E_L - V_m)/tau_m + I_e/C_m + xi*mV/ms**0.5 : mV (receptor)"},
            BadParameter,
            "noise",
        ),
    ],
)
def test_what_cannot_be_is_refused_by_name(changed, error, message):
    with pytest.raises(error, match=re.escape(message)):
        lif(**changed)


@pytest.mark.parametrize("name", ["iaf_psc_exp", "stdp_synapse"])
def test_names_of_built_in_models_are_refused_at_once(name):
    for make in (
        lambda: neuron(name, "dV_m/dt = -V_m/ms : mV (receptor)"),
        lambda: neuron(name, probability="1/(1 + exp(-h/mV))"),
        lambda: synapse_model(name, "dx/dt = -x/ms (pre)", on_pre="w += x; x += 1"),
    ):
        with pytest.raises(BadParameter, match=f"another name: {name} is a built-in"):
            make()


def test_names_of_models_are_checked():
    for name in ("a b", "3a", "exp", "mV", "a__b", "a_", "_a", "x" * 61, 'a"', "é", ""):
        with pytest.raises(BadParameter, match="name = "):
            neuron(name, **LIF)
    with pytest.raises(BadType):
        neuron(3, **LIF)


@pytest.mark.parametrize("refractory", [2.0, 2, "2 ms", " 2ms", "0.002 s"])
def test_refractoriness_as_a_time_is_the_parameter_t_ref(refractory):
    parameters = {name: value for name, value in LIF["parameters"].items() if name != "t_ref"}
    model = neuron("lif", **LIF | {"refractory": refractory, "parameters": parameters})
    assert (model.parameters["t_ref"], model.units["t_ref"]) == (2.0, "ms")
    assert model.source == lif().source


def test_units_of_parameters_follow_from_the_equations():
    model = lif()
    assert model.units == {"V_m": "mV", "C_m": "pF", "tau_m": "ms", "E_L": "mV", "I_e": "pA", "V_th": "mV", "V_reset": "mV", "t_ref": "ms"}
    assert model.receptors == {"V_m": "mV"}
    with pytest.raises(UnitError, match="does not follow from the equations: give it with the value, as in a='1 mV'"):
        neuron("m", "dx/dt = -x*a/b/ms : mV (receptor)", parameters={"a": 1.0, "b": 1.0})


def test_parameters_of_other_units_are_converted_in_the_equations():
    model = neuron("m", "dx/dt = -rate*x : mV (receptor)", parameters={"rate": "20 Hz"})
    assert model.units["rate"] == "Hz"
    assert "decay(h, 1000.0 / p.rate)" in model.source
    assert neuron("m", "dx/dt = -rate*x : mV (receptor)\nrate = 20 : Hz (parameter)").source == model.source
    assert read_quantity("-3.5e2 1/(ms*mV)", "x") == (-350.0, Unit({"ms": -1, "mV": -1}), 1.0)


def test_weights_have_units():
    model = neuron(**{"name": "m"} | MODELS["eq_psc_alpha"])
    assert model.receptors == {"excitatory": "pA", "inhibitory": "pA"}
    both = neuron("m", "dg/dt = -g/ms : nS (receptor)\ndx/dt = -x/ms : 1", on_spike={"nmda": "x += weight/(3*pA); x -= weight*x/pA"})
    assert both.receptors == {"g": "nS", "nmda": "pA"}


SPIKES = "dV_m/dt = (g*(E_L - V_m)/nS + E_L - V_m)/tau_m : mV\ndg/dt = -g/tau_m : nS\ndx/dt = (1 - x)/tau_m : 1\n"


def test_a_line_may_say_what_spikes_add():
    """As the argument on_spike does."""
    given = {"parameters": {"E_L": -70.0, "tau_m": 10.0}}
    lines = "g += weight*x : on_spike(ex)\nx -= 0.2*weight/nS : on_spike(ex)\ng += 2*weight : on_spike(other)"
    expected = neuron("m", SPIKES, on_spike={"ex": "g += weight*x; x -= 0.2*weight/nS", "other": "g += 2*weight"}, **given)
    model = neuron("m", SPIKES + lines, **given)
    assert model.source == expected.source
    assert model.receptors == {"ex": "nS", "other": "nS"}
    mixed = neuron(
        "m", SPIKES + "g += weight*x : on_spike(ex); x -= 0.2*weight/nS : on_spike(ex)", on_spike={"other": "g += 2*weight"}, **given
    )
    assert set(mixed.receptors) == {"ex", "other"}
    with pytest.raises(BadParameter, match=r"the equations have a line on_spike\(ex\)"):
        neuron("m", SPIKES + lines, on_spike={"ex": "g += weight"}, **given)


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("g += weight", 12, "where ':' and on_spike(receptor), as spikes add this, is needed"),
        ("g += weight : nS", 15, "'nS' where 'on_spike' and a receptor in parentheses is needed"),
        ("g += weight : on_spike", 23, "where '(' after on_spike is needed"),
        ("g += weight*weight : on_spike(ex)", 12, "proportional to weight"),
        ("V_x += weight : on_spike(ex)", 1, "'V_x' is no variable with a derivative"),
    ],
)
def test_lines_of_spikes_are_checked(line, column, message):
    with pytest.raises(EquationError, match=re.escape(message)) as caught:
        neuron("m", SPIKES + line, parameters={"E_L": -70.0, "tau_m": 10.0})
    assert (caught.value.line, caught.value.column) == (4, column)


def test_conductances_grow_by_the_size_of_negative_weights():
    text = "dg/dt = -g/ms : {0} (excitatory)\ndi/dt = -i/ms : {0} (inhibitory)"
    assert "s.i -= in.spikes[1];" in neuron("m", text.format("nS"), integrator="rk4").source
    assert "s.i += in.spikes[1];" in neuron("m", text.format("pA"), integrator="rk4").source


def test_current_of_devices():
    assert "(d.I_e + current)" in neuron("m", "dV/dt = (V**2/mV + I_e/nS)/ms : mV (receptor)", parameters={"I_e": 0.0}).source
    text = "dV/dt = (V**2/mV + (I_e + I_stim)/nS)/ms : mV (receptor)"
    assert "(d.I_e + current)" in neuron("m", text, parameters={"I_e": 0.0}).source
    assert "currents of devices are refused" in neuron("m", "dV/dt = -V/ms : mV (receptor)", threshold="V > 3*mV").summary()


@pytest.mark.parametrize(
    ("integrator", "equations", "chosen", "reason"),
    [
        ("auto", LIF["equations"], "exact", "linear, with propagators in closed form"),
        ("auto", LIF["equations"] + "\ndx/dt = (V_m - x)/tau_m : mV", "exact", "linear, with a matrix exponential"),
        ("auto", LIF["equations"].replace("V_m)", "V_m**2/mV)"), "rkf45", "V_m**2 is not linear"),
        ("auto", LIF["equations"].replace("V_m)", "V_m**2/mV + xi*mV*sqrt(ms))"), "rk4", "noise; V_m**2 is not linear"),
        ("auto", LIF["equations"].replace("V_m)", "V_m*V_m/mV)"), "rkf45", "dV_m/dt has the term V_m**2"),
        ("rk4", LIF["equations"], "rk4", "as asked"),
    ],
)
def test_the_integrator_and_why(integrator, equations, chosen, reason):
    model = lif(integrator=integrator, equations=equations)
    assert (model.integrator, model.reason) == (chosen, reason)
    assert model.summary().startswith("lif: ")
    assert reason in model.summary()
    assert repr(model).startswith("NeuronModel('lif': V_m")


def test_sources_repeat():
    for name, arguments in MODELS.items():
        assert neuron(name, **arguments).source == neuron(name, **arguments).source


# Units

UNITS = st.dictionaries(st.sampled_from(["mV", "ms", "pA", "mM"]), st.integers(-8, 8).map(lambda n: Fraction(n, 2))).map(Unit)


@given(UNITS, UNITS, st.integers(1, 4))
def test_units_are_a_group(a, b, n):
    assert times(a, b) == times(b, a)
    assert times(a, power(a, -1)) == Unit()
    assert power(times(a, b), n) == times(power(a, n), power(b, n))


@given(UNITS)
def test_names_of_units_are_read_back(unit):
    text = named(unit) or "1"
    _, found, factor = read_quantity(f"1 {text}", "unit")
    assert (found, factor) == (unit, 1.0)


@pytest.mark.parametrize("unit", ["mV/ms**0.5", "mV/ms^0.5", "mV/sqrt(ms)", "sqrt(mV**2/ms)"])
def test_units_may_have_square_roots(unit):
    process = "dx/dt = -x/tau + sigma*xi : mV (receptor)"
    given = neuron("ou", process, parameters={"tau": 10.0, "sigma": f"1 {unit}"})
    assert given.units["sigma"] == "mV/ms**0.5"
    assert given.source == neuron("ou", process, parameters={"tau": 10.0, "sigma": "1 mV/ms**0.5"}).source


@pytest.mark.parametrize("exponent", ["0.25", "10", "1e999999999", "x"])
def test_powers_of_units_are_halves(exponent):
    with pytest.raises(EquationError, match=r"a number from 0 to 9 in steps of 0\.5"):
        read_quantity(f"1 mV**{exponent}", "unit")


@given(UNITS, UNITS, st.integers(1, 3))
def test_an_unknown_unit_is_found_from_one_equation(a, b, n):
    solver = Solver()
    assert solver.same(times(power(unknown("x"), n), a), b)
    assert times(power(solver.resolved(unknown("x")), n), a) == b
    assert solver.same(unknown("x"), unknown("y"))
    assert solver.same(unknown("y"), times(unknown("x"), Unit({"mV": 1}))) is False


# Whatever is written

ALPHABET = [
    "d",
    "V",
    "V_m",
    "dV_m/dt",
    "dx/dt",
    "=",
    " ",
    "\n",
    ";",
    ":",
    "(",
    ")",
    "+",
    "-",
    "*",
    "/",
    "**",
    "<",
    ">=",
    "==",
    "!=",
    ",",
    "^",
    "#",
]
ALPHABET += [
    *FUNCTIONS,
    *SYMBOLS,
    "and",
    "or",
    "not",
    "xi",
    "I_stim",
    "I_e",
    "weight",
    "1",
    "0",
    ".5",
    "2e3",
    "1e400",
    "E_L",
    "tau",
    "receptor",
]
ALPHABET += [
    "excitatory",
    "parameter",
    "_",
    "__import__",
    '"',
    "'",
    "\\",
    "}",
    "{",
    "//",
    "/*",
    "*/",
    "?",
    "\t",
    "µ",
    "é",
    "\x00",
    "[0]",
    "#include <a>",
    "0x1p3",
    "x.y",
]
TEXTS = st.lists(st.sampled_from(ALPHABET), max_size=40).map("".join)
TERMS = st.recursive(
    st.sampled_from(["x", "y", "tau", "E_L", "1", "2.5", "xi", "I_stim", "mV", "ms"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "**"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from(["exp", "sqrt", "tanh", "abs", "exprel"]), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(inner, inner, inner).map(lambda t: f"where({t[0]} > {t[1]}, {t[1]}, {t[2]})"),
    ),
    max_leaves=12,
)
WORDS = {"SPDX", "License", "Identifier", "Apache"}


def tokens_of(source):
    return set(re.findall(r"[A-Za-z_]\w*", re.sub(r'"[^"\n]*"|//[^\n]*', "", source)))


# Words of any generated file; users' names are added.
FRAME = set().union(
    *(
        tokens_of(neuron("m", text, integrator=integrator).source)
        for text in ("dx/dt = -x/ms : 1 (receptor)", "dx/dt = -x/ms + y/ms : 1 (receptor)\ndy/dt = x/ms + xi/sqrt(ms) + I_stim/pA/ms : 1")
        for integrator in ("auto", "rk4", "euler", "exponential_euler")
    ),
    tokens_of(neuron("m", "dx/dt = -x**2/ms : 1 (receptor)", integrator="rkf45").source),
    tokens_of(neuron("m", "dx/dt = -x*mV/(ms*E_L) : 1 (receptor)", parameters={"E_L": "1 mV"}).source),  # a check of a divisor
)
MATH = {"math", "detail", "floor", "dt", "choose", "cmath", "std", "exp", "expm1", "log", "log1p", "sqrt", "abs", "sin", "cos", "tanh", "exprel", "per_exprel", "pow", "min", "max", "squared", "cubed", "algorithm", "size", "t", "e", "decay", "approach", "exp_propagator", "alpha_propagator", "whole_steps", "fired", "crossed",
        "fire", "held", "free", "free_at", "above", "check", "Forbidden", "Bound", "positive", "non_negative", "SaneRange", "sane_potential", "sane", "by_sign",
        "ports", "refractory", "refractory_steps", "accepted", "advance", "advanced", "noise", "base", "sine", "hpp", "k", "p"}  # fmt: skip
OWN = {"x", "y", "tau", "E_L", "V", "V_m", "d", "V_th", "I_e"}


def injected(source):
    """Words of the code that are neither of the frame, nor functions, nor made of the user's names."""
    made = re.compile(rf"(?:[PQR]|per|gain|jump|held|rise|noise|constant|factor|dt|k)?(?:_?(?:{'|'.join(OWN)}|inf|1|\d+|sixth|root_h))*_?")
    return {word for word in tokens_of(source) - FRAME - MATH if not made.fullmatch(word)}


@settings(max_examples=400, deadline=None)
@given(TEXTS, TEXTS)
@example("dx/dt = -x/ms : 1 (receptor)", 'x > 1); system("ls"')
@example("dx/dt = __import__('os')", "x > 1")
@example("((((((((((((((((((((((((", "x")
def test_any_text_is_read_or_refused(equations, threshold):
    for text, condition in ((equations, None), (f"dV/dt = -V/ms : mV (receptor)\n{equations}", threshold)):
        try:
            model = neuron("m", text, threshold=condition, parameters={})
        except NeuropilError:
            continue
        assert isinstance(model, NeuronModel)
        assert injected(model.source) == set()


@settings(max_examples=300, deadline=None)
@given(TERMS, TERMS, st.sampled_from(["auto", "rk4", "exponential_euler", "euler", "rkf45"]))
def test_any_terms_are_written_or_refused(first, second, integrator):
    text = f"dx/dt = ({first})*0 - x/ms : 1 (receptor)\ndy/dt = 0*({second}) : mV"
    try:
        model = neuron("m", text, integrator=integrator, parameters={"tau": "2 ms", "E_L": "1 mV"})
    except NeuropilError:
        return
    assert injected(model.source) == set()
    code = re.sub(r'"[^"\n]*"|//[^\n]*', "", model.source)
    assert code.count("(") == code.count(")")
    assert code.count("{") == code.count("}")


def test_doc_is_a_text_and_nothing_else():
    source = lif(doc='a "quote" \\ and\n#include <x>\r\n // */ ü').source
    (line,) = [line for line in source.splitlines() if " doc = " in line]
    assert line.endswith('doc = "a \\"quote\\" \\\\ and #include <x>   // */ ü";')


def models_with_names(words):
    """All words as parameters, as parts of both kinds and as variables."""
    given = dict.fromkeys(words, "1 1")
    sums = [f"sum{k} = {' + '.join(words[k : k + 60])} : 1" for k in range(0, len(words), 60)]
    total = " + ".join(line.split(" = ")[0] for line in sums)
    ends = {
        "nonlinear": f"dq/dt = (-q**2 + {total})/ms : 1 (receptor)",
        "linear": f"dq/dt = (-2*q + r + 0*({total}))/ms : 1 (receptor)\ndr/dt = -q/ms : 1",
    }
    for kind, end in ends.items():
        yield neuron(f"names_parameters_{kind}", "\n".join([*sums, end]), parameters=given)
        constant = "\n".join([*(f"{word} = 2*factor : 1" for word in words), *sums, end])
        yield neuron(f"names_constants_{kind}", constant, parameters={"factor": "1 1"})
    changing = "\n".join([*(f"{word} = 2*q*q : 1" for word in words), *sums, ends["nonlinear"]])
    variables = "\n".join([*(f"d{word}/dt = -{word}**2/ms : 1" for word in words), *sums, ends["nonlinear"]])
    for integrator in ("rkf45", "rk4"):
        yield neuron(f"names_parts_{integrator}", changing, integrator=integrator, threshold="sum0 > 3", reset="q = sum0")
        spikes = {f"in_{word}"[:50].rstrip("_"): f"{word} += weight*sum0" for word in words[:5]}
        yield neuron(
            f"names_variables_{integrator}", variables, integrator=integrator, threshold="sum0 > 3", reset="q = sum0", on_spike=spikes
        )


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="needs g++")
def test_names_that_the_text_of_models_uses_may_be_those_of_users(tmp_path):
    words = set().union(*(tokens_of(neuron(name, **arguments).source) for name, arguments in MODELS.items()), FRAME, MATH)
    words = sorted(word for word in words if not forbidden(word) and not re.match(r"sum\d|I_e$|q$|r$|factor$", word))
    assert {"State", "double", "s", "advance", "decay", "V_m", "Vars"} <= set(words)
    sources = [model.source for model in models_with_names(words)]
    (tmp_path / "a.cpp").write_text('#include "equations/harness.hpp"\n' + "\n".join(sources))
    done = subprocess.run([COMPILER, *FLAGS, "-fsyntax-only", tmp_path / "a.cpp"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:4000]


@pytest.mark.skipif(COMPILER is None, reason="needs g++")
def test_no_name_of_a_user_is_a_macro_or_a_keyword(tmp_path):
    headers = [
        "<algorithm>",
        "<cmath>",
        '"base/sine.hpp"',
        '"model/matrix_exponential.hpp"',
        '"model/propagators.hpp"',
        '"model/random_step.hpp"',
    ]
    (tmp_path / "a.cpp").write_text("".join(f"#include {name}\n" for name in [*headers, '"nodes/rkf45.hpp"']))
    done = subprocess.run([COMPILER, "-std=c++20", f"-I{CPP}", "-dM", "-E", tmp_path / "a.cpp"], capture_output=True, text=True, check=True)
    macros = set(re.findall(r"^#define (\w+)", done.stdout, re.MULTILINE))
    assert len(macros) > 500
    assert {name for name in macros if not forbidden(name) and cpp_name(name) in macros} == set()
    assert cpp_name("double") == "double_"
    assert cpp_name("E_L") == "E_L"
