# SPDX-License-Identifier: Apache-2.0
"""Loading of own models: what they compute, what is refused, and the folder of compiled models."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import neuropil as npl
from neuropil.cli import app
from neuropil.errors import BadFile, BadParameter, MissingCompiler, ModelError, Stale
from neuropil.own_models import building, compilers
from neuropil.own_models.loading import load_model, load_source, source_of

LEAK = """// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct Leak {
  static constexpr const char* name = "NAME";
  static constexpr const char* doc = "A potential that decays; spikes add to it.";
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;

  struct Params {
    double tau_m;
  };
  static constexpr std::array parameters{Field{"tau_m", "ms", 10.0, "Time constant", Bound::positive}};
  struct State {
    double V_m;
  };
  static constexpr std::array state{Field{"V_m", "mV", 0.0, "Potential"}};
  struct Derived {
    double P;
  };
  static Forbidden check(const Params& p) {
    if (p.tau_m > 1000.0) return {"tau_m", p.tau_m, "at most 1000"};
    return {};
  }
  static Derived derive(const Params& p, double h) { return {decay(h, p.tau_m)}; }
  NPL_INLINE static double step(State& s, const Derived& d, const Input<receptors>& in) {
    s.V_m = FACTOR * s.V_m * d.P + in.spikes[0];
    return 0.0;
  }
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(leak, Leak)
"""


def leak(name: str, factor: str = "1.0") -> str:
    return LEAK.replace("NAME", name).replace("FACTOR", factor)


def decayed(model: object) -> np.ndarray:
    """Potential after a jump of 3 mV at 2 ms; one neuron with 10 ms, one with 20."""
    net = npl.Network()
    neurons = net.create(model, 2, tau_m=[10.0, 20.0])
    net.stimulate(neurons, npl.spike_train([1.0]), weight=3.0, delay=1.0)
    trace = net.record(neurons, "V_m", interval=0.1)
    net.run(12.0)
    return np.asarray(trace.data()["V_m"]).T


def test_closed_form(tmp_path):
    path = tmp_path / "leak.cpp"
    path.write_text(leak("own_leak"))
    entry = load_model(path)
    assert npl.models()["own_leak"] == entry == load_model(path)
    assert source_of(entry.digest) == path.read_text()
    assert "V_m" in repr(entry)
    trace = decayed(entry)
    assert trace.shape == (2, 120)  # at 0.1, 0.2, ... 12 ms
    steps = np.arange(101)
    for row, tau in zip(trace, (10.0, 20.0), strict=True):
        np.testing.assert_array_equal(row[:19], 0.0)
        np.testing.assert_allclose(row[19:], 3.0 * np.exp(-0.1 * steps / tau), rtol=1e-13)


def test_relations_are_checked():
    load_source(leak("own_leak"), "leak.cpp")
    with pytest.raises(BadParameter, match="tau_m = 2000"):
        npl.Network().create("own_leak", 3, tau_m=2000.0)


def test_a_new_definition_is_for_new_networks():
    first = load_source(leak("own_changed"), "leak.cpp")
    net = npl.Network()
    net.create(first)
    second = load_source(leak("own_changed", "0.5"), "leak.cpp")
    net.create("parrot_neuron")
    with pytest.raises(BadParameter, match="another one was loaded since"):
        net.create("own_changed")
    with pytest.raises(Stale, match="own_changed"):
        npl.Network().create(first)
    assert decayed(second).max() == 3.0
    assert decayed(second)[0, 25] < 0.1
    assert decayed(load_source(leak("own_changed"), "leak.cpp"))[0, 25] > 1.0  # the first one again


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (leak("own_wrong").replace("in.spikes[0]", "in.spikes[0"), r"mine\.cpp:\d+:\d+: error"),
        (leak("own_wrong").replace("d.P", "d.Q"), r"mine\.cpp:\d+:\d+: error: .*'?Q"),
        ("int f() { return g(); }", r"mine\.cpp:1:\d+: error"),
        ('#include "mine.hpp"\n', r"mine\.hpp"),
    ],
)
def test_what_does_not_compile_is_shown(text, message):
    with pytest.raises(ModelError, match=message) as caught:
        load_source(text, "mine.cpp")
    assert len(str(caught.value).splitlines()) <= 14


def test_no_model_in_a_file(tmp_path):
    """The error names the user's file and what is missing in it; so does the command."""
    bad = tmp_path / "bad.cpp"
    bad.write_text("int f() { return 1; }\n")
    with pytest.raises(ModelError, match=r"^bad\.cpp cannot be loaded: it registers no model.*NPL_NEURON.*NPL_SYNAPSE") as caught:
        load_model(bad)
    assert ".so" not in str(caught.value)
    done = CliRunner().invoke(app, ["build-model", str(bad)])
    assert done.exit_code == 1
    assert str(done.exception) == str(caught.value)


def test_a_built_in_name_is_refused():
    with pytest.raises(BadParameter, match="iaf_psc_exp"):
        load_source(leak("iaf_psc_exp"), "mine.cpp")


def test_no_file(tmp_path):
    with pytest.raises(BadFile, match=r"none\.cpp"):
        load_model(tmp_path / "none.cpp")
    with pytest.raises(BadFile, match="cannot be read"):
        load_model(tmp_path)


def test_no_compiler(monkeypatch):
    compilers.compiler.cache_clear()
    monkeypatch.setattr(compilers, "_candidates", lambda: [("none-such",)])
    try:
        with pytest.raises(MissingCompiler, match=r'pip install "neuropil\[models\]"'):
            load_source(leak("own_leak"), "leak.cpp")
    finally:
        compilers.compiler.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("level", ["baseline", "v3"])
def test_same_bits_for_each_instruction_set(monkeypatch, level):
    if level not in npl._core.simd_levels()["machine"]:
        pytest.skip(f"no {level} on this machine")
    wanted = decayed(load_source(leak("own_levels"), "leak.cpp"))
    monkeypatch.setattr(building, "level", lambda: level)
    entry = load_source(leak("own_levels") + "// for another level\n", "leak.cpp")
    np.testing.assert_array_equal(decayed(entry), wanted)


def test_checkpoints_carry_the_source(tmp_path):
    text = leak("own_saved") + "// one\n"
    net = npl.Network(seed=2)
    neurons = net.create(load_source(text, "leak.cpp"), 5, V_m=npl.uniform(0.0, 10.0))
    net.run(3.0)
    net.save(tmp_path / "a.ckpt")
    net.run(3.0)
    other = leak("own_saved", "0.5")
    load_source(other, "leak.cpp")
    with pytest.raises(ModelError, match=r"own_saved.*another one"):
        npl.load(tmp_path / "a.ckpt")
    again = npl.load(tmp_path / "a.ckpt", trust=True)
    again.run(3.0)
    np.testing.assert_array_equal(again.populations[0].V_m, neurons.V_m)


def test_the_command_resumes_a_trusted_checkpoint(tmp_path):
    net = npl.Network(seed=2)
    net.create(load_source(leak("own_resumed") + "// one\n", "leak.cpp"), 5)
    net.run(3.0)
    net.save(tmp_path / "a.ckpt")
    load_source(leak("own_resumed", "0.5"), "leak.cpp")
    words = ["checkpoint", "resume", str(tmp_path / "a.ckpt"), "--until", "6"]
    with pytest.raises(ModelError, match="checkpoint resume --trust"):
        CliRunner().invoke(app, words, catch_exceptions=False)
    done = CliRunner().invoke(app, [*words, "--trust"])
    assert done.exit_code == 0, done.exception
    assert "from 3 to 6 ms, saved" in done.output


def test_import_compiles_nothing():
    program = "import sys, neuropil; neuropil.Network().create('iaf_psc_exp'); print([m for m in sys.modules if 'own_models' in m])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_source(leak("own_leak"), "leak.cpp")


PAIRS = """// SPDX-License-Identifier: Apache-2.0
#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

template <class Decays>
struct Pairs : RuleDefaults {
  static constexpr int row_values = 1;
  double tau_plus, lambda, Wmax;
  Decays plus;

  Pairs(const double* p, double dt) : tau_plus(p[0]), lambda(p[2]), Wmax(p[3]), plus(tau_plus, dt) { tau_minus = p[1]; }
  static void check(const double* p) {
    if (p[3] > 1e6) throw BadParameter("Wmax", p[3], "at most 1e6");
  }
  double largest_weight() const { return Wmax; }
  std::array<double, PreValues::most> source(double ms, bool first, double* kept) const {
    const double before = first ? 0.0 : kept[0];
    kept[0] = before * math::exp(-Decay::exponent(ms, tau_plus)) + 1.0;
    return {before};
  }
  std::optional<double> state(std::string_view name, const double* row, const double*) const {
    return name == "x" ? std::optional(row[0]) : std::nullopt;
  }
  template <class Event>
  double send(const Event& e, double& weight, double*) const {
    const auto until = e.stamp - e.delay, from = e.last() - e.delay;
    e.for_post_spikes(from, until, [&](auto post) {
      weight = std::min(Wmax, weight + FACTOR * lambda * Wmax * e.before->value[0] * plus(post - from));
    });
    weight = std::max(0.0, weight - FACTOR * lambda * Wmax * e.post->before(e.local, until));
    return weight;
  }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(pairs, rule_synapse<Pairs>("NAME", "Additive pairs.", {{"tau_plus", "ms", 20.0, "Window", Bound::positive},
                                                                   {"tau_minus", "ms", 20.0, "Window", Bound::positive},
                                                                   {"lambda", "", 0.01, "Step"},
                                                                   {"Wmax", "", 100.0, "Largest weight", Bound::positive}},
                                       {"tau_minus"}, {{"x", "", 0.0, "Trace of the source"}}))
"""


def pairs(name: str, factor: str = "1.0") -> str:
    return PAIRS.replace("NAME", name).replace("FACTOR", factor)


def learning(synapse, target="iaf_psc_exp", settings=None, cut=None):
    """Weights after 400 ms. cut : a file that the network is put into, and taken out of, after half of them."""
    net = npl.Network(seed=3, **({"threads": 1} | (settings or {})))
    sources, targets = net.create("iaf_psc_exp", 60, I_e=380.0, V_m=npl.uniform(-70.0, -55.0)), net.create(target, 30, I_e=378.0)
    net.connect(sources, targets, npl.fixed_indegree(20), synapse=synapse, weight=npl.uniform(10.0, 60.0), delay=npl.uniform(0.5, 3.0))
    net.run(200.0)
    if cut is not None:
        net.save(cut)
        net = npl.load(cut, threads=2)
    net.run(200.0)
    return np.asarray(net.connections(synapse=synapse if isinstance(synapse, str) else synapse.name).weight)


def test_a_synapse_model_of_a_file(tmp_path):
    entry = load_source(pairs("own_pairs"), "own_pairs.cpp")
    assert (entry.kind, entry.name) == ("synapse", "own_pairs")
    assert "own_pairs" in npl.synapses()
    found = learning("own_pairs")
    twin = npl.synapse("stdp_synapse", tau_plus=20.0, tau_minus=20.0, lambda_=0.01, alpha=1.0, mu_plus=0.0, mu_minus=0.0, Wmax=100.0)
    assert len(set(found.tolist())) > 500
    assert found == pytest.approx(learning(twin), abs=1e-4)  # it keeps weights as float32
    for settings in ({"threads": 3, "block_size": 7}, {"threads": 2}):
        assert np.array_equal(learning("own_pairs", settings=settings), found)
    assert np.array_equal(learning("own_pairs", cut=tmp_path / "a.npc"), found)
    assert np.isfinite(learning("own_pairs", target="iaf_psc_exp_ps")).all()


def test_relations_of_parameters_of_a_synapse_model():
    load_source(pairs("own_pairs"), "own_pairs.cpp")
    net = npl.Network(threads=1)
    cells = net.create("iaf_psc_exp", 2)
    for given in (2e6, npl.uniform(50.0, 2e6)):
        with pytest.raises(BadParameter, match="at most 1e6"):
            net.connect(cells, cells, synapse=npl.synapse("own_pairs", Wmax=given), weight=1.0)
    p = net.connect(cells, cells, synapse=npl.synapse("own_pairs", Wmax=50.0), weight=1.0)
    net.run(1.0)
    with pytest.raises(BadParameter, match="at most 1e6"):
        p.set(Wmax=2e6)


@pytest.mark.slow
def test_another_synapse_model_of_a_name():
    load_source(pairs("renewed_pairs"), "renewed_pairs.cpp")
    net = npl.Network(threads=1)
    cells = net.create("iaf_psc_exp", 2)
    net.connect(cells, cells, synapse="renewed_pairs", weight=1.0)
    load_source(pairs("renewed_pairs", "2.0"), "renewed_pairs.cpp")
    with pytest.raises(BadParameter, match="another one was loaded since"):
        net.connect(cells, cells, synapse="renewed_pairs", weight=1.0)
    with pytest.raises(BadParameter, match="built in"):
        load_source(pairs("stdp_synapse"), "stdp_synapse.cpp")


def test_a_checkpoint_carries_its_synapse_models(tmp_path):
    load_source(pairs("kept_pairs"), "kept_pairs.cpp")
    expected = learning("kept_pairs", cut=tmp_path / "a.npc")
    code = (
        "import neuropil as npl, numpy as np\n"
        "try: npl.load('a.npc', threads=1); raise SystemExit('not refused')\n"
        "except npl.errors.ModelError as error: assert 'kept_pairs' in str(error), error\n"
        "net = npl.load('a.npc', threads=1, trust=True)\n"
        "net.run(200.0)\n"
        "np.save('w.npy', np.asarray(net.connections(synapse='kept_pairs').weight))\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=120)
    assert np.array_equal(np.load(tmp_path / "w.npy"), expected)
