# SPDX-License-Identifier: Apache-2.0
"""Arrays, tuples and lists of a wrong length at the door of the extension: BadLength with the argument's name, before anything is read."""

import gc

import numpy as np
import pytest

import neuropil
from lowlevel import connect, const, floats, gids, kernel, rows
from neuropil import _core
from neuropil.space.strips import Strips

BadLength, BadParameter = neuropil.errors.BadLength, neuropil.errors.BadParameter
N_OTHERS, N_CENTRES = 40, 7
CENTRES = np.arange(N_CENTRES)
MEAN = [(0, 0, 0, 0, 0.5)]  # Op::constant
READS_OTHERS = [(1, 6, 0, 0, 0.0), (0, 0, 0, 0, 0.5)]  # Op::input of the source's x, then a constant


def ints(*values):
    return np.array(values, np.int64)


def columns(n, dims=2, seed=1):
    positions = np.random.default_rng(seed).uniform(0, 1, (n, dims))
    return positions, [np.ascontiguousarray(positions[:, k]) for k in range(dims)]


def space(dims=2):
    """Arguments of a call that is right: sides and nearby."""
    positions, _ = columns(N_OTHERS, dims)
    strips = Strips(positions, np.zeros(dims), None, np.full(dims, 0.3))
    order = np.ascontiguousarray(strips.order)
    sides = {
        "dims": dims, "centre_is_target": True, "mask_around_centre": True, "period": [],
        "order": order, "folded": strips.coordinates, "other_at": [np.ascontiguousarray(positions[order, k]) for k in range(dims)],
        "centre_at": columns(N_CENTRES, dims, 2)[1], "other_gid": gids(1, N_OTHERS), "centre_gid": gids(100, N_CENTRES),
        "n_sources": N_OTHERS, "n_images": 1,
    }  # fmt: skip
    return sides, {"strips": strips.description, "reach": strips.reach(None, 1)}


def pairwise(sides, nearby, code=MEAN, threads=1, centres=CENTRES):
    return _core.Candidates(sides, nearby, code).pairs(False, centres).edges(1, 1, threads)


def choose(sides, nearby, degree=None, code=MEAN):
    return _core.Candidates(sides, nearby, code).choices(np.full(N_CENTRES, 3) if degree is None else degree, False, CENTRES, 1, 1, 1)


def test_candidates_keep_what_they_look_at():
    expected = pairwise(*space())
    pairs = _core.Candidates(*space(), MEAN).pairs(False, CENTRES)
    gc.collect()
    others = [np.full(N_OTHERS, -1, np.int64) for _ in range(100)]  # would take the place of arrays that are gone
    assert [column.tolist() for column in pairs.edges(1, 1, 1)] == [column.tolist() for column in expected]
    assert len(others) == 100


@pytest.mark.parametrize("dims", [2, 3])
def test_right_arguments_in_space(dims):
    target, source, _ = pairwise(*space(dims))
    assert 0 < len(target) < N_OTHERS * N_CENTRES
    assert set(source) <= set(range(N_OTHERS))
    (centre, _, _), short = choose(*space(dims))
    assert short == -1
    assert np.bincount(centre).tolist() == [3] * N_CENTRES


SHORTER = {
    "order": lambda v: v[:-1], "folded": lambda v: [v[0][:-1], *v[1:]], "centre_at": lambda v: [v[0], v[1][:-1], *v[2:]],
    "other_gid": lambda v: v[:-1], "centre_gid": lambda v: v[:-1],
}  # fmt: skip


@pytest.mark.parametrize("name", SHORTER)
def test_columns_of_a_side_that_are_too_short(name):
    sides, nearby = space()
    sides[name] = SHORTER[name](sides[name])
    with pytest.raises(BadLength):
        pairwise(sides, nearby)


@pytest.mark.parametrize("name", ["other_gid", "centre_gid"])
def test_gids_of_one_side_alone(name):
    sides, nearby = space()
    sides[name] = ints()
    with pytest.raises(BadLength, match="gid"):
        pairwise(sides, nearby)


@pytest.mark.parametrize("name", ["folded", "other_at", "centre_at"])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_not_one_column_per_dimension(name, count):
    sides, nearby = space()
    sides[name] = (sides[name] * 2)[:count]
    with pytest.raises(BadLength, match=name):
        pairwise(sides, nearby)


def test_positions_of_others_may_be_left_out_where_no_formula_reads_them():
    sides, nearby = space()
    sides["other_at"] = [np.empty(0), np.empty(0)]
    assert len(pairwise(sides, nearby)[0])
    with pytest.raises(BadLength, match="other_at"):
        pairwise(sides, nearby, READS_OTHERS)


@pytest.mark.parametrize("dims", [0, 1, 4, -1])
def test_dimensions(dims):
    sides, nearby = space()
    sides["dims"] = dims
    with pytest.raises(BadParameter, match="dims"):
        pairwise(sides, nearby)
    strips, columns_of_all = nearby["strips"] | {"dims": dims}, columns(4)[1]
    with pytest.raises(BadParameter, match="dims"):
        _core.runs_near(strips, nearby["reach"], columns_of_all)


def test_dimensions_of_the_cell_list():
    sides, nearby = space()
    nearby["strips"] = space(3)[1]["strips"]
    with pytest.raises(BadParameter, match="dims"):
        pairwise(sides, nearby)


@pytest.mark.parametrize("name", ["low", "width", "margin", "counts", "period"])
@pytest.mark.parametrize("part", [slice(1), slice(0)])
def test_numbers_of_a_cell_list_per_dimension(name, part):
    sides, nearby = space()
    nearby["strips"] = nearby["strips"] | {name: nearby["strips"][name][part]}
    with pytest.raises(BadLength, match=name):
        pairwise(sides, nearby)


@pytest.mark.parametrize("name", ["low", "high", "middle", "half", "images"])
def test_numbers_of_a_reach_per_dimension(name):
    sides, nearby = space()
    nearby["reach"] = nearby["reach"] | {name: nearby["reach"][name] * 2}
    with pytest.raises(BadLength, match=name):
        pairwise(sides, nearby)


@pytest.mark.parametrize("change", [lambda s: s[:-1], lambda s: s[:1], lambda s: s[:0], lambda s: np.append(s, s[-1])])
def test_one_start_per_cell_and_one_more(change):
    sides, nearby = space()
    nearby["strips"] = nearby["strips"] | {"start": change(nearby["strips"]["start"])}
    with pytest.raises(BadLength, match="start"):
        pairwise(sides, nearby)


@pytest.mark.parametrize(
    "change", [lambda s: s + 1, lambda s: s[::-1].copy(), lambda s: np.where(np.arange(len(s)) == 3, 10**9, s), lambda s: s * 2]
)
def test_starts_that_lead_out_of_the_others(change):
    sides, nearby = space()
    nearby["strips"] = nearby["strips"] | {"start": change(nearby["strips"]["start"])}
    with pytest.raises(BadParameter, match="start"):
        pairwise(sides, nearby)


@pytest.mark.parametrize("centres", [ints(-1), ints(N_CENTRES), ints(0, 2**40)])
def test_numbers_of_centres(centres):
    with pytest.raises(BadParameter, match="centres"):
        pairwise(*space(), centres=centres)


@pytest.mark.parametrize("length", [0, N_CENTRES - 1, N_CENTRES + 1])
def test_one_degree_per_centre(length):
    with pytest.raises(BadLength, match="degree"):
        choose(*space(), np.full(length, 3))
    with pytest.raises(BadLength, match="degree"):
        _core.Candidates(*space(), MEAN).list_choices(np.full(length, 3), False, CENTRES, 1, 1, 1)


@pytest.mark.parametrize("instruction", [(), (0,), (0, 0, 0, 0), (0, 0, 0, 0, 0.5, 0)])
def test_instructions_have_five_entries(instruction):
    with pytest.raises(BadLength, match="instruction"):
        pairwise(*space(), [instruction])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_coordinates_are_finite(value):
    sides, nearby = space()
    sides["centre_at"][1][3] = value
    with pytest.raises(BadParameter, match="centre_at"):
        pairwise(sides, nearby)


@pytest.mark.parametrize("threads", [0, -1, 1025])
def test_threads_in_space(threads):
    with pytest.raises(BadParameter, match="threads"):
        pairwise(*space(), threads=threads)


def test_coordinates_of_runs():
    _, nearby = space()
    x, y = columns(5)[1]
    with pytest.raises(BadLength, match="coordinates"):
        _core.runs_near(nearby["strips"], nearby["reach"], [x])
    with pytest.raises(BadLength, match="coordinates"):
        _core.runs_near(nearby["strips"], nearby["reach"], [x, y[:-1]])
    assert len(_core.runs_near(nearby["strips"], nearby["reach"], [x, y])[0])


# --- distributions and draws: tuples


@pytest.mark.parametrize("spec", [(), const(1.0)[:6], const(1.0)[:1], (*const(1.0), None)])
def test_distributions_have_seven_entries(spec):
    net = kernel()
    net.create("iaf_psc_exp", 3)
    with pytest.raises(BadLength, match="distribution"):
        connect(net, rows(1, 3), rows(1, 3), weight=spec)
    with pytest.raises(BadLength, match="distribution"):
        _core.draw_values(spec, 1, 1, gids(1, 3))
    with pytest.raises(BadLength, match="distribution"):
        net.create("iaf_psc_exp", 3, {}, [("V_m", spec, 1)])


@pytest.mark.parametrize("draw", [(), ("V_m",), ("V_m", const(1.0)), ("V_m", const(1.0), 1, 1)])
def test_draws_have_three_entries(draw):
    net = kernel()
    with pytest.raises(BadLength, match="draw"):
        net.create("iaf_psc_exp", 3, {}, [draw])
    net.create("iaf_psc_exp", 3)
    with pytest.raises(BadLength, match="draw"):
        net.set_each(rows(1, 3), {}, [draw])


def test_values_of_a_draw_are_as_many_as_nodes():
    with pytest.raises(BadLength):
        _core.draw_values(("array", 0.0, 0.0, "none", 0.0, 0.0, np.ones(2), 0.0, 1.0, 0), 1, 1, gids(1, 3))
    with pytest.raises(BadParameter):
        _core.draw_values(("array", 0.0, 0.0, "none", 0.0, 0.0, None, 0.0, 1.0, 0), 1, 1, gids(1, 3))


# --- the network


def built():
    net = kernel()
    net.create("iaf_psc_exp", 4)
    net.create("iaf_psc_delta", 2)
    connect(net, rows(1, 4), rows(1, 4), doubles=True)
    net.build(None)
    return net, net.connections(None, None, "")


@pytest.mark.parametrize("shorter", ["slice", "table", "position"])
def test_columns_of_connections(shorter):
    net, c = built()
    given = [c["slice"], c["table"], c["position"]]
    given[["slice", "table", "position"].index(shorter)] = c[shorter][:-1]
    for gather in (True, False):
        with pytest.raises(BadLength):
            net.get_weights(*given, gather=gather)
        with pytest.raises(BadLength):
            net.get_state("weight", *given, gather=gather)
    with pytest.raises(BadLength):
        net.remove(*given, 0)
    with pytest.raises(BadLength):
        net.edit(*given, 0, weight=np.ones(len(c["slice"])))


@pytest.mark.parametrize("n", [0, 2, 17])
def test_values_as_many_as_nodes_or_connections(n):
    net, c = built()
    if n:  # none: it stays
        for values in ({"weight": np.ones(n)}, {"delay_steps": np.ones(n, np.int64)}, {"label": np.ones(n, np.int32)}):
            with pytest.raises(BadLength, match=next(iter(values)).removesuffix("_steps")):
                net.edit(c["slice"], c["table"], c["position"], 0, **values)
    with pytest.raises(BadLength, match="V_m"):
        net.set(gids(1, 4), floats(V_m=np.ones(n)))
    with pytest.raises(BadLength, match="V_m"):
        net.set_each(rows(1, 4), floats(V_m=np.ones(n)), [])
    with pytest.raises(BadLength, match="V_m"):
        net.create("iaf_psc_exp", 4, floats(V_m=np.ones(n)))


@pytest.mark.parametrize("recorder", [-1, 1, 2**31 - 1])
def test_numbers_of_recorders(recorder):
    net, _ = built()
    net.record_spikes(rows(1, 4), 0, 100)
    net.record_state(gids(1), ["V_m"], 1, 0)
    for name in ("spikes", "clear_spikes", "samples", "clear_samples"):
        with pytest.raises(BadParameter):
            getattr(net, name)(recorder)
    if recorder != -1:  # of weights: -1 stands for none
        for name in ("sent_weights", "clear_weights"):
            with pytest.raises(BadParameter):
                getattr(net, name)(recorder)


def test_nodes_that_do_not_exist():
    net, _ = built()
    for gid in (0, 7, -1, 2**40):
        for call in (
            net.ranks_of,
            lambda g: net.get(g, "V_m"),
            lambda g: net.freeze(g, True),
            lambda g: net.record_state(g, ["V_m"], 1, 0),
        ):
            with pytest.raises(BadParameter):
                call(ints(1, gid))


# --- the oracle


def oracle():
    r = _core.Reference(0.1)
    r.add_neurons("iaf_psc_exp", gids(1, 3), {})
    return r


def test_oracle_takes_columns_of_one_length():
    good = [ints(1, 2), ints(2, 3), np.ones(2), ints(10, 10), np.zeros(2, np.int32)]
    oracle().add_edges(*good, "static_synapse")
    for k in range(1, 5):
        with pytest.raises(BadLength, match="edges"):
            oracle().add_edges(*[v[: 1 if i == k else 2] for i, v in enumerate(good)], "static_synapse")
    with pytest.raises(BadLength, match="V_m"):
        oracle().add_neurons("iaf_psc_exp", gids(4, 3), floats(V_m=[1, 2]))


def test_oracle_knows_what_it_records():
    r = oracle()
    with pytest.raises(BadParameter, match="record"):
        r.trace(0)
    r.record(1, "V_m")
    r.run(3)
    assert len(r.trace(0)) == 3
    with pytest.raises(BadParameter, match="record"):
        r.trace(1)


def test_oracle_refuses_times_that_cannot_be():
    with pytest.raises(BadParameter, match="resolution"):
        _core.Reference(0.0)
    with pytest.raises(BadParameter, match="stamp"):
        oracle().add_spikes(1, ints(3, 0))
    with pytest.raises(BadParameter, match="steps"):
        oracle().run(-1)


# --- circuits


def test_columns_of_morphologies():
    good = {
        "points": np.zeros((4, 3)), "radii": np.ones(4), "point_begin": ints(0, 2, 4), "section_begin": ints(0, 2), "section_parent": np.array([-1, 0], np.int32),
        "section_type": np.array([2, 3], np.uint8), "soma_centre": np.zeros((1, 3)), "soma_radius": np.ones(1),
    }  # fmt: skip
    assert len(_core.circuit.Morphologies(**good)) == 1
    for name, values in good.items():
        with pytest.raises((BadLength, BadParameter)):
            _core.circuit.Morphologies(**good | {name: values[:-1]})


def test_formulas_of_positions_are_checked():
    at = [np.zeros(3), np.zeros(3)]
    uniform = neuropil.uniform(0.0, 1.0).spec()
    program = [(1, 3, 0, 0, 0.0)]  # Op::input of the displacement's x
    places = _core.Places(2, [], at, [np.zeros(4), np.zeros(4)])
    formula = _core.Formula(program, places, [])
    assert len(formula.values(ints(0, 2), ints(3, 0), ints(5, 6), 1)) == 2
    for error, call in (
        (BadParameter, lambda: _core.Places(4, [], at, at)),
        (BadLength, lambda: _core.Places(2, [1.0], at, at)),
        (BadParameter, lambda: _core.Places(2, [1.0, 0.0], at, at)),
        (BadLength, lambda: _core.Places(2, [], at[:1], at)),
        (BadLength, lambda: _core.Places(2, [], [np.zeros(3), np.zeros(2)], at)),
        (BadParameter, lambda: _core.Formula([], places, [])),
        (BadParameter, lambda: _core.Formula([(1, 0, 0, 0, 0.0)], places, [])),  # a place in a mask
        (BadParameter, lambda: _core.Formula([(1, 5, 0, 0, 0.0)], places, [])),  # the displacement's z
        (BadParameter, lambda: formula.values(ints(3), ints(0), ints(0), 1)),
        (BadParameter, lambda: formula.values(ints(0), ints(-1), ints(0), 1)),
        (BadLength, lambda: formula.values(ints(0, 1), ints(0), ints(0, 1), 1)),
        (BadParameter, lambda: formula.values(ints(0), ints(0), ints(0), 0)),
        (BadLength, lambda: formula.values(ints(0), ints(0), ints(0, 1), 1)),
        (BadParameter, lambda: _core.Formula(program, None, [])),  # no positions
        (BadParameter, lambda: _core.Formula([(1, 13, 0, 0, 0.0)], None, [(uniform, 1, 2)])),  # a second number that is drawn
        (BadLength, lambda: _core.Formula([(1, 12, 0, 0, 0.0)], None, [(uniform, 1)])),
        (BadParameter, lambda: _core.Formula([(1, 12, 0, 0, 0.0)], None, [(("uniform", 2.0, 1.0, *uniform[3:]), 1, 2)])),
    ):
        with pytest.raises(error):
            call()
