# SPDX-License-Identifier: Apache-2.0
"""Jordan et al. (2018): memory of a rank stays flat when network and machine grow together.

J. Jordan et al., Front. Neuroinform. 12:2. In weak scaling on the K computer each rank keeps 18 205 neurons with 11 250
inputs each while ranks are added, up to 82 944. In the older data structures of that paper (4g) tables grow with the
number of neurons in the whole network; in the newer ones (5g) with the synapses of the rank. neuropil's tables are of
the second kind. This page shows its memory model, `neuropil plan`, for the network of the paper with 8 threads per
rank; nothing is built. The index of sources still grows until hardly two synapses of a rank share a source.
The grey line adds one pointer of 8 bytes for each neuron of the whole network to neuropil's memory: the least that a
table of the first kind needs. It is not a model of NEST's memory.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

NEURONS = 18_205  # of a rank
RANKS = np.array([1, 4, 16, 64, 256, 1024, 4096, 16_384, 82_944])
MODEL = Path(__file__).resolve().parents[1] / "hpc_benchmark.py"


def planned() -> list[dict[str, Any]]:
    """What a rank needs for each number of ranks, by the memory model."""
    ranks = ",".join(map(str, RANKS))
    command = [sys.executable, "-m", "neuropil", "plan", str(MODEL), "--ranks", ranks, "--threads", "8", "--json", "--size", "k_computer"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout)["plans"])


def numbers() -> dict[str, Any]:
    """Memory of a rank on one and on all nodes of the K computer."""
    plans = planned()
    total = np.array([plan["bytes_per_rank"]["total"] for plan in plans])
    return {
        "memory of a rank, 1 rank (GB)": total[0] / 1e9,
        "memory of a rank, 82 944 ranks (GB)": total[-1] / 1e9,
        "growth from 4096 to 82 944 ranks": total[-1] / total[6],
        "neurons on 82 944 ranks (10^9)": plans[-1]["n_nodes"] / 1e9,
        "total": total,
        "synapses": np.array([plan["bytes_per_rank"]["synapses"] for plan in plans]),
    }


def draw(found: dict[str, Any]) -> Any:
    """Memory of a rank over the number of ranks."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
    axes.loglog(RANKS, found["total"] / 1e9, "o-", label="neuropil, all")
    axes.loglog(RANKS, found["synapses"] / 1e9, ".--", label="neuropil, tables of synapses")
    axes.loglog(RANKS, (found["total"] + 8.0 * NEURONS * RANKS) / 1e9, color="0.6", label="all, and 8 bytes per neuron of the network")
    axes.set(xlabel="ranks, 18 205 neurons each", ylabel="memory of a rank (GB)", ylim=(0.5, None))
    axes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("jordan_2018.png", dpi=110)
