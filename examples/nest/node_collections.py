# SPDX-License-Identifier: Apache-2.0
"""What can be done with a NodeCollection: slices, masks, unions, parameters, pandas."""

import numpy as np

import nest

nest.ResetKernel()
exc, inh = nest.Create("iaf_psc_exp", 8), nest.Create("iaf_psc_alpha", 4)
cells = exc + inh
exc.I_e = [50.0 * k for k in range(8)]
strong = exc[np.array(exc.I_e) > 200.0]
print(cells)
print(f"strong: {strong.tolist()}, every third: {cells[::3].tolist()}, last two: {cells[-2:].tolist()}")
print(f"3 in exc: {3 in exc}, 10 in exc: {10 in exc}, index of 10: {cells.index(10)}")
print(f"models: {sorted({str(node.model) for node in cells})}")
print(f"union is the whole: {exc[:4] + exc[4:] + inh == cells}")
print(exc[:3].get(["C_m", "I_e"], output="pandas").to_string())
