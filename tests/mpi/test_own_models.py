# SPDX-License-Identifier: Apache-2.0
"""Own models on several ranks: one compiles, all load; ranks that have different sources are refused."""

import pytest

from mpi import jobs
from own_models.test_loading import leak

PROGRAM = """
import neuropil as npl
from neuropil.own_models.loading import load_source
rank = npl.rank()
model = load_source({text!r} + ("// rank %d" % rank) * {different}, "leak.cpp")
net = npl.Network(seed=1)
try:
    neurons = net.create(model, 10, V_m=npl.uniform(0.0, 1.0))
    net.run(2.0)
    print(rank, "potential", sum(neurons.V_m))
except npl.NeuropilError as error:
    print(rank, type(error).__name__)
"""


SYNAPSES = """
import neuropil as npl
net = npl.Network(seed=1, threads=1)
neurons = net.create("iaf_psc_exp", 20, I_e=npl.uniform(400.0, 600.0))
stdp = npl.synapse_model("stdp_on_ranks", "dx/dt = -x/tau_plus (pre)", "dy/dt = -y/tau_minus (post)",
    on_pre="w -= lr*y; x += 1", on_post="w += lr*x; y += 1", parameters=dict(tau_plus=20.0, tau_minus=20.0, lr={lr}), bounds=("0", "200.0"))
try:
    drive = net.connect(neurons, neurons, npl.fixed_indegree(5), weight=50.0, delay=1.5, synapse=stdp)
    net.run(200.0)
    print(npl.rank(), "weights", net.connections(synapse=stdp).weight.sum().hex(), flush=True)
except npl.NeuropilError as error:
    print(npl.rank(), type(error).__name__, flush=True)
"""


def lines_of(kind: str, ranks: int, program: str) -> set[str]:
    done = jobs.run(kind, ranks, jobs.python(program))
    assert done.returncode == 0, done.stderr
    return {line.partition(" ")[2] for line in done.stdout.splitlines()}


def shown(kind: str, ranks: int, different: bool) -> set[str]:
    return lines_of(kind, ranks, PROGRAM.format(text=leak("own_on_ranks"), different=different))


def test_the_same_on_any_number_of_ranks(kind):
    assert len(shown(kind, 1, False) | shown(kind, 3, False)) == 1


def test_different_sources_are_refused(kind):
    assert shown(kind, 2, True) == {"RankError"}


def test_synapses_from_equations_are_the_same_on_any_number_of_ranks(kind):
    (one,) = lines_of(kind, 1, SYNAPSES.format(lr="0.5"))
    assert one.startswith("weights ")
    assert lines_of(kind, 3, SYNAPSES.format(lr="0.5")) == {one}


@pytest.mark.slow  # test_different_sources_are_refused is in every check
def test_different_synapses_are_refused(kind):
    assert lines_of(kind, 2, SYNAPSES.format(lr="0.5 + npl.rank()")) == {"RankError"}
