# SPDX-License-Identifier: Apache-2.0
"""Pairs in masks against brute force over all pairs and periodic images."""

import itertools

import numpy as np
import pytest

import neuropil.nest as nest
from neuropil.errors import BadLength, BadParameter
from neuropil.space import pairs
from neuropil.space.layers import Part
from neuropil.space.pairs import Search


def M(*args, **kwargs):  # noqa: N802
    """The native mask of one of NEST."""
    return nest.CreateMask(*args, **kwargs).native


MASKS = {
    2: [
        M("circular", {"radius": 0.4}),
        M("rectangular", {"lower_left": [-0.5, -0.2], "upper_right": [0.1, 0.3]}),
        M("circular", {"radius": 0.3}, [0.5, 0.1]),
        M("doughnut", {"inner_radius": 0.2, "outer_radius": 0.6}),
        M("elliptical", {"major_axis": 1.0, "minor_axis": 0.3, "azimuth_angle": 30.0}),
        M("circular", {"radius": 0.3}, [0.5, 0.1]) | M("circular", {"radius": 0.3}),
        M("circular", {"radius": 0.3}, [0.1, 0.1]) & M("circular", {"radius": 0.3}),
    ],
    3: [
        M("spherical", {"radius": 0.6}),
        M("box", {"lower_left": [-0.5, -0.2, -0.6], "upper_right": [0.4, 0.3, 0.2]}),
        M("spherical", {"radius": 0.5}, [0.1, 0.3, -0.3]),
        M("ellipsoidal", {"major_axis": 1.0, "minor_axis": 0.3, "polar_axis": 0.5, "azimuth_angle": 30.0, "polar_angle": 20.0}),
    ],
}


def part(rng, n, extent, center, periodic):
    positions = center + extent * (rng.random((n, len(extent))) - 0.5)
    return Part(np.arange(1, n + 1), positions, center, extent, periodic)


def brute_force(centres, others, pool, mask, sign):
    """Sorted (centre, other), once for every image that is in the mask."""
    difference = others.positions[None] - centres.positions[:, None]
    shifts = [np.zeros(centres.dims)]
    if pool.periodic:
        far = np.abs(difference).max() + max(np.abs(mask.low).max(), np.abs(mask.high).max())
        turns = int(np.ceil(far / pool.extent.min())) + 1
        shifts = [np.array(k) * pool.extent for k in itertools.product(range(-turns, turns + 1), repeat=centres.dims)]
    found = []
    for shift in shifts:
        moved = sign * (difference + shift)
        inside = mask.inside(moved.reshape(-1, centres.dims).T).reshape(moved.shape[:2])
        found += list(zip(*(which.tolist() for which in np.nonzero(inside)), strict=True))
    return sorted(found)


@pytest.mark.parametrize("trial", range(56))
def test_brute_force(trial, monkeypatch):
    monkeypatch.setattr(pairs, "CHUNK", 50)  # many chunks
    rng = np.random.default_rng(trial)
    dims, periodic, sign = 2 + trial % 2, bool(trial // 2 % 2), 1 - 2 * (trial // 4 % 2)
    extent, center = rng.uniform(0.5, 3.0, dims), rng.uniform(-2.0, 2.0, dims)
    pool = part(rng, int(rng.integers(1, 60)), extent, center, periodic)
    other = part(rng, int(rng.integers(1, 60)), extent * rng.uniform(0.5, 2.0, dims), center + rng.uniform(-1.0, 1.0, dims), False)
    centres, others = (other, pool) if sign > 0 else (pool, other)
    mask = MASKS[dims][trial % len(MASKS[dims])]
    found = list(Search(centres, others, pool, mask, sign, True).around(np.arange(len(centres.positions))))
    seen = [(c, o) for some in found for c, o in zip(some.centre.tolist(), some.other.tolist(), strict=True)]
    assert sorted(seen) == brute_force(centres, others, pool, mask, sign)
    assert [c for c, _ in seen] == sorted(c for c, _ in seen)
    for some in found:
        for k in range(dims):
            rest = others.positions[some.other, k] - centres.positions[some.centre, k] - some.moves[k]
            turns = np.round(rest / extent[k]) if periodic else 0.0
            assert np.allclose(rest, turns * extent[k], atol=1e-12)


def test_nodes_on_joined_edges_are_seen_once_per_image():
    layer = nest.spatial.layers.make(nest.spatial.grid([5, 5], extent=[5.0, 5.0], edge_wrap=True), 1, 1, 1).part()
    for mask, expected in [
        (M("rectangular", {"lower_left": [-2.5, -2.5], "upper_right": [2.5, 2.5]}), 25),
        (M("rectangular", {"lower_left": [0.0, 0.0], "upper_right": [5.0, 5.0]}), 36),  # both edges belong to it
        (M("circular", {"radius": 2.5}), 21),
    ]:
        found = list(Search(layer, layer, layer, mask, 1, False).around(np.arange(25)))
        assert sum(map(len, found)) == 25 * expected


def test_masks_that_do_not_fit():
    layer = nest.spatial.layers.make(nest.spatial.grid([5, 5], extent=[5.0, 5.0], edge_wrap=True), 1, 1, 1).part()
    for mask, error in ((M("circular", {"radius": 2.51}), BadParameter), (M("spherical", {"radius": 1.0}), BadLength)):
        with pytest.raises(error):
            Search(layer, layer, layer, mask, 1, False)
    Search(layer, layer, layer, M("circular", {"radius": 2.51}), 1, True)
    Search(layer, layer, layer._replace(periodic=False), M("circular", {"radius": 30.0}), 1, False)
