# SPDX-License-Identifier: Apache-2.0
"""What every installed package must do, with numpy and rich alone: `python packaging/smoke.py [--wheel]`, also under mpiexec.

--wheel: a package for other machines; it has all instruction sets and both MPI plug-ins.
"""

from __future__ import annotations

import math
import os
import shutil
import sys
import tempfile
from pathlib import Path

import neuropil as npl
from neuropil import _core
from neuropil.parallel.build_mpi import package_directory


def network() -> tuple[npl.Network, npl.Record]:
    """A small network with random drive, and its spikes."""
    net = npl.Network(seed=3)
    cells = net.create("iaf_psc_exp", 100, I_e=360.0)
    net.connect(cells, cells, npl.fixed_indegree(10), weight=20.0, delay=1.5)
    net.stimulate(cells, npl.poisson(rate=5000.0), weight=15.0)
    return net, net.record(cells)


def spikes_as_the_equation_says() -> None:
    """A neuron with a constant current spikes first when its membrane equation reaches the threshold."""
    net = npl.Network(seed=1)
    spikes = net.record(net.create("iaf_psc_delta", 1, I_e=1000.0))
    net.run(20.0)
    first = -10.0 * math.log(1.0 - 15.0 / 40.0)  # ms
    assert 0.0 <= spikes.times[0] - first <= 0.2, spikes.times[:1]


def a_checkpoint_goes_on() -> None:
    """A network that was saved at 50 ms and loaded has the spikes of one that ran on."""
    folder = Path(tempfile.gettempdir()) / f"neuropil_smoke_{os.getppid()}"  # ranks have one parent
    folder.mkdir(exist_ok=True)
    net, spikes = network()
    net.extra = {"spikes": spikes}
    net.run(50.0)
    net.save(folder / "run.npc")
    again = npl.load(folder / "run.npc")
    net.run(50.0)
    again.run(50.0)
    assert again.time == net.time == 100.0
    assert len(spikes.times) > 100 and spikes.times.tolist() == again.extra["spikes"].times.tolist()
    if npl.rank() == 0:
        shutil.rmtree(folder)


def a_nest_script_runs() -> None:
    """The names of NEST."""
    from neuropil import nest

    nest.ResetKernel()
    cells, recorder = nest.Create("iaf_psc_alpha", 2, {"I_e": 500.0}), nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Simulate(100.0)
    assert recorder.n_events > 0


def serves_other_machines() -> None:
    """A wheel has every instruction set of its architecture and a plug-in for each MPI."""
    levels = _core.simd_levels()
    assert set(levels["machine"]) <= set(levels["build"]), levels
    plugins = {path.stem for path in package_directory().glob("_mpi_*.so")}
    assert plugins == {"_mpi_ompi", "_mpi_mpich"}, plugins


def main() -> None:
    """All of it; an error ends it."""
    spikes_as_the_equation_says()
    a_checkpoint_goes_on()
    a_nest_script_runs()
    if "--wheel" in sys.argv:
        serves_other_machines()
    if npl.rank() == 0:
        print(f"neuropil {npl.__version__}, {_core.simd()}, {npl.n_ranks()} ranks: all well")


if __name__ == "__main__":
    main()
