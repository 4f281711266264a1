# SPDX-License-Identifier: Apache-2.0
"""Networks that learn, the same script for NEST and for neuropil.nest; prints one JSON object.

python bench/mechanisms_learning.py --case triplet --threads 2                       on NEST
python -m neuropil.nest bench/mechanisms_learning.py --case triplet --threads 2      on neuropil
python bench/mechanisms_learning.py --compare --threads 2                            all cases on both in turn: medians of 3
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

from bench.peers import common

INDEGREE = 100
SIZES = {  # neurons, measured time [ms]
    "stdp": (10_000, 500.0),
    "triplet": (10_000, 500.0),
    "tsodyks": (10_000, 500.0),
    "dopamine": (10_000, 200.0),
    "clopath": (2_000, 100.0),
    "urbanczik": (1_000, 200.0),
}
POINT = {
    "stdp": ("stdp_synapse", {"Wmax": 80.0}),
    "triplet": ("stdp_triplet_synapse", {"Wmax": 80.0}),
    "tsodyks": ("tsodyks_synapse", {"tau_psc": 2.0}),
}


def driven(nest, n: int):
    """Neurons that fire some ten times a second."""
    cells = nest.Create("iaf_psc_exp", n)
    noise = nest.Create("poisson_generator", params={"rate": 8000.0})
    nest.Connect(noise, cells, syn_spec={"weight": 22.0, "delay": 1.0})
    return cells


def point_neurons(nest, case: str, n: int):
    cells = driven(nest, n)
    model, parameters = POINT[case]
    synapse = {"synapse_model": model, "weight": 5.0, "delay": 1.5, **parameters}
    nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": INDEGREE}, synapse)
    return cells, model


def dopamine(nest, case: str, n: int):
    cells = driven(nest, n)
    transmitter = nest.Create("volume_transmitter")
    nest.Connect(cells[: n // 100], transmitter)
    nest.SetDefaults("stdp_dopamine_synapse", {"volume_transmitter": transmitter, "Wmax": 80.0, "b": 0.1})
    nest.Connect(
        cells,
        cells,
        {"rule": "fixed_indegree", "indegree": INDEGREE},
        {"synapse_model": "stdp_dopamine_synapse", "weight": 5.0, "delay": 1.5},
    )
    return cells, "stdp_dopamine_synapse"


def clopath(nest, case: str, n: int):
    cells = nest.Create("aeif_psc_delta_clopath", n, {"t_ref": 2.0})
    noise = nest.Create("poisson_generator", params={"rate": 2500.0})
    nest.Connect(noise, cells, syn_spec={"weight": 1.5, "delay": 1.0})
    nest.Connect(
        cells,
        cells,
        {"rule": "fixed_indegree", "indegree": INDEGREE},
        {"synapse_model": "clopath_synapse", "weight": 0.2, "delay": 1.0, "Wmax": 1.0},
    )
    return cells, "clopath_synapse"


def urbanczik(nest, case: str, n: int):
    """Independent sources of 10 spikes/s onto the dendrites."""
    cells = nest.Create("pp_cond_exp_mc_urbanczik", n)
    noise, relays = nest.Create("poisson_generator", params={"rate": 10.0}), nest.Create("parrot_neuron", n)
    nest.Connect(noise, relays)
    synapse = {"synapse_model": "urbanczik_synapse", "weight": 20.0, "delay": 1.0, "receptor_type": 3, "eta": 0.01}
    nest.Connect(relays, cells, {"rule": "fixed_indegree", "indegree": INDEGREE}, synapse)
    return cells, "urbanczik_synapse"


NETWORKS = {**dict.fromkeys(POINT, point_neurons), "dopamine": dopamine, "clopath": clopath, "urbanczik": urbanczik}


def measured(nest, case: str, n: int, duration: float) -> dict:
    start = time.perf_counter()
    cells, model = NETWORKS[case](nest, case, n)
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Simulate(50.0)
    before, ready, used = int(recorder.n_events), time.perf_counter(), time.process_time()
    nest.Simulate(duration)
    done, used = time.perf_counter(), time.process_time() - used
    weights = (
        nest.GetConnections(cells[:20], synapse_model=model)
        if case != "urbanczik"
        else nest.GetConnections(target=cells[:20], synapse_model=model)
    )
    return {
        "build_s": ready - start, "run_s": done - ready, "cpu_s": used, "spikes_per_s": 1e3 * (int(recorder.n_events) - before) / n / duration,
        "mean_weight": statistics.fmean(weights.weight), "peak_rss_bytes": common.peak_rss(),
    }  # fmt: skip


def compare(threads: int, cases: list[str], rounds: int) -> None:
    for case in cases:
        runs: dict[str, list[dict]] = {"neuropil": [], "NEST": []}
        for _ in range(rounds):
            for side, own in runs.items():
                layer = ["-m", "neuropil.nest"] if side == "neuropil" else []
                words = [sys.executable, *layer, __file__, "--case", case, "--threads", str(threads)]
                own.append(json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout))
        middle = {side: {key: statistics.median(run[key] for run in own) for key in own[0]} for side, own in runs.items()}
        print(case, json.dumps(middle), f"NEST / neuropil: {middle['NEST']['run_s'] / middle['neuropil']['run_s']:.1f}", flush=True)


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--case", choices=SIZES, action="append")
    p.add_argument("--neurons", type=int)
    p.add_argument("--duration", type=float, help="biological time of the measured run [ms]")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--compare", action="store_true")
    p.add_argument("--rounds", type=int, default=3)
    args = p.parse_args()
    cases = args.case or [*SIZES]
    if args.compare:
        return compare(args.threads, cases, args.rounds)
    with common.stdout_for_json() as out:
        nest = common.load_nest(args.threads, 1, 0.1)
        n, duration = SIZES[cases[0]]
        common.write_json(out, measured(nest, cases[0], args.neurons or n, args.duration or duration))


if __name__ == "__main__":
    main()
