# SPDX-License-Identifier: Apache-2.0
"""Models from equations as compiled C++: bit for bit like built-in models where the integration is the same, else like independent solutions."""

import subprocess

import numpy as np
import pytest
from examples.published_models import MODELS
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from equations.compiled import COMPILER, FLAGS, built_in, compiled
from neuropil.equations import neuron, synapse_model
from neuropil.equations.frame import type_name

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++")

TWINS = {
    "eq_psc_exp": ("iaf_psc_exp", "IafPscExp"),
    "eq_psc_alpha": ("iaf_psc_alpha", "IafPscAlpha"),
    "eq_psc_delta": ("iaf_psc_delta", "IafPscDelta"),
    "eq_izhikevich": ("izhikevich", "Izhikevich"),
    "eq_aeif": ("aeif_cond_exp", "AeifCondExp"),
}
RENAMED = {"_dI_ex": "dI_ex", "_dI_in": "dI_in"}
LINEAR = """
    dx/dt = a11*x + a12*y + a13*z + b1*I_stim/pA + c1 : 1
    dy/dt = a21*x + a22*y + a23*z : 1 (receptor)
    dz/dt = a31*x + a32*y + a33*z - 2*(x - 3)/ms + c3 : 1
"""
NONLINEAR = """
    dx/dt = (-x**3 + where(y > 0 and not y > 5, sin(y), abs(y)) + k*tanh(x*y) + I_stim/pA)/ms : 1
    dy/dt = (min(x, k) - max(y, 0)*sqrt(1 + x**2) + log(2 + x**2)*0.3 - pow(2, -x**2))/tau : 1
    dg/dt = (log1p(x**4) - expm1(-g**2) - g*exprel(x) + cos(x*k) - y**4 - x**0.5*0)/tau : 1 (receptor)
"""
ADAPTIVE = """
    dV_m/dt = (-g_L*(V_m - E_L) - w + I + I_stim)/C_m : mV
    dw/dt = (a*(V_m - E_L) - w)/tau_w : pA
    dI/dt = -I/ms : pA (receptor)
"""
CONDITIONAL = """
    dV/dt = (E - V)/tau + g*(E_ex - V)/(nS*ms) : mV
    dg/dt = -g/tau_g : nS (receptor)
"""
OTHERS = {
    "linear": {
        "equations": LINEAR,
        "parameters": {f"a{i}{j}": 0.0 for i in (1, 2, 3) for j in (1, 2, 3)} | {"b1": 0.0, "c1": 0.0, "c3": 0.0},
    },
    "nonlinear": {"equations": NONLINEAR, "parameters": {"k": 0.7, "tau": 3.0}},
    "nonlinear_rk4": {"equations": NONLINEAR, "parameters": {"k": 0.7, "tau": 3.0}, "integrator": "rk4"},
    "adaptive": {
        "equations": ADAPTIVE,
        "parameters": {
            "g_L": 10.0,
            "E_L": -70.0,
            "C_m": 200.0,
            "a": 2.0,
            "tau_w": 100.0,
            "V_th": -50.0,
            "V_reset": -58.0,
            "b": 60.0,
            "t_ref": 5.0,
        },
        "threshold": "V_m > V_th",
        "reset": "V_m = V_reset; w += b",
        "refractory": "t_ref",
        "initial": {"V_m": "E_L"},
    },
    "two_signs": {
        "equations": """
            dV/dt = (k*(V + 60*mV)**2 + I - I_b)/C_m : mV
            I = 1*I_a : pA
            dI_a/dt = -I_a/(2*ms) : pA (receptor)
            dI_b/dt = -I_b/tau : pA (receptor)
        """,
        "parameters": {"C_m": 100.0, "k": "0.5 nS/mV", "tau": 3.0},
    },
    "coupled": {
        "equations": "dV/dt = (V*V + g*V*V)/mV/ms : mV\ndg/dt = -g/(2*ms) : 1 (receptor)",
    },
    "conditional": {
        "equations": CONDITIONAL,
        "parameters": {"E": -70.0, "E_ex": 0.0, "tau": 10.0, "tau_g": 3.0},
        "integrator": "exponential_euler",
        "initial": {"V": -70.0},
    },
    "noisy": {
        "equations": "dx/dt = -x/tau + sigma*sqrt(2/tau)*xi : mV (receptor)",
        "parameters": {"tau": 5.0, "sigma": 2.0},
    },
    "noisy_rk4": {
        "equations": "dx/dt = -x/tau + sigma*sqrt(2/tau)*xi_a : mV (receptor)\ndy/dt = -y/tau + sigma*sqrt(2/tau)*xi_b : mV",
        "parameters": {"tau": 5.0, "sigma": "2 mV"},
        "integrator": "rk4",
    },
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """All models of this file, compiled in one go."""
    sources = {name: neuron(name, **arguments).source for name, arguments in (MODELS | OTHERS).items()}
    sources |= {f"builtin_{name}": built_in(name, struct) for name, struct in TWINS.values()}
    return compiled(tmp_path_factory.mktemp("models"), sources)


def random_input(steps, receptors, seed, weight, current):
    rng = np.random.default_rng(seed)
    spikes = weight * rng.normal(1.0, 0.3, (steps, receptors)) * (rng.random((steps, receptors)) < 0.2)
    spikes[:, 1:] *= -0.2
    return {"spikes": spikes, "currents": current * rng.normal(1.0, 0.5, steps), "receptors": receptors}


@pytest.mark.parametrize(
    ("name", "weight", "current", "parameters"),
    [
        ("eq_psc_exp", 300.0, 800.0, {"tau_syn_in": 5.0, "E_L": -68.3, "I_e": 12.5}),
        ("eq_psc_exp", 200.0, 300.0, {"tau_syn_ex": 10.0, "C_m": 123.0}),
        ("eq_psc_alpha", 300.0, 800.0, {"tau_syn_in": 5.0, "t_ref": 0.3}),
        ("eq_psc_delta", 1.0, 300.0, {"tau_m": 13.7, "I_e": 33.3}),
    ],
)
def test_exact_models_have_the_bits_of_their_twins(models, name, weight, current, parameters):
    twin = models[f"builtin_{TWINS[name][0]}"]
    receptors = 2 if "_psc_exp" in name or "_alpha" in name else 1
    given = random_input(3000, receptors, 1, weight, current)
    ours, theirs = models[name].run(3000, **given, **parameters), twin.run(3000, **given, **parameters)
    assert ours["spikes"].sum() > 10
    for key, values in theirs.items():
        if not key.startswith("_") or key in RENAMED or key == "_free_at":
            np.testing.assert_array_equal(ours[RENAMED.get(key, key)], values, err_msg=key)


def test_izhikevich_agrees_with_its_twin(models):
    """The built-in model multiplies in another order."""
    given = random_input(3000, 1, 1, 1.0, 8.0)
    ours, theirs = models["eq_izhikevich"].run(3000, a=0.1, **given), models["builtin_izhikevich"].run(3000, a=0.1, **given)
    assert ours["spikes"].sum() > 10
    np.testing.assert_array_equal(ours["spikes"], theirs["spikes"])
    np.testing.assert_allclose(ours["V_m"], theirs["V_m"], rtol=1e-9)


def test_aeif_agrees_with_its_twin(models):
    given = random_input(3000, 2, 2, 8.0, 1200.0)
    ours, theirs = models["eq_aeif"].run(3000, **given), models["builtin_aeif_cond_exp"].run(3000, t_ref=2.0, **given)
    assert theirs["spikes"].sum() > 10
    np.testing.assert_array_equal(ours["spikes"], theirs["spikes"])
    np.testing.assert_allclose(ours["V_m"], theirs["V_m"], atol=2e-3)
    np.testing.assert_allclose(ours["w"], theirs["w"], atol=2e-3)


@pytest.mark.parametrize("seed", range(5))
def test_linear_systems_are_those_of_expm(models, seed):
    rng = np.random.default_rng(seed)
    a, b1, c1, c3, h = rng.normal(0, 0.5, (3, 3)), *rng.normal(0, 1, 3), rng.choice([0.1, 0.5])
    given = random_input(60, 1, seed, 1.0, 2.0)
    parameters = {f"a{i + 1}{j + 1}": a[i, j] for i in range(3) for j in range(3)} | {"b1": b1, "c1": c1, "c3": c3}
    found = models["linear"].run(60, h=h, initial={"x": 1.0}, **given, **parameters)
    full = np.zeros((5, 5))
    full[:3, :3] = a
    full[2, 0] -= 2.0
    full[:3, 3], full[0, 4] = (c1, 0.0, c3 + 6.0), b1
    step, state = expm(full * h), np.array([1.0, 0.0, 0.0])
    expected = []
    for spike, current in zip(given["spikes"][:, 0], given["currents"], strict=True):
        state = (step @ [*state, 1.0, current])[:3] + np.array([0.0, spike, 0.0])
        expected.append(state)
    expected = np.array(expected)
    np.testing.assert_allclose(np.array([found[n] for n in "xyz"]).T, expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())


def test_a_held_potential_is_seen_by_other_variables(models):
    """During refractoriness V_m stays, and w goes where it goes at this V_m."""
    found = models["adaptive"].run(2000, currents=400.0)
    p = OTHERS["adaptive"]["parameters"]
    at = int(np.flatnonzero(found["spikes"])[0])
    assert np.all(found["V_m"][at : at + 51] == p["V_reset"])
    assert found["V_m"][at + 51] != p["V_reset"]
    target = p["a"] * (p["V_reset"] - p["E_L"])
    expected = target + (found["w"][at] - target) * np.exp(-np.arange(51) * 0.1 / p["tau_w"])
    np.testing.assert_allclose(found["w"][at : at + 51], expected, rtol=1e-12)


def right_hand_side(x, y, g, k, tau, current):
    dx = -(x**3) + (np.sin(y) if 0 < y <= 5 else abs(y)) + k * np.tanh(x * y) + current
    dy = (min(x, k) - max(y, 0) * np.sqrt(1 + x**2) + np.log(2 + x**2) * 0.3 - 2.0 ** -(x**2)) / tau
    exprel = np.expm1(x) / x if x else 1.0
    return [dx, dy, (np.log1p(x**4) - np.expm1(-(g**2)) - g * exprel + np.cos(x * k) - y**4) / tau]


@pytest.mark.parametrize("seed", range(20))
def test_slopes_are_those_of_numpy(models, seed):
    rng = np.random.default_rng(seed)
    x, y, g = np.abs(rng.normal(0, 2)), *rng.normal(0, 4, 2)
    k, tau, current = rng.normal(), rng.uniform(0.5, 5), rng.normal()
    found = models["nonlinear"].slopes({"x": x, "y": y, "g": g}, current, k=k, tau=tau)[:3]
    np.testing.assert_allclose(found, right_hand_side(x, y, g, k, tau, current), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("name", "tolerance"), [("nonlinear", 2e-5), ("nonlinear_rk4", 2e-5)])
def test_solutions_are_those_of_solve_ivp(models, name, tolerance):
    found = models[name].run(200, h=0.05, initial={"x": 0.5, "y": 0.2}, currents=0.6)
    solved = solve_ivp(
        lambda t, v: right_hand_side(*v, 0.7, 3.0, 0.6), (0, 10), [0.5, 0.2, 0.0], rtol=1e-10, atol=1e-12, t_eval=np.arange(1, 201) * 0.05
    )
    for variable, values in zip("xyg", solved.y, strict=True):
        np.testing.assert_allclose(found[variable], values, atol=tolerance)


def test_exponential_euler_is_exact_where_the_rest_is_constant(models):
    """Without spikes V decays exactly; with a conductance the error is of first order."""
    found = models["conditional"].run(100, h=0.5, initial={"V": -50.0})
    np.testing.assert_allclose(found["V"], -70 + 20 * np.exp(-np.arange(1, 101) * 0.05), rtol=1e-12)
    errors = []
    for h in (0.1, 0.05):
        solved = solve_ivp(lambda t, v: [(-70 - v[0]) / 10 - v[1] * v[0], -v[1] / 3], (0, 10), [-70, 0.1], rtol=1e-10, atol=1e-10)
        end = models["conditional"].run(round(10 / h), h=h, initial={"V": -70.0, "g": 0.1})
        errors.append(abs(end["V"][-1] - solved.y[0, -1]))
    assert 1.7 < errors[0] / errors[1] < 2.3


@pytest.mark.parametrize(
    ("name", "synapses"),
    [("eq_aeif", ["g_ex", "g_in"]), ("eq_hh", ["I_syn", "rise"]), ("eq_qif", ["I_syn"]), ("two_signs", ["I_a", "I_b"])],
)
def test_synapses_that_are_followed_exactly_give_the_same_slopes(models, name, synapses):
    rng = np.random.default_rng(3)
    for _ in range(10):
        state = {key: rng.uniform(0.1, 1.0) if key[0] in "mnhg_" else rng.normal(-60, 5) for key in models[name].initial}
        state |= {key: 0.0 for key in state if key == "_refractory"}
        expected, found = models[name].slopes(state, 30.0), models[name].whole(state, 30.0)
        for k, key in enumerate(models[name].initial):
            if not key.startswith("_"):
                assert found[k] == pytest.approx(0.0 if key in synapses else expected[k], rel=1e-12), key


@pytest.mark.parametrize("name", ["coupled", "nonlinear"])
def test_other_synapses_are_left_to_the_solver(models, name):
    assert models[name].whole({}) is None


def test_hodgkin_huxley_spikes_once_per_action_potential(models):
    found = models["eq_hh"].run(1000, currents=1000.0)
    V = found["V_m"]
    crossings = np.flatnonzero((V[1:] > 0) & (V[:-1] <= 0)) + 1
    assert len(crossings) > 5
    np.testing.assert_array_equal(np.flatnonzero(found["spikes"]), crossings)


def test_hodgkin_huxley_slopes_are_those_of_the_built_in_model(models):
    """The gates at rest of hh_psc_alpha do not move."""
    assert np.abs(models["eq_hh"].slopes({}, 0.0)[1:4]).max() < 1e-12


def test_quadratic_model_spikes(models):
    found = models["eq_qif"].run(2000, currents=600.0)
    assert found["spikes"].sum() > 10


@pytest.mark.parametrize("name", ["noisy", "noisy_rk4"])
def test_noise_is_that_of_an_ornstein_uhlenbeck_process(models, name):
    steps, h, tau = 200_000, 0.1, 5.0
    x = models[name].run(steps, h=h)["x"][1000:]
    assert x.mean() == pytest.approx(0.0, abs=0.1)
    assert x.std() == pytest.approx(2.0, rel=0.02)
    lag = np.corrcoef(x[:-50], x[50:])[0, 1]
    assert lag == pytest.approx(np.exp(-50 * h / tau), abs=0.03)


def test_noise_differs_between_neurons_and_sources_and_repeats(models):
    run = models["noisy_rk4"].run
    first, again, other, seeded = run(50), run(50), run(50, gid=2), run(50, seed=2)
    np.testing.assert_array_equal(first["x"], again["x"])
    for values in (other["x"], seeded["x"], first["y"]):
        assert not np.any(values == first["x"])


MAIN = """
template <class M>
void try_out(double weight) {
  using namespace npl::model;
  typename M::Params p{};
  for (std::size_t k = 0; k < M::parameters.size(); ++k) field(p, k) = M::parameters[k].init;
  typename M::State s{};
  for (std::size_t k = 0; k < M::state.size(); ++k) field(s, k) = M::state[k].init;
  const auto d = M::derive(p, 0.1);
  Input<M::receptors> in{};
  in.gid = 7, in.seed = 3;
  for (int k = 0; k < 100; ++k) {
    in.step = k, in.current = 100.0 * (k % 9);
    for (double& spikes : in.spikes) spikes = k % 11 == 0 ? weight : 0.0;
    npl::harness::step<M>(s, d, in);
  }
}
int main() {
  for (double weight : {5.0, -5.0, 1e4}) {
"""


@pytest.mark.slow
def test_sanitizers_find_nothing(tmp_path):
    sources = {name: neuron(name, **arguments) for name, arguments in (MODELS | OTHERS).items()}
    text = '#include "model/propagators.cpp"\n#include "base/sine.cpp"\n#include "equations/harness.hpp"\n'
    calls = "".join(f"    try_out<npl::model::{type_name(name)}>(weight);\n" for name in sources)
    (tmp_path / "a.cpp").write_text(text + "\n".join(model.source for model in sources.values()) + MAIN + calls + "  }\n}\n")
    flags = [*FLAGS, "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run([COMPILER, *flags, "-o", tmp_path / "a", tmp_path / "a.cpp"], check=True)
    done = subprocess.run([tmp_path / "a"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]


MAIN_OF_SYNAPSES = """
template <class Rule>
void try_out() {
  using namespace npl::synapses;
  const double parameters[] = {20.0, 0.3, 100.0, 0.0};
  const Rule rule(parameters, 0.1);
  PostTrace post(3, 20.0, 0.1);
  for (npl::Step step = 1; step < 400; ++step)
    for (npl::Local target = 0; target < 3; ++target)
      if ((step * (target + 7)) % 11 == 0) post.add(target, static_cast<std::int32_t>(step));
  for (npl::Local target = 0; target < 3; ++target) {
    std::vector<double> values(Rule::synapse_values);  // of the exact size: what is read or written behind it is found
    double w = 50.0;
    PreValues before;
    for (npl::Step stamp = 3; stamp < 380; stamp += 1 + stamp % 17) {
      EventAt<npl::Step> event{1, 2, target, stamp, 15, 0, &before, &post, nullptr, {3, 4}};
      const double sent = rule.send(event, w, values.data());
      if (!(sent >= 0.0 && sent <= 100.0)) std::abort();
      before.last = stamp;
    }
    for (const char* name : {"x", "c", "none"}) static_cast<void>(rule.state(name, nullptr, values.data()));
  }
}
int main() {
  try_out<npl::synapses::SanitizedEquations<npl::synapses::Decay>>();
  try_out<npl::synapses::SanitizedEquations<npl::synapses::DecayTable>>();
}
"""


@pytest.mark.slow
def test_sanitizers_find_nothing_in_a_synapse(tmp_path):
    """A rule with values per synapse, random numbers and the history of the target."""
    rule = synapse_model(
        "sanitized", "dx/dt = -x/tau (synapse)", "dc/dt = 0 (synapse)", on_pre="w -= lr*x; x += exp(-w/W)",
        on_post="w += lr*x*random_uniform(0, 1); x += 1; c += 1", bounds=("0", "W"), parameters={"tau": 20.0, "lr": 0.3, "W": 100.0},
    )  # fmt: skip
    parts = '#include "base/buffer.cpp"\n#include "base/error.cpp"\n#include "synapses/loaded_parts.hpp"\n#include <cstdlib>\n'
    (tmp_path / "a.cpp").write_text(parts + rule.source + MAIN_OF_SYNAPSES)
    flags = [flag for flag in FLAGS if flag not in ("-Wall", "-Wextra", "-Werror")]
    flags += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-Wno-psabi"]
    subprocess.run([COMPILER, *flags, "-o", tmp_path / "a", tmp_path / "a.cpp"], check=True)
    done = subprocess.run([tmp_path / "a"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
