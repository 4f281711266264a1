# SPDX-License-Identifier: Apache-2.0
"""gather=False: a rank reads its own part of spikes, samples, weights and connections, and asks no other rank."""

import numpy as np
import pytest

import neuropil as npl
from thread_ranks import on_ranks

RANKS = 3


def recorded(comm):
    """A network that ran, and its recorders."""
    net = npl.Network(0.1, seed=3, threads=1, ranks=comm)
    cells = net.create("iaf_psc_exp", 40, I_e=400.0, V_m=npl.uniform(-70.0, -56.0))
    weights = net.record_weights()
    net.connect(cells, cells, npl.fixed_indegree(4), weight=30.0, delay=1.0, synapse="stdp_synapse", weight_recorder=weights)
    spikes, trace = net.record(cells), net.record(cells[::3], ["V_m", "I_syn_ex"], interval=0.5)
    net.run(60.0)
    return net, spikes, trace, weights


def ranks(program):
    found = on_ranks(RANKS, program)
    for each in found:
        if isinstance(each, BaseException):
            raise each
    return found


def test_own_parts_are_those_of_the_ranks_nodes():
    def program(comm):
        net, spikes, trace, weights = recorded(comm)
        own, mine = spikes.view(gather=False), net.ranks_of(spikes.nodes) == net.rank
        keep = np.isin(spikes.gids, spikes.nodes.gids[mine])
        assert own.gids.tolist() == spikes.gids[keep].tolist() and own.times.tolist() == spikes.times[keep].tolist()
        assert own.nodes.gids.tolist() == own.watched.tolist() == spikes.nodes.gids[mine].tolist()
        assert 0 < len(own) < len(spikes)
        assert own.view(gather=True).gids.tolist() == spikes.gids.tolist()

        part, here = trace.view(gather=False), net.ranks_of(trace.nodes) == net.rank
        assert part.nodes.gids.tolist() == trace.nodes.gids[here].tolist()
        assert part.values.tobytes() == np.ascontiguousarray(trace.values[:, here]).tobytes()
        assert part["V_m"].shape == (len(trace), here.sum())

        sent, ends = weights.view(gather=False), np.isin(weights.target, spikes.nodes.gids[mine])
        assert sent.weight.tolist() == weights.weight[ends].tolist()

        whole, some = net.connections(), net.connections(gather=False)
        ends = np.isin(whole.target, spikes.nodes.gids[mine])
        assert (some.source.tolist(), some.target.tolist()) == (whole.source[ends].tolist(), whole.target[ends].tolist())
        assert some.weight.tolist() == whole.weight[ends].tolist()
        assert some.state("Kplus").tolist() == whole.state("Kplus")[ends].tolist()
        return len(own), len(sent), len(some), len(spikes), len(weights), len(whole)

    found = np.array(ranks(program))
    assert found[:, :3].sum(0).tolist() == found[0, 3:].tolist()
    assert found[:, 2].min() > 0


def test_one_rank_reads_alone():
    """Were it collective, the others would be in another call: RankError."""

    def program(comm):
        net, spikes, trace, weights = recorded(comm)
        if net.rank == 1:
            some = net.connections(gather=False, synapse="stdp_synapse")
            assert len(spikes.view(gather=False)) and len(trace.view(gather=False)) and len(weights.view(gather=False))
            assert len(some.weight) == len(some[:5].state("Kplus")) + len(some) - 5
        net.run(1.0)
        return net.time

    assert ranks(program) == [61.0] * RANKS


def test_connections_of_one_rank_are_not_changed():
    """One rank knows only its own: all change connections together. Nothing has changed then."""
    net, *_ = recorded(None)
    own, before = net.connections(gather=False), net.connections().weight
    with pytest.raises(npl.errors.BadParameter, match="gather"):
        own.weight = 1.0
    with pytest.raises(npl.errors.BadParameter, match="gather"):
        net.disconnect(own[:3])
    assert net.connections().weight.tolist() == before.tolist()
    assert own.weight.tolist() == before.tolist()


def test_what_waits_is_built_together():
    """After connect the query builds first, on all ranks."""

    def program(comm):
        net, *_ = recorded(comm)
        late = net.create("iaf_psc_exp", 6)
        net.connect(late, late, weight=1.0, delay=1.0)
        return len(net.connections(late, gather=False))

    assert sum(ranks(program)) == 36
