# SPDX-License-Identifier: Apache-2.0
"""Masks: which points they hold, how they are combined."""

import numpy as np
from tests.nest.corpus.values import error

POINTS = [[float(x), float(y)] for x in np.linspace(-1.15, 1.15, 9) for y in np.linspace(-1.1, 1.1, 9)]
SPACE = [
    [float(x), float(y), float(z)]
    for x in np.linspace(-1.1, 1.1, 6)
    for y in np.linspace(-1.15, 1.15, 6)
    for z in np.linspace(-1.05, 1.05, 6)
]


def inside(mask, points=POINTS):
    """A string of one digit per point."""
    return "".join(str(int(mask.Inside(point))) for point in points)


def case_rectangular(nest):
    return {
        "plain": inside(nest.CreateMask("rectangular", {"lower_left": [-0.5, -0.25], "upper_right": [1.0, 0.75]})),
        "turned": inside(nest.CreateMask("rectangular", {"lower_left": [-1.0, -0.25], "upper_right": [1.0, 0.25], "azimuth_angle": 35.0})),
    }


def case_circular(nest):
    return {
        "plain": inside(nest.CreateMask("circular", {"radius": 0.8})),
        "anchor": inside(nest.CreateMask("circular", {"radius": 0.8}, anchor=[0.3, -0.4])),
    }


def case_doughnut(nest):
    return {"plain": inside(nest.CreateMask("doughnut", {"inner_radius": 0.4, "outer_radius": 1.0}))}


def case_elliptical(nest):
    return {
        "plain": inside(nest.CreateMask("elliptical", {"major_axis": 2.0, "minor_axis": 1.0})),
        "turned": inside(nest.CreateMask("elliptical", {"major_axis": 2.2, "minor_axis": 0.7, "azimuth_angle": 60.0})),
        "moved": inside(nest.CreateMask("elliptical", {"major_axis": 2.0, "minor_axis": 1.0}, anchor=[0.4, 0.3])),
    }


def case_box(nest):
    return {
        "plain": inside(nest.CreateMask("box", {"lower_left": [-0.5, -0.5, -1.0], "upper_right": [1.0, 0.5, 0.6]}), SPACE),
        "turned": inside(
            nest.CreateMask(
                "box", {"lower_left": [-1.0, -0.3, -0.5], "upper_right": [1.0, 0.3, 0.5], "azimuth_angle": 20.0, "polar_angle": 40.0}
            ),
            SPACE,
        ),
    }


def case_spherical(nest):
    return {
        "plain": inside(nest.CreateMask("spherical", {"radius": 0.9}), SPACE),
        "anchor": inside(nest.CreateMask("spherical", {"radius": 0.9}, anchor=[0.2, 0.3, -0.4]), SPACE),
    }


def case_ellipsoidal(nest):
    return {
        "plain": inside(nest.CreateMask("ellipsoidal", {"major_axis": 2.0, "minor_axis": 1.0, "polar_axis": 1.5}), SPACE),
        "turned": inside(
            nest.CreateMask(
                "ellipsoidal", {"major_axis": 2.2, "minor_axis": 1.0, "polar_axis": 1.2, "azimuth_angle": 30.0, "polar_angle": 25.0}
            ),
            SPACE,
        ),
    }


def case_combinations(nest):
    a = nest.CreateMask("circular", {"radius": 0.8})
    b = nest.CreateMask("rectangular", {"lower_left": [0.0, -1.0], "upper_right": [1.1, 0.3]})
    return {
        "and": inside(a & b),
        "or": inside(a | b),
        "minus": inside(a - b),
        "nested": inside((a | b) - nest.CreateMask("circular", {"radius": 0.3}, anchor=[0.2, 0.0])),
    }


def case_select_nodes(nest):
    nodes = nest.Create("parrot_neuron", positions=nest.spatial.grid([7, 7], extent=[7.0, 7.0]))
    circle = nest.CreateMask("circular", {"radius": 1.6})
    return {
        "center": sorted(nest.SelectNodesByMask(nodes, [0.0, 0.0], circle).tolist()),
        "corner": sorted(nest.SelectNodesByMask(nodes, [3.0, 3.0], circle).tolist()),
    }


def case_edges_belong_to_the_mask(nest):
    circle = nest.CreateMask("circular", {"radius": 1.0})
    box = nest.CreateMask("rectangular", {"lower_left": [-1.0, -1.0], "upper_right": [1.0, 1.0]})
    ring = nest.CreateMask("doughnut", {"inner_radius": 0.5, "outer_radius": 1.0})
    points = [[1.0, 0.0], [-1.0, -1.0], [1.0, 1.0], [0.5, 0.0], [0.0, -0.5]]
    return {"circle": inside(circle, points), "box": inside(box, points), "ring": inside(ring, points)}


def case_bad_masks(nest):
    return {
        "unknown": error(lambda: nest.CreateMask("no_such", {"radius": 1.0})),
        "unknown key": error(lambda: nest.CreateMask("circular", {"no_such": 1.0})),
        "radius": error(lambda: nest.CreateMask("circular", {"radius": -1.0})),
        "zero": error(lambda: nest.CreateMask("circular", {"radius": 0.0})),
        "rectangle": error(lambda: nest.CreateMask("rectangular", {"lower_left": [1.0, 1.0], "upper_right": [0.0, 0.0]})),
        "doughnut": error(lambda: nest.CreateMask("doughnut", {"inner_radius": 1.0, "outer_radius": 0.5})),
        "ellipse": error(lambda: nest.CreateMask("elliptical", {"major_axis": 1.0, "minor_axis": 2.0})),
        "dimensions": error(lambda: nest.CreateMask("circular", {"radius": 1.0}).Inside([0.0, 0.0, 0.0])),
        "operands": error(lambda: nest.CreateMask("circular", {"radius": 1.0}) & 3),
    }
