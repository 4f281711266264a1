# SPDX-License-Identifier: Apache-2.0
"""Networks on communicators of mpi4py: all ranks, parts of them, several at a time."""

import json

import numpy as np
import pytest

import neuropil as npl
from mpi import jobs
from neuropil.errors import BadParameter, BadType

NETWORK = """
import neuropil as npl
def spikes(seed, **options):
    net = npl.Network(seed=seed, threads=1, **options)
    exc = net.create("iaf_psc_exp", 60, I_e=npl.normal(500.0, 50.0))
    net.connect(exc, exc, npl.fixed_indegree(6), weight=npl.normal(40.0, 4.0), delay=npl.uniform(0.5, 2.0))
    record = net.record(exc)
    net.run(60.0)
    return net, record
"""
PROGRAM = """
from mpi4py import MPI
world = MPI.COMM_WORLD
part = world.Split(world.rank % 2, -world.rank)  # ranks in the opposite order
found = {}
for seed, comm in ((3, world), (4 + world.rank % 2, part), (3, world)):
    net, record = spikes(seed, comm=comm)
    assert (net.rank, net.n_ranks) == (comm.rank, comm.size), (net, comm.rank)
    found[str(seed)] = [record.times.tolist(), record.gids.tolist(), int(record.view(False).counts().sum())]
net.extra["record"] = record
net.save(PATH)
again = npl.load(PATH, comm=world.Dup(), threads=1)
for one in (net, again):
    one.run(20.0)
found["again"] = again.n_ranks == world.size and again.extra["record"].times.tolist() == record.times.tolist()
import json
line = json.dumps(found)
"""


def its_mpi(kind: str) -> dict[str, str]:
    """Which MPI mpi4py opens, where there are two; the test ends where mpi4py is not there."""
    pytest.importorskip("mpi4py", exc_type=ImportError)
    return {"MPI4PY_MPIABI": {"ompi": "openmpi"}.get(kind, kind), "LD_LIBRARY_PATH": str(jobs.installations()[kind].parents[1] / "lib")}


def test_networks_on_all_ranks_and_on_parts_have_the_spikes_of_one_rank(kind, tmp_path):
    (tmp_path / "lines").mkdir()
    program = f"PATH = {str(tmp_path / 'net.npc')!r}\n" + NETWORK + PROGRAM
    lines = [json.loads(line) for line in jobs.lines(kind, 4, program, tmp_path / "lines", **its_mpi(kind))]
    scope: dict = {}
    exec(NETWORK, scope)
    for seed, ranks in (("3", 4), ("4", 2), ("5", 2)):
        _, alone = scope["spikes"](int(seed))
        having = [line[seed] for line in lines if seed in line]
        assert len(having) == ranks
        for times, gids, _ in having:
            np.testing.assert_array_equal(times, alone.times)
            np.testing.assert_array_equal(gids, alone.gids)
        assert sum(own for _, _, own in having) == len(alone) > 100
    assert all(line["again"] for line in lines)


@pytest.mark.parametrize("comm", [0, "MPI.COMM_WORLD", object()])
def test_other_things_are_refused(comm):
    with pytest.raises(BadType, match="a communicator of mpi4py"):
        npl.Network(comm=comm)


def test_one_of_ranks_comm_and_dry_run_is_given():
    with pytest.raises(BadParameter, match="left out where"):
        npl.Network(comm=object(), dry_run=npl.dry_run(ranks=2, rank=0))


REFUSED = """
from mpi4py import MPI
import neuropil as npl
from neuropil.errors import BadParameter
world = MPI.COMM_WORLD
inter = world.Split(world.rank, 0).Create_intercomm(0, world, 1 - world.rank)
said = []
for comm in (MPI.COMM_NULL, inter):
    try:
        npl.Network(comm=comm)
    except BadParameter as error:
        said.append("this process belongs to" in str(error))
line = str(said)
"""


def test_communicators_of_others_are_refused(kind, tmp_path):
    assert jobs.lines(kind, 2, REFUSED, tmp_path, **its_mpi(kind)) == ["[True, True]"] * 2
