# SPDX-License-Identifier: Apache-2.0
"""What is read from NESTML, and what is refused with its line. Nothing here is compiled."""

import contextlib
import random
import re
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import pytest

import neuropil as npl
from neuropil.errors import BadFile, BadParameter, NeuropilError
from neuropil.nestml import NestmlError, load
from neuropil.nestml.loading import load_text

MODELS = sorted((Path(__file__).parent / "models").glob("*.nestml"))

LEAK = """\
model leak:
    state:
        V_m mV = E_L
    equations:
        V_m' = -(V_m - E_L) / tau_m + convolve(K, spikes) * mV / ms
        kernel K = exp(-t / tau_syn)
    parameters:
        tau_m ms = 10 ms
        tau_syn ms = 2 ms
        E_L mV = -70 mV
        V_th mV = -55 mV
    input:
        spikes <- spike
    output:
        spike
    update:
        integrate_odes()
    onCondition(V_m >= V_th):
        V_m = E_L
        emit_spike()
"""


def leak(*changes):
    text = LEAK
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return load_text(text, "leak.nestml")


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_models_are_read(path):
    model = load(path)
    assert model.source.startswith("// SPDX-License-Identifier: Apache-2.0")
    assert model.name == f"nestml_{path.stem}"


def test_what_a_model_becomes():
    model = leak()
    assert model.integrator == "exact"
    assert model.parameters == {"tau_m": 10.0, "tau_syn": 2.0, "E_L": -70.0, "V_th": -55.0}
    assert model.initial == {"V_m": -70.0, "K_spikes": 0.0}
    assert model.receptors == {"receptor_spikes": "1"}
    assert not model.description.on_crossing


def test_integrators_are_those_of_equations():
    assert load(MODELS[0], integrator="euler").integrator == "euler"
    with pytest.raises(BadParameter, match="integrator"):
        load(MODELS[0], integrator="leapfrog")


@pytest.mark.parametrize(
    ("declared", "value", "unit"),
    [
        ("ms = 0.01 s", 10.0, "ms"),
        ("ms = 10 kHz**-1", 10.0, "ms"),
        ("ms = 20 / 2 ms**-1", 10.0, "ms"),
        ("ms = 5 * 1 / 0.5 mV/ms * 1 mV", 10.0, "ms"),
        ("s = 10 ms", 0.01, "s"),
        ("ms = 1 / (0.1 kHz)", 10.0, "ms"),
        ("ms = 250 pF / (25 nS)", 10.0, "ms"),
        ("ms = 5000 us * 2", 10.0, "ms"),
        ("ms = -E_L / mV / 7 * ms", 10.0, "ms"),
    ],
)
def test_units_are_converted(declared, value, unit):
    model = leak(("tau_m ms = 10 ms", f"tau_m {declared}"))
    assert model.parameters["tau_m"] == value
    assert model.units["tau_m"] == unit
    assert leak().source.count("p.tau_m") == model.source.count("p.tau_m")


@pytest.mark.parametrize(
    "kernel", ["K'' = -K / tau_syn**2 - 2 * K' / tau_syn", "K' = K$ - K / tau_syn,\n               K$' = -K$ / tau_syn"]
)
def test_kernels_by_equations(kernel):
    second = "K'" if "''" in kernel else "K$"
    model = leak(
        ("kernel K = exp(-t / tau_syn)", f"kernel {kernel}"),
        ("V_m mV = E_L\n", f"V_m mV = E_L\n        K real = 0\n        {second} 1/ms = e / tau_syn\n"),
    )
    assert len(model.initial) == 3
    assert [effect.variable for effect in model.description.receptors[0].effects] == [
        f"K{'_d' if second == chr(75) + chr(39) else '_aux'}_spikes"
    ]


def test_functions_are_written_out():
    body = """
    function rate(V mV) 1/ms:
        x real = V / E_L
        if x > 1:
            x = 1 + x
        return x / tau_m
"""
    model = leak(("V_m' = -(V_m - E_L) / tau_m", "V_m' = -(V_m - E_L) * rate(V_m)"), ("    update:", f"{body}\n    update:"))
    assert model.integrator == "rkf45"
    assert model.slopes({"V_m": -140.0})["V_m"] == pytest.approx(70.0 * 3 / 10)


REFUSED = [
    ("(V_m - E_L) / tau_m", "(V_m - E_L) / 0 / tau_m", 5, "division by 0"),
    ("K = exp(-t / tau_syn)", "K = exp(-t**2 / tau_syn**2)", 6, "kernel"),
    ("K = exp(-t / tau_syn)", "K = sin(t / tau_syn)", 6, "kernel"),
    ("K = exp(-t / tau_syn)", "K' = -K / tau_syn", 6, "the value of K at the beginning"),
    ("+ convolve(K, spikes) * mV / ms", "+ convolve(L, spikes) * mV / ms", 5, "no kernel"),
    ("+ convolve(K, spikes) * mV / ms", "+ spikes * spikes * mV", 5, "spikes"),
    ("+ convolve(K, spikes) * mV / ms", "+ t / ms * mV / ms", 5, "'t'"),
    ("+ convolve(K, spikes) * mV / ms", "+ random_normal(0, 1) * mV / ms", 5, r"random_normal\(\)"),
    ("+ convolve(K, spikes) * mV / ms", "+ unknown_name", 5, "unknown name"),
    ("    output:", "        more[3] real <- continuous\n    output:", 14, "vectors of continuous"),
    ("    output:", "        more[3] <- excitatory spike\n    output:", 14, "one pair"),
    ("    output:", "        more[tau_m] <- spike\n    output:", 14, "size of a vector must be an integer"),
    ("    output:", "        more[1000] <- spike\n    output:", 14, "1 to 100 elements"),
    ("        V_m mV = E_L\n", "        V_m[2] mV = E_L\n", 18, "needs an index"),
    ("convolve(K, spikes)", "convolve(K, spikes[0])", 5, "'spikes' is no vector"),
    ("    output:", "        more <- inhibitory spike\n    output:", 14, "one pair"),
    ("    output:", "        V real <- continuous\n    output:", 14, "current in pA"),
    ("        spike\n", "        spike(weight real, delay ms)\n", 15, "attributes of the spikes of a neuron"),
    ("        integrate_odes()\n", "        V_m = V_m + 1 mV\n", 1, "must call integrate_odes"),
    ("        integrate_odes()\n", "        while V_m > V_th:\n            integrate_odes()\n", 17, "loops with while"),
    ("        integrate_odes()\n", "        for i in 0 ... V_m step 1:\n            integrate_odes()\n", 17, "a bound of a loop must be"),
    ("        integrate_odes()\n", "        for i in 0 ... 3 step 0:\n            integrate_odes()\n", 17, "a step other than 0"),
    (
        "        integrate_odes()\n",
        "        for i in 0 ... 99 step 1:\n            for j in 0 ... 99 step 1:\n                V_m += i * j * mV\n",
        19,
        "more than 5000",
    ),
    ("        integrate_odes()\n", "        for i in 0 ... 3 step 1:\n            i = 2\n", 18, "set by the loop"),
    ("        integrate_odes()\n", "        for i in 0 to 3:\n            pass\n", 17, "between the bounds"),
    ("        integrate_odes()\n", "        integrate_odes(V_x)\n", 17, "names of variables"),
    ("        emit_spike()", "        emit_spike()\n        x = 3", 21, "no state of the model"),
    ("        emit_spike()", "        tau_m = 3 ms\n        emit_spike()", 20, "'tau_m' is a parameter"),
    ("        emit_spike()", "        if V_m:\n            emit_spike()", 20, "condition"),
    ("        emit_spike()", "        V_m = I_stim\n        emit_spike()", 20, "unknown name"),
    ("        emit_spike()", "        V_m = V_m > V_th\n        emit_spike()", 20, "'V_m' is no boolean"),
    ("        emit_spike()", "        integrate_odes()\n        emit_spike()", 20, "outside of update"),
    ("        emit_spike()", "        println(V_m)\n        emit_spike()", 20, r"println\(\)"),
    (
        "        integrate_odes()\n",
        "        if V_m > V_th:\n            V_m += spikes * mV * s\n        integrate_odes()\n",
        18,
        "spikes may be added",
    ),
    ("        integrate_odes()\n", "        integrate_odes()\n        V_m += spikes * spikes * mV * s\n", 18, "spikes"),
    ("        integrate_odes()\n", "        x real\n        integrate_odes()\n", 17, "needs a value"),
    ("        integrate_odes()\n", "        integrate_odes()\n        integrate_odes()\n", 18, "behind another one"),
    ("    onCondition(V_m >= V_th):", "    onCondition(V_m >= V_th and V_m > E_L or V_m < E_L):", 18, "parentheses"),
    ("        tau_m ms = 10 ms\n", "        tau_m ms = 10 ms\n        tau_m ms = 10 ms\n", 9, "defined twice"),
    ("tau_m ms = 10 ms", "tau_m K = 10 K", 8, "the unit K"),
    ("    input:", "   input:", 12, "indented"),
    ("    input:", "    inputs:", 12, "no block"),
    ("model leak:", "neuron leak:", 1, "model NAME"),
    ("V_m mV = E_L\n", "V_m V = E_L\n", 3, "variables in V"),
    ("model leak:", "model dt:", None, "name"),
    ("    output:", "    onReceive(spikes):\n        emit_spike()\n    output:", 15, "the weight must be called w"),
    ("    output:", "    onReceive(spikes):\n        V_m += 1 mV\n    output:", 15, "proportional to the port"),
    ("    output:", "    onReceive(spikes):\n        V_m = spikes * s * mV\n    output:", 15, "proportional to the port"),
    ("    output:", "    onReceive(spikes):\n        if V_m < V_th:\n            tau_m += spikes * s * ms\n    output:", 16, "only x"),
    ("(V_m - E_L) / tau_m", "(V_m - K) / tau_m", 5, "unknown name"),
    ("        spike\n", "        event\n", 15, "'spike'"),
]


@pytest.mark.parametrize(("old", "new", "line", "problem"), REFUSED, ids=[f"{new.strip()[:30]}" for _, new, _, _ in REFUSED])
def test_refusals_name_the_line(old, new, line, problem):
    with pytest.raises(NestmlError, match=problem) as error:
        leak((old, new))
    if line is not None:
        assert error.value.line == line
        assert str(error.value).startswith(f"leak.nestml, line {line}: ")


TIMER = (
    ("V_m mV = E_L\n", "V_m mV = E_L\n        r ms = 0 ms\n"),
    ("kernel K", "r' = -1\n        kernel K"),
    ("V_th mV = -55 mV", "V_th mV = -55 mV\n        t_ref ms = 2 ms"),
    ("        integrate_odes()\n", "        if r > 0 ms:\n            integrate_odes(r)\n        else:\n            integrate_odes(V_m)\n"),
    ("    onCondition(V_m >= V_th):\n", "    onCondition(r <= 0 ms and V_m >= V_th):\n        r = t_ref\n"),
)


def test_refractoriness():
    made = leak(*TIMER).description
    assert (made.refractory, made.held, made.also_held) == ("t_ref", "V_m", ())
    assert [v.name for v in made.variables] == ["V_m", "K_spikes"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("-(V_m - E_L) / tau_m", "-(V_m - E_L) / (tau_m + r)", "under different conditions"),
        ("            integrate_odes(V_m)\n", "            integrate_odes(r)\n", "'V_m' is never integrated"),
        ("r' = -1", "r' = -2", "under different conditions"),
    ],
)
def test_refractoriness_that_is_not_clear_is_refused(old, new, problem):
    with pytest.raises(NestmlError, match=problem):
        leak(*TIMER, (old, new))


@pytest.mark.parametrize(
    ("old", "new", "held"),
    [
        ("            integrate_odes(r)\n", "            integrate_odes(V_m)\n", ()),
        ("r = t_ref", "r = 2 * t_ref", ("V_m",)),
        ("r <= 0 ms and V_m", "r == 0 ms and V_m", ("V_m",)),
        ("if r > 0 ms:", "r -= resolution()\n        if r > 0 ms:", ("V_m",)),
        ("        r = t_ref\n", "", ("V_m",)),
        ("r <= 0 ms and V_m", "r > 0 ms and V_m", ("V_m",)),
        ("onCondition(r <= 0 ms and V_m >= V_th):\n        r = t_ref\n        V_m = E_L", "onCondition(V_m >= V_th):\n        r = t_ref\n        V_m += 1 mV", ("V_m",)),
    ],
)  # fmt: skip
def test_statements_that_are_no_refractoriness_are_done_as_they_are_written(old, new, held):
    made = leak(*TIMER, (old, new)).description
    assert made.all_held == held
    assert made.refractory is None
    assert made.program.spikes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("+ convolve(K, spikes) * mV / ms", "+ resolution() * mV / ms**2"),
        ("        emit_spike()", "        if V_m > V_th:\n            emit_spike()"),
        ("    onCondition(V_m >= V_th):", "    onCondition(true):"),
        ("    output:", "    onReceive(spikes):\n        if V_m < V_th:\n            V_m += spikes * s * mV\n    output:"),
    ],
)
def test_statements_are_read(old, new):
    assert leak((old, new)).integrator == "exact"


def test_units_that_differ_are_warned_of():
    with pytest.warns(UserWarning, match="line 5: both sides of '-' need the same unit"):
        model = leak(("-(V_m - E_L)", "-(V_m - 70)"))
    assert model.integrator == "exact"
    assert model.slopes({"V_m": 0.0})["V_m"] == 7.0
    with pytest.warns(UserWarning, match="line 8: 'tau_m' is declared as ms, its value has another unit"):
        assert leak(("tau_m ms = 10 ms", "tau_m ms = 20")).parameters["tau_m"] == 20.0
    with pytest.warns(UserWarning):
        model = leak(("-(V_m - E_L)", "-(V_m - 70 + 0.1 V)"))
    assert model.slopes({"V_m": 0.0})["V_m"] == -3.0
    with pytest.raises(NestmlError, match="line 8: 's' behind a number is a unit, and a name"):
        leak(("tau_m ms = 10 ms", "tau_m ms = 10 s\n        s ms = 1 ms"))
    with pytest.raises(NestmlError, match="the scale of"):
        leak(("-(V_m - E_L)", "-(V_m - 70)"), ("tau_m ms = 10 ms", "tau_m s = 10 ms"))


def test_parameters_that_nothing_uses_are_left_out():
    model = leak(("V_th mV = -55 mV", "V_th mV = -55 mV\n        unused ms = 3 ms"))
    assert "unused" not in model.parameters


def test_files(tmp_path):
    with pytest.raises(BadFile):
        load(tmp_path / "none.nestml")
    with pytest.raises(BadParameter, match=r"nestml\.load"):
        npl.load_model(MODELS[0])


def test_it_is_imported_when_it_is_used():
    code = "import sys, neuropil as npl; assert 'neuropil.nestml' not in sys.modules; npl.nestml.load; assert 'nestml' not in npl.__all__"
    subprocess.run([sys.executable, "-c", code], check=True)


WORDS = [
    "(",
    ")",
    ":",
    "\n",
    "    ",
    "'",
    "spike",
    "if",
    "else",
    "convolve",
    "[[",
    "t",
    "e",
    "-",
    "**",
    "mV",
    "1e999",
    '"',
    '"""',
    "\t",
    "kernel",
    "é",
    ",",
]


EVIL = ("system", "popen", "asm", "__FILE__", "define", "include <", "/*", 'R"(', "??/")
STATEMENTS = [
    "V_m = 3 mV", "n integer = 3 % 2", "b boolean = V_m > V_th", "if b:", "else:", "emit_spike()", "integrate_odes(V_m)", "t real = 3", "__x real = 1",
    "for i in 0 ... 3 step 1: V_m += i * mV", "w[3] real = 0", "w[1] = w[0] + 1", "x = random_normal(0, 1)", "return V_m", "system(1)", "asm real = 2", "if V_m_old > 0 mV: pass", "refr_t -= resolution()", "r = steps(t_ref)",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(120))
def test_any_text_is_read_or_refused(seed):
    """No other error and no endless loop: files with words changed, left out and added. No text of a file reaches the C++ file."""
    draw = random.Random(seed)
    text = draw.choice(MODELS).read_text()
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(text))
        text = text[:at] + draw.choice([*WORDS, *EVIL, ""]) + text[at + draw.choice([0, 1, 5, 40]) :]
    for _ in range(draw.randint(0, 3)):
        lines = text.split("\n")
        at = draw.randrange(len(lines))
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        text = "\n".join([*lines[:at], indent + draw.choice(STATEMENTS), *lines[at:]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(NeuropilError):
            source = load_text(text, "fuzz.nestml").source
            words = re.findall(r"\w+", source)
            assert not {"system", "popen", "asm", "__FILE__", "__x", "define"} & set(words)
            assert not any(evil in source.replace("include <c", "").replace("include <a", "") for evil in EVIL[5:])


def test_large_texts_are_refused():
    with pytest.raises(NestmlError, match="characters"):
        load_text("#" * 300_000, "long.nestml")
    deep = textwrap.indent("x = " + "(" * 500 + "1" + ")" * 500, " " * 8)
    with pytest.raises(NestmlError, match="levels"):
        leak(("        integrate_odes()", deep))
    double = "".join(f"    function f{k}(x real) real:\n        return {f'f{k - 1}(x) + f{k - 1}(x)' if k else 'x'}\n" for k in range(40))
    with pytest.raises(NestmlError, match="too long"):
        leak(("    update:", f"{double}    update:"), ("convolve(K, spikes)", "f39(1)"))
