# SPDX-License-Identifier: Apache-2.0
"""Models whose statements are done as they are written: beside built-in models, theory and scipy."""

from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm

import neuropil as npl
from equations.compiled import COMPILER
from nestml.test_twins import results
from neuropil.equations.neuron import made_model
from neuropil.errors import BadParameter
from neuropil.nestml import load
from neuropil.nestml.loading import load_text
from neuropil.nestml.parsing import read_model
from neuropil.nestml.statements import StatementTranslation

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++")

MODELS = Path(__file__).parent / "models"


def traces(model, names, duration, h=0.1, n=1, threads=1, current=0.0, **parameters):
    """Spike times and traces of neurons alone."""
    net = npl.Network(seed=3, threads=threads, resolution=h)
    cells = net.create(model, n, **parameters)
    if current:
        net.stimulate(cells, npl.dc(current), delay=h)
    spikes, trace = net.record(cells), net.record(cells, list(names), interval=h)
    net.run(duration, progress=False)
    data = trace.data()
    return np.asarray(spikes.data().times), *(np.asarray(data[name]) for name in names)


@pytest.mark.parametrize(
    ("name", "twin", "parameters"),
    [("htum", "iaf_psc_exp_htum", {"t_ref_abs": 1.0, "t_ref_tot": 5.0}), ("htum", "iaf_psc_exp", {}), ("mat2", "mat2_psc_exp", {})],
)
def test_linear_models_have_the_bits_of_built_in_ones(name, twin, parameters):
    model, weights = load(MODELS / f"{name}.nestml"), (87.0, -40.0)
    assert model.integrator == "exact"
    I_e = npl.uniform(0.0, 300.0)
    found, expected = (results(each, weights, I_e=I_e, **parameters) for each in (model, twin))
    assert len(expected[0]) > 100
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("bug", [0.0, 1.0])
def test_a_conductance_that_begins_within_the_step(bug):
    model = load(MODELS / "chxk.nestml")
    found, expected = (results(each, (1.3, -5.0), 200.0, ahp_bug=bug) for each in (model, "iaf_chxk_2008"))
    assert len(expected[0]) > 50
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(found[0], expected[0])
    assert np.median(np.abs(found[2] - expected[2])) < 1e-4


@pytest.mark.parametrize("h", [0.1, 0.25])
def test_integers_and_values_that_depend_on_the_time_step(h):
    times, count, phase = traces(load(MODELS / "clock.nestml"), ("count", "phase"), 400.0, h)
    np.testing.assert_allclose(times, [50.0, 150.0, 250.0, 350.0])
    steps = round(100.0 / h)
    expected = (steps // 2 + 1 + np.arange(len(count))) % steps
    np.testing.assert_array_equal(count[:, 0], expected)
    np.testing.assert_allclose(phase[:, 0], expected / steps, rtol=1e-15)
    times, count = traces(load(MODELS / "clock.nestml"), ("count",), 20.0, h, count=7.0)
    assert count[0, 0] == 8.0  # a value that the user sets stays


def test_a_conductance_with_noise():
    model = load(MODELS / "noisy.nestml")
    assert model.integrator == "rkf45"
    assert model.units["g"] == "uS"
    assert model.initial["g"] == 0.01
    n, skip = 400, 500
    times, g, V = traces(model, ("g", "V_m"), 300.0, n=n)
    g = g[skip:]
    assert np.mean(g) == pytest.approx(0.01, rel=0.01)
    assert np.std(g) == pytest.approx(0.002, rel=0.02)
    centred = g - np.mean(g)
    for lag in (10, 50, 100):
        correlation = np.mean(centred[lag:] * centred[:-lag]) / np.mean(centred**2)
        assert correlation == pytest.approx(np.exp(-lag * 0.1 / 5.0), abs=0.03)
    across = np.corrcoef(g[:, 0], g[:, 1])[0, 1]
    assert abs(across) < 0.3  # neurons have noise of their own
    assert len(times) == pytest.approx(0.3 * 100 * n, rel=0.05)
    assert abs(np.mean(V[skip:]) + 70.0 * 25.0 / 35.0) < 0.3


def test_the_potential_follows_the_noise():
    """Within a step the conductance is constant: the potential goes towards its equilibrium exactly."""
    _, g, V = traces(load(MODELS / "noisy.nestml"), ("g", "V_m"), 50.0, n=3)
    conductance = 25.0 + 1000.0 * g[1:]
    target = 25.0 * -70.0 / conductance
    np.testing.assert_allclose(V[1:], target + (V[:-1] - target) * np.exp(-0.1 * conductance / 250.0), rtol=0, atol=1e-5)


def test_noise_does_not_depend_on_threads_and_integrator():
    model = load(MODELS / "noisy.nestml")
    one, two = (traces(model, ("g",), 20.0, n=50, threads=threads) for threads in (1, 2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)
    text = (MODELS / "noisy.nestml").read_text().replace("nestml_noisy", "nestml_noisy_rk4")
    _, g = traces(load_text(text, "noisy.nestml", "rk4"), ("g",), 20.0, n=50)
    np.testing.assert_allclose(g[:-1], one[1][1:], rtol=1e-12)  # with the solver the first step has no noise


@pytest.mark.parametrize("name", ["psc_exp", *(pytest.param(name, marks=pytest.mark.slow) for name in ("psc_alpha", "psc_delta"))])
def test_refractoriness_written_as_statements_is_the_same(name):
    """The models that become threshold, reset and refractoriness have the same spikes when their statements are done one by one."""
    text = (MODELS / f"{name}.nestml").read_text().replace(f"nestml_{name}", f"nestml_{name}_statements")
    model = made_model(StatementTranslation(read_model(text, name)).description(), "auto")
    assert model.description.program.spikes
    weights = {"psc_exp": (87.0, -200.0), "psc_alpha": (60.0, -100.0), "psc_delta": (0.3, -1.0)}[name]
    found, expected = (results(each, weights, I_e=npl.uniform(0.0, 300.0)) for each in (model, load(MODELS / f"{name}.nestml")))
    assert len(expected[0]) > 100
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_allclose(found[2], expected[2], rtol=0, atol=1e-12)


TWO = """\
model NAME:
    state:
        x mV = 1 mV
        y mV = 0 mV
        z mV = 0 mV
        left ms = 0 ms
        high boolean = false
        count integer = 0
    equations:
        x' = (-x + z) / tau + I_e / C_m
        y' = x / tau
        z' = (y - z) / (2 * tau)
        left' = -1
    parameters:
        tau ms = 5 ms
        C_m pF = 100 pF
        I_e pA = 0 pA
        pause ms = 3 ms
        threshold mV = 2 mV
    output:
        spike
    update:
        if left > 0 ms:
            integrate_odes(left, z)
        else:
            integrate_odes(x, y, z)
    onCondition(x > threshold and not high):
        high = true
        left = 2 * pause
        emit_spike()
    onCondition(high and left <= 0 ms):
        high = false
        x = -1 mV
        if count % 3 == 2:
            emit_spike()
            y = 0 mV
        count += 1
"""


def by_scipy(duration, I_e, h=0.1):
    """The same by steps of expm."""
    x, y, z, left, high, count = 1.0, 0.0, 0.0, 0.0, False, 0
    free = np.array([[-0.2, 0.0, 0.2, I_e / 100.0], [0.2, 0.0, 0.0, 0.0], [0.0, 0.1, -0.1, 0.0], [0.0] * 4])
    held = np.array([[0.0] * 4, [0.0] * 4, free[2], [0.0] * 4])
    moves = {True: expm(free * h), False: expm(held * h)}
    trace, spikes = [], []
    for k in range(round(duration / h)):
        is_free = left <= 1e-9
        x, y, z, _ = moves[is_free] @ [x, y, z, 1.0]
        left -= 0.0 if is_free else h
        if x > 2.0 and not high:
            high, left = True, 6.0
            spikes.append((k + 1) * h)
        if high and left <= 1e-9:
            high, x = False, -1.0
            if count % 3 == 2:
                spikes.append((k + 1) * h)
                y = 0.0
            count += 1
        trace.append((x, y, z, left, high, count))
    return spikes, np.array(trace)


@pytest.mark.parametrize(("integrator", "tolerance"), [("auto", 1e-11), ("rkf45", 1e-5), ("rk4", 1e-5)])
def test_several_conditions_booleans_and_held_variables(integrator, tolerance):
    model = load_text(TWO.replace("NAME", f"two_{integrator}"), "two.nestml", integrator)
    assert model.integrator == integrator.replace("auto", "exact")
    assert model.description.all_held == ("x", "y")
    times, *found = traces(model, ("x", "y", "z", "left", "high", "count"), 100.0, I_e=60.0)
    spikes, expected = by_scipy(100.0, 60.0)
    assert len(spikes) > 5
    np.testing.assert_allclose(times, spikes, rtol=1e-12)
    np.testing.assert_allclose(np.hstack(found), expected, rtol=0, atol=tolerance)


CHANGES = [  # statements of `update` -> the same in Python
    ("a real = x\n        a += 2 * a\n        x = a - x", lambda x: 2 * x),
    ("if x > 3 and x < 5:\n            x = x * x\n        elif x >= 5:\n            x -= 4\n        else:\n            x += 1",
     lambda x: x * x if 3 < x < 5 else x - 4 if x >= 5 else x + 1),
    ("b boolean = x > 4\n        if x > 2:\n            b = x > 6\n        x = b ? 0 : x + 1", lambda x: 0.0 if (x > 6 if x > 2 else x > 4) else x + 1),
    ("y real = x\n        if y > 4:\n            y = y - 5\n            if y > 0.5:\n                y /= 2\n        x = y + 1", lambda x: 1 + (x if x <= 4 else (x - 5) / 2 if x > 5.5 else x - 5)),
    ("x = (x + 1) % 4", lambda x: (x + 1) % 4),
    ("n integer = x / 2\n        x = n + 2", lambda x: int(x / 2) + 2),
    ("x = halved(x) + 3", lambda x: (x / 2 if x > 4 else x) + 3),
    ("if (x > 2) == flag:\n            x = -x\n        else:\n            x = x + 3", lambda x: -x if x > 2 else x + 3),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_statements_do_what_python_does(number):
    statements, python = CHANGES[number]
    text = f"""\
model change_{number}:
    state:
        x real = 1
    parameters:
        flag boolean = true
    update:
        {statements}
    function halved(a real) real:
        if a > 4:
            return a / 2
        return a
"""
    _, found = traces(load_text(text, "change.nestml"), ("x",), 2.0)
    expected, x = [], 1.0
    for _ in range(len(found)):
        x = float(python(x))
        expected.append(x)
    np.testing.assert_array_equal(found[:, 0], expected)


CHAIN = """\
model chain:
    state:
        x[4] real = 1
        V[3] mV = 0 mV
        total real = 0
    equations:
        kernel K = exp(-t / tau)
        V' = -V / (steps_of[0] * tau)
        y' = (convolve(K, spikes[0]) - 2 * convolve(K, spikes[2])) / ms - y / tau
    parameters:
        n integer = 4
        tau ms = 2 ms
        steps_of[3] real = 2
    input:
        spikes[3] <- spike
    update:
        total = 0
        for i in 0 ... n step 1:
            x[i] = x[i] + i
            total += x[i]
        for j in 3 ... 0 step -1:
            x[j] = x[j] + x[j - 1]
        x *= 0.5
        integrate_odes()
    onReceive(spikes):
        V += spikes * s * mV
""".replace("    state:\n", "    state:\n        y real = 0\n")


def test_vectors_and_loops():
    model = load_text(CHAIN, "chain.nestml")
    assert model.integrator == "exact"
    assert list(model.receptors) == ["receptor_spikes_0", "receptor_spikes_1", "receptor_spikes_2"]
    assert model.parameters == {"tau": 2.0, "steps_of_0": 2.0}
    net = npl.Network(seed=1)
    cell = net.create(model, 1)
    for port, weight in ((1, 3.0), (2, 5.0), (3, 1.0)):
        net.stimulate(cell, npl.spike_train([1.0 * port]), weight=weight, delay=1.0, receptor=port)
    names = [f"x_{k}" for k in range(4)] + ["total"] + [f"V_{k}" for k in range(3)] + ["y"]
    record = net.record(cell, names, interval=0.1)
    net.run(8.0, progress=False)
    data = {name: np.asarray(record.data()[name])[:, 0] for name in names}
    x = [1.0] * 4
    for k in range(80):
        x = [x[i] + i for i in range(4)]
        assert data["total"][k] == sum(x)
        for j in (3, 2, 1):
            x[j] = x[j] + x[j - 1]
        x = [0.5 * each for each in x]
        assert [data[f"x_{i}"][k] for i in range(4)] == x
    for port, weight in ((0, 3.0), (1, 5.0), (2, 1.0)):
        arrived = 2.0 + port
        late = np.arange(1, 81) * 0.1 - arrived
        np.testing.assert_allclose(data[f"V_{port}"], np.where(late > -1e-9, weight * np.exp(-late / 4.0), 0.0), atol=1e-12)
    late = [np.maximum(np.arange(1, 81) * 0.1 - arrived, 0.0) for arrived in (2.0, 4.0)]
    expected = 3.0 * late[0] * np.exp(-late[0] / 2.0) - 2.0 * late[1] * np.exp(-late[1] / 2.0)
    np.testing.assert_allclose(data["y"], expected, atol=1e-12)


@pytest.mark.parametrize("name", ["aeif", "chxk", "cond_exp"])
def test_synapses_are_followed_exactly(name):
    """A membrane that is bounded by min(V, limit), and statements that use no synapse, leave the faster way of the solver open."""
    source = load(MODELS / f"{name}.nestml").source
    assert "struct Exactly" in source
    assert ("start.highest <= start.limit" in source) == (name == "aeif")


def test_slopes_know_states_and_checks_refuse_random_numbers():
    model = load(MODELS / "noisy.nestml")
    slopes = model.slopes({"V_m": -60.0, "g": 0.02})
    assert slopes["V_m"] == pytest.approx((-25.0 * 10.0 - 20.0 * -60.0) / 250.0)
    with pytest.raises(BadParameter, match="noise"):
        model.check()


def test_checkpoints_go_on(tmp_path):
    """State that statements set, and random numbers that were drawn for the next step, are part of a checkpoint."""
    net = npl.Network(seed=1)
    record = net.record(net.create(load(MODELS / "noisy.nestml"), 5), ["g", "V_m"], interval=0.1)
    net.run(5.0, progress=False)
    net.save(tmp_path / "net.npc", extra={"record": record})
    again = npl.load(tmp_path / "net.npc", progress=False)
    for each in (net, again):
        each.run(5.0, progress=False)
    for name in ("g", "V_m"):
        np.testing.assert_array_equal(again.extra["record"].data()[name], record.data()[name])
        assert np.shape(record.data()[name])[0] == 100
