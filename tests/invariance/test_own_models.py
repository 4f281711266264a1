# SPDX-License-Identifier: Apache-2.0
"""Models from equations and NESTML, compiled for each instruction set and run on threads: the same bits (law 1)."""

from pathlib import Path

import numpy as np
import pytest

import neuropil as npl
from equations.compiled import COMPILER
from lowlevel import digest
from neuropil import _core
from neuropil.own_models import building
from neuropil.own_models.loading import load_source
from simd_levels import LEVELS

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++")
NESTML = Path(__file__).parents[1] / "nestml/models/izhikevich.nestml"


def sources():
    """The C++ of each model by its part in the network."""
    exponential = npl.neuron(
        "level_exponential",
        """dV/dt = (E - V + D*exp((V - T)/D))/tau + (I_syn + I_e)/C : mV
        dI_syn/dt = -I_syn/tau_s : pA (receptor)""",
        threshold="V > 0*mV", reset="V = E", refractory=2.0,
        parameters={"E": "-70 mV", "D": "2 mV", "T": "-50 mV", "tau": 10.0, "C": "250 pF", "tau_s": 2.0, "I_e": 500.0},
    )  # fmt: skip
    noisy = npl.neuron(
        "level_noisy", "dx/dt = (mu - x)/tau + sigma*(1 + tanh(x/mV))*xi : mV (receptor)", threshold="x > theta", reset="x = 0*mV",
        parameters={"mu": "8 mV", "tau": 10.0, "sigma": "1 mV/ms**0.5", "theta": "10 mV"},
    )  # fmt: skip
    pairs = npl.synapse_model(
        "level_pairs", "dx/dt = -x/tau_plus (pre)", "dy/dt = -y/tau_minus (post)", on_pre="w -= lr*y; x += 1", on_post="w += lr*x; y += 1",
        bounds=("0", "Wmax"), parameters={"tau_plus": 20.0, "tau_minus": 25.0, "lr": 0.3, "Wmax": 100.0},
    )  # fmt: skip
    kept = npl.synapse_model(
        "level_kept", "dx/dt = -x/tau (synapse)", on_pre="w -= lr*x; x += exp(-w/W)", on_post="w += lr*x*random_uniform(0, 1); x += 1",
        bounds=("0", "W"), parameters={"tau": 20.0, "lr": 0.3, "W": 100.0},
    )  # fmt: skip
    models = {"exponential": exponential, "noisy": noisy, "nestml": npl.nestml.load(NESTML), "pairs": pairs, "kept": kept}
    return {part: model.source for part, model in models.items()}


NEURONS = {"exponential": ("V", 20.0), "noisy": ("x", 0.5), "nestml": ("V_m", 1.0)}  # what is recorded, and a weight
RULES = ("pairs", "kept")
ALL = (*NEURONS, *RULES)


def result(parts, note="", threads=1):
    """Hash of spikes, state and weights of a network of these models. note : a comment, for which they are compiled anew."""
    texts = sources()
    entries = {part: load_source(texts[part] + note, f"{part}.cpp") for part in parts}
    net = npl.Network(seed=7, threads=threads)
    cells = {part: net.create(entries[part], 37) for part in NEURONS if part in parts}
    if "exponential" in cells:
        net.stimulate(cells["exponential"], npl.poisson(rate=3000.0), weight=60.0)
    if "nestml" in cells:
        net.stimulate(cells["nestml"], npl.dc(amplitude=20.0))
    rules = [npl.synapse(entries[part].name) for part in RULES if part in parts]
    for k, (pre, post) in enumerate((a, b) for a in cells for b in cells):
        rule, weight = rules[k % len(rules)], NEURONS[post][1]
        net.connect(cells[pre], cells[post], npl.fixed_indegree(5), weight=weight, delay=1.5, synapse=rule, double_weights=True)
    spikes = [net.record(each) for each in cells.values()]
    traces = [net.record(each, NEURONS[part][0], interval=0.3) for part, each in cells.items()]
    net.run(100.0, progress=False)
    assert min(len(each.steps) for each in spikes) > 20
    weights = net.connections().weight
    assert np.std(weights) > 0.1
    return digest(*(values for each in spikes for values in (each.steps, each.gids)), *(each.values for each in traces), weights)


@pytest.fixture(scope="module")
def expected():
    return result(ALL)


@pytest.fixture
def restored_simd():
    before = _core.simd()
    yield
    _core.set_simd(before)


def test_threads():
    """Two of the models, which are compiled in few seconds."""
    assert result(("noisy", "pairs"), threads=2) == result(("noisy", "pairs"))


@pytest.mark.slow  # five models are compiled
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_with_all_models(expected, threads):
    assert result(ALL, threads=threads) == expected


@pytest.mark.slow  # the headers are compiled for each level, about half a minute
@pytest.mark.parametrize("level", LEVELS)
def test_instruction_sets(expected, restored_simd, monkeypatch, level):
    """The models are compiled for the level, even where the kernel is not."""
    if level not in _core.simd_levels()["machine"]:
        pytest.skip(f"this machine lacks {level}")
    _core.set_simd(level)
    monkeypatch.setattr(building, "level", lambda: level)
    assert result(ALL, f"// for {level}\n") == result(ALL, f"// for {level}\n", threads=2) == expected
