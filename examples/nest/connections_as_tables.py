# SPDX-License-Identifier: Apache-2.0
"""GetConnections and pandas: a weight matrix, statistics per population, changed weights."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
exc, inh = nest.Create("iaf_psc_exp", 4), nest.Create("iaf_psc_exp", 2)
weights = np.arange(1.0, 25.0).reshape(6, 4)  # targets by sources
nest.Connect(exc, exc + inh, "all_to_all", {"weight": weights, "delay": 1.5})
nest.Connect(inh, exc, "all_to_all", {"weight": -5.0, "delay": 0.5})

table = nest.GetConnections().get(["source", "target", "weight", "delay"], output="pandas")
print(f"connections: {len(table)}")
print(table.groupby("source")["weight"].sum().to_string())
print(table.groupby("delay").size().to_string())
out = nest.GetConnections(source=inh)
out.weight = [-float(source * target) for source, target in zip(out.source, out.target, strict=True)]
matrix = (
    nest.GetConnections(inh, exc)
    .get(["source", "target", "weight"], output="pandas")
    .pivot(index="target", columns="source", values="weight")
)
print(matrix.to_string())
