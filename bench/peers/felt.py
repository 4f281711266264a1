# SPDX-License-Identifier: Apache-2.0
"""What a script spends outside the time loop: python -m bench.peers.felt --task reset

The same script for NEST and, by python -m neuropil.nest, for neuropil. Prints one JSON object with the seconds of the task and how many
operations they were, and a number that both simulators must agree on.
"""

from __future__ import annotations

import argparse
import tempfile
import time

from bench.peers import common

MODELS = {"glif_psc": 200.0, "iaf_cond_alpha": 400.0, "glif_cond": 200.0}  # pA, at which they fire


def reset(nest, n: int, model: str = "iaf_psc_alpha", duration: float = 1000.0):
    """A script that tries n values, each in a kernel of its own."""
    for k in range(n):
        nest.ResetKernel()
        cell, recorder = nest.Create(model, params={"I_e": 300.0 + k}), nest.Create("spike_recorder")
        nest.Connect(cell, recorder)
        nest.Simulate(duration)
    return recorder.n_events


def reset_aeif(nest, n: int):
    """The same of a neuron with a solver, for half a second."""
    return reset(nest, n, "aeif_cond_alpha", 500.0)


def calls(nest, n: int):
    """A closed loop: a millisecond, look, act."""
    cell = nest.Create("iaf_psc_alpha")
    yield
    for k in range(n):
        nest.Simulate(1.0)
        cell.set(I_e=300.0 + k % 100)
        found = cell.get("V_m")
    yield round(found, 6)


def singles(nest, n: int):
    """Connections from a list, one by one; and the step in which the tables are made."""
    cells = nest.Create("iaf_psc_alpha", 100)
    yield
    for k in range(n):
        nest.Connect(cells[k % 100], cells[7 * k % 100], syn_spec={"weight": 1.0 + k % 13, "delay": 1.5})
    nest.Simulate(0.1)
    yield nest.num_connections


def blocks(nest, n: int):
    """sqrt(n) populations of 20, each with each, weights and delays drawn; and the step in which the tables are made."""
    side = round(n**0.5)
    pops = [nest.Create("iaf_psc_alpha", 20) for _ in range(side)]
    yield
    for k, pre in enumerate(pops):
        for post in pops:
            weight = nest.random.normal(20.0 if k % 5 else -80.0, 2.0)
            nest.Connect(pre, post, {"rule": "fixed_indegree", "indegree": 5}, {"weight": weight, "delay": nest.random.uniform(0.5, 2.0)})
    nest.Simulate(0.1)
    yield nest.num_connections


def counted(nest, n: int, count) -> int:
    """n populations of 50, each with each; how many connections there are, after every Connect."""
    pops = [nest.Create("iaf_psc_alpha", 50) for _ in range(n)]
    yield
    for pre in pops:
        for post in pops:
            nest.Connect(pre, post, {"rule": "fixed_indegree", "indegree": 10}, {"weight": 20.0, "delay": 1.5})
            found = count(pre, post)
    yield found


def count_kernel(nest, n: int):
    """kernel status."""
    return counted(nest, n, lambda pre, post: nest.num_connections)


def count_pairs(nest, n: int):
    """the connections just made."""
    return counted(nest, n, lambda pre, post: len(nest.GetConnections(pre, post)))


def count_model(nest, n: int):
    """by model."""
    return counted(nest, n, lambda pre, post: nest.GetDefaults("static_synapse")["num_connections"])


def asked(nest, n: int):
    """As PyNN connects: one target after the other, and after each the connections of its synapse model are asked for."""
    cells = nest.Create("iaf_psc_alpha", n)
    sources = cells[:5]
    yield
    for k in range(n):
        nest.Connect(sources, cells[k])
        found = nest.GetConnections(target=cells[k], synapse_model="static_synapse")
    yield len(found)


def all_keys(nest, n: int):
    """get() of a neuron and of a connection, and GetDefaults, with all keys."""
    cell = nest.Create("iaf_psc_exp")
    nest.Connect(cell, cell)
    connection = nest.GetConnections(cell, cell)
    yield
    for _ in range(n):
        found = cell.get()["tau_m"] + connection.get()["weight"] + nest.GetDefaults("iaf_psc_exp")["C_m"]
    yield found


def spatial(nest, n: int):
    """n Connects of two layers of 30 neurons, with a mask and a probability."""
    layers = [nest.Create("iaf_psc_alpha", positions=nest.spatial.grid([6, 5])) for _ in range(2)]
    yield
    for _ in range(n):
        nest.Connect(*layers, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"circular": {"radius": 0.3}}})
    nest.Simulate(0.1)
    yield nest.num_connections


def ascii_rows(nest, n: int, model: str = "iaf_psc_alpha", cells: int = 20, current: float = 400.0):
    """n rows of a multimeter to files."""
    with tempfile.TemporaryDirectory() as folder:
        nest.SetKernelStatus({"data_path": folder, "overwrite_files": True})
        nodes = nest.Create(model, cells)
        nest.Connect(nest.Create("dc_generator", params={"amplitude": current}), nodes)
        meter = nest.Create("multimeter", params={"record_from": ["V_m"], "record_to": "ascii", "interval": 0.1})
        nest.Connect(meter, nodes)
        yield
        nest.Simulate(round(0.1 * n / cells, 1))
        yield meter.n_events


def few(model: str):
    def task(nest, n: int):
        return ascii_rows(nest, n, model, 10, MODELS[model])

    return task


def edits(nest, n: int):
    """One weight after the other, in a network of 40 000 connections."""
    cells = nest.Create("iaf_psc_alpha", 200)
    nest.Connect(cells, cells, "all_to_all", {"weight": nest.random.uniform(1.0, 2.0), "delay": 1.0})
    nest.Simulate(1.0)
    found = nest.GetConnections(cells, cells)
    yield
    for k, one in enumerate(found):
        if k == n:
            break
        one.weight = 1.0 + k % 100
    yield sum(found.get("weight")[:n])


def edits_status(nest, n: int):
    """The same by SetStatus."""
    cells = nest.Create("iaf_psc_alpha", 200)
    nest.Connect(cells, cells, "all_to_all", {"weight": nest.random.uniform(1.0, 2.0), "delay": 1.0})
    nest.Simulate(1.0)
    found = nest.GetConnections(cells, cells)
    yield
    for k in range(n):
        nest.SetStatus(found[k], {"weight": 1.0 + k % 100})
    yield sum(found.get("weight")[:n])


def spins(nest, n: int):
    """A correlospinmatrix_detector of ten binary neurons, n ms."""
    cells = nest.Create("ginzburg_neuron", 10, params={"theta": 0.0, "tau_m": 5.0})
    detector = nest.Create("correlospinmatrix_detector", params={"N_channels": 10, "delta_tau": 0.1, "tau_max": 20.0})
    for k in range(10):
        nest.Connect(cells[k], detector, syn_spec={"receptor_type": k})
    yield
    nest.Simulate(float(n))
    found = detector.count_covariance
    yield found.shape[2]


TASKS = {
    "reset": (reset, 300), "reset_aeif": (reset_aeif, 200), "calls": (calls, 2000),
    "singles": (singles, 1000), "blocks": (blocks, 4096), "count_kernel": (count_kernel, 20),
    "count_pairs": (count_pairs, 20), "count_model": (count_model, 20), "asked": (asked, 4000), "all_keys": (all_keys, 2000),
    "spatial": (spatial, 2000), "ascii": (ascii_rows, 2_000_000), "edits": (edits, 40_000),
    "edits_status": (edits_status, 4000), "spins": (spins, 20_000),
} | {model: (few(model), 500_000) for model in MODELS}  # fmt: skip


def measured(nest, task, n: int) -> dict:
    """A task that yields is timed from its first yield to its second, which gives the check; another one as a whole."""
    start = time.perf_counter()
    found = task(nest, n)
    if hasattr(found, "__next__"):
        next(found)
        start = time.perf_counter()
        check = next(found)
        seconds = time.perf_counter() - start
        found.close()
        return {"seconds": seconds, "n": n, "check": float(check)}
    return {"seconds": time.perf_counter() - start, "n": n, "check": float(found)}


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--task", choices=list(TASKS), default="reset")
    p.add_argument("--size", type=int, help="operations (default: those of the benchmark)")
    p.add_argument("--threads", type=int, default=1)
    args = p.parse_args()
    task, n = TASKS[args.task]
    with common.stdout_for_json() as out:
        nest = common.load_nest(args.threads, 1, 0.1)
        common.write_json(out, measured(nest, task, args.size or n))


if __name__ == "__main__":
    main()
