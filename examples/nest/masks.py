# SPDX-License-Identifier: Apache-2.0
"""Masks drawn as text: ellipse, doughnut, turned rectangle, and their combinations."""

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
ellipse = nest.CreateMask("elliptical", {"major_axis": 1.8, "minor_axis": 1.0, "azimuth_angle": 30.0})
ring = nest.CreateMask("doughnut", {"inner_radius": 0.35, "outer_radius": 0.85})
bar = nest.CreateMask("rectangular", {"lower_left": [-0.9, -0.2], "upper_right": [0.9, 0.2], "azimuth_angle": 60.0})
steps = [-0.95 + 0.1 * k for k in range(20)]
for name, mask in {
    "ellipse": ellipse,
    "ring": ring,
    "ring and bar": ring & bar,
    "ring or bar": ring | bar,
    "ellipse minus ring": ellipse - ring,
}.items():
    rows = ["".join("#" if mask.Inside([x, -y]) else "." for x in steps) for y in steps]
    print(f"{name}: {sum(row.count('#') for row in rows)} points")
    print("\n".join(f"  {row}" for row in rows[::2]))
