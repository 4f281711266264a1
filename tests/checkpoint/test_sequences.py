# SPDX-License-Identifier: Apache-2.0
"""Any sequence of calls, with the network put into a file and taken out, cloned, or sent back in time in between: the same bits as without."""

import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuropil as npl
from thread_ranks import on_ranks, the_same

KEEPING = ("file", "stored file", "clone", "restore")
STEPS = ["run", "run", "set", "state", "weights", "delays", "remove", "connect", "create", "record", "clear", "seed", *KEEPING, "file"]


def made(comm=None, threads=1):
    net = npl.Network(seed=3, threads=threads, ranks=comm)
    cells = net.create(
        "iaf_psc_exp",
        30,
        V_m=npl.normal(-62.0, 3.0),
        I_e=npl.uniform(330.0, 420.0),
        name="cells",
        positions=npl.free(npl.uniform(0, 1), dims=2),
    )
    rough = net.create("izhikevich", 10, I_e=npl.uniform(4.0, 12.0), name="rough")
    precise = net.create("iaf_psc_exp_ps", 8, I_e=400.0, name="precise")
    net.connect(
        cells, cells, npl.fixed_indegree(5), synapse=npl.stdp(), weight=npl.uniform(1.0, 40.0), delay=npl.uniform(0.5, 4.0), name="plastic"
    )
    net.connect(cells, rough, npl.fixed_indegree(6), synapse=npl.synapse.tsodyks2_synapse(), weight=2.0, delay=1.2, name="short")
    net.connect(precise, cells, npl.pairwise_bernoulli(0.3), weight=npl.normal(30.0, 3.0), delay=npl.uniform(0.4, 2.0), name="static")
    net.connect(rough, precise, npl.fixed_outdegree(3), weight=-20.0, delay=0.7, name="back")
    net.stimulate(cells, npl.poisson(3000.0), weight=25.0)
    net.stimulate(precise, npl.poisson(2000.0), weight=25.0)
    net.stimulate(rough, npl.noise(0.0, 3.0))
    net.connect(net.create("gamma_sup_generator", 3, rate=40.0, name="gamma"), cells, weight=15.0)
    return net, {
        "records": [
            net.record(cells + precise),
            net.record(cells[:4], "V_m"),
            net.record(net.projections["plastic"], ["weight", "Kplus"], interval=3.0),
        ]
    }


def kept(step, net, held, folder):
    """The network after it was kept somewhere, and what the script holds of it."""
    if step == "clone":
        twin = net.copy()
        return twin, {"records": [twin.counterpart(record) for record in held["records"]]}
    if step == "restore":
        net.store()
        net.run(4.3)
        net["cells"].V_m = -64.0
        net.projections["plastic"].weight = 5.0
        net.restore()
        return net, held
    path = folder / "run.npc"
    net.save(path, held, edges="store" if step == "stored file" else "describe", keep=2)
    again = npl.load(path, ranks=net._comm, threads=net.threads)
    return again, again.extra


def changed(step, net, held, k):
    if step == "run":
        net.run(2.3 + k)
    elif step == "set":
        net["cells"].I_e = npl.uniform(340.0, 430.0 + k)
    elif step == "state":
        net["rough"].V_m = -66.0 + k
    elif step == "weights":
        net.projections["static"].weight[:: 2 + k] = 30.0 + k
    elif step == "delays":
        net.projections["plastic"].connections()[k::3].set(delay=1.0 + 0.1 * k)
    elif step == "remove":
        found = net.projections["short"]
        found.disconnect(np.arange(len(found)) % 5 == k % 5)
    elif step == "connect":
        net.connect(
            net["cells"],
            net["cells"],
            npl.pairwise_bernoulli(0.1 * npl.space.gaussian(npl.distance, std=0.5)),
            weight=4.0,
            delay=1.0 + 0.1 * k,
            name=f"more{k}",
        )
    elif step == "create":
        more = net.create("iaf_psc_alpha", 4, I_e=npl.uniform(350.0, 420.0), name=f"made{k}")
        net.connect(more, net["cells"], npl.fixed_indegree(2), weight=npl.exponential(10.0), delay=1.5, name=f"from{k}")
        held["records"].append(net.record(more))
    elif step == "record":
        held["records"].append(net.record(net["rough"], "V_m", interval=0.5))
        held["records"].append(net.record(net["gamma"]))
    elif step == "clear":
        for record in held["records"]:
            record.clear()
    elif step == "seed":
        net._reseed(k + 17)


def bits(net, held):
    found = [net.time, net.n_connections, net.counters["spikes"]]
    for record in held["records"]:
        if isinstance(record, npl.results.SpikeRecord):
            columns = [record.times, record.gids]
        else:
            columns = [record.times, *(record[name] for name in record.names)]
        found += [np.asarray(column).tobytes() for column in columns]
    for projection in net.projections:
        if projection._stored() and projection.name:
            found += [np.asarray(projection.weight).tobytes(), np.asarray(projection.delay).tobytes()]
    return [*found, *(np.asarray(net[name].V_m).tobytes() for name in ("cells", "rough", "precise"))]


def played(steps, comm=None, threads=1, folder=None):
    net, held = made(comm, threads)
    k = 0
    for step in steps:
        if step == "build":
            net.build()
        elif step in KEEPING:
            net, held = kept(step, net, held, folder)
        else:
            changed(step, net, held, k)
            k += 1
    net.run(15.0)
    return bits(net, held)


def without(steps):
    return played(["build" if step in KEEPING else step for step in steps])  # a generator keeps the seed that it was built with


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(STEPS), min_size=3, max_size=9))
def test_any_sequence(steps):
    with tempfile.TemporaryDirectory() as folder:
        assert played(steps, folder=Path(folder)) == without(steps)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(STEPS), min_size=3, max_size=12))
def test_any_sequence_often(steps):
    with tempfile.TemporaryDirectory() as folder:
        assert played(steps, folder=Path(folder)) == without(steps)


@pytest.mark.parametrize(
    "steps",
    [
        ["run", "file", "delays", "file", "run", "weights", "file", "remove", "run"],
        ["create", "run", "stored file", "connect", "restore", "run", "clone", "run"],
        ["weights", "run", "remove", "delays", "file", "record", "run", "clear", "file", "run"],
        ["run", "seed", "file", "run", "create", "stored file", "state", "run"],
    ],
)
@pytest.mark.parametrize("ranks", [2, 3])
def test_on_ranks(tmp_path, steps, ranks):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = the_same(on_ranks(ranks, lambda comm: played(steps, comm, folder=tmp_path)))
    assert found == without(steps)


def test_what_run_would_refuse_can_be_saved(tmp_path):
    net = npl.Network(threads=1)
    on_grid, off_grid = net.create("hh_psc_alpha_gap", 2), net.create("iaf_psc_exp_ps", 1)
    net.connect(on_grid, on_grid, npl.all_to_all(autapses=False), synapse="gap_junction", weight=0.5)
    with pytest.raises(npl.errors.IllegalConnection, match="unless waveform relaxation is off"):
        net.run(1.0)
    net.save(tmp_path / "a.npc", {"nodes": (on_grid, off_grid)})
    again = npl.load(tmp_path / "a.npc", threads=2)
    with pytest.raises(npl.errors.IllegalConnection, match="unless waveform relaxation is off"):
        again.run(1.0)
    potentials = []
    for one, nodes in ((net, (on_grid, off_grid)), (again, again.extra["nodes"])):
        one.relax_waveforms(False)
        one.run(5.0)
        potentials.append([each.get("V_m").tolist() for each in nodes])
    assert potentials[0] == potentials[1]
