# SPDX-License-Identifier: Apache-2.0
"""The multi-area model: published totals, rules of the stand-in by brute force, files, the same bits on any threads."""

import json
from dataclasses import replace

import numpy as np
import pytest

import neuropil as npl
from neuropil.cli.jobs import microcircuit, multi_area, multi_area_data, multi_area_stand_in
from neuropil.errors import BadParameter

DATA = multi_area_stand_in.data()
INSIDE = DATA.area[:, None] == DATA.area[None]


def some_areas(*names: str) -> multi_area_data.Data:
    """The stand-in with these areas alone; what the others would send comes from outside."""
    kept = [DATA.areas.index(name) for name in names]
    mine = np.isin(DATA.area, kept)
    area, synapses = np.searchsorted(kept, DATA.area[mine]), DATA.synapses[np.ix_(mine, mine)]
    kind = np.array([multi_area_data.LAYERS.index(layer) for layer in np.array(DATA.layer)[mine]])
    indegrees = synapses / DATA.neurons[mine][:, None]
    return replace(
        DATA,
        areas=names,
        area=area,
        layer=tuple(np.array(DATA.layer)[mine]),
        neurons=DATA.neurons[mine],
        synapses=synapses,
        external=multi_area_stand_in.from_outside(area, kind, indegrees) * DATA.neurons[mine],
        distances=DATA.distances[np.ix_(kept, kept)],
    )


def test_the_published_totals():
    """Schmidt et al. (2018): 32 areas, 254 populations, 4.13 million neurons, 2.42e10 synapses; the stand-in is scaled to both sums."""
    plan = multi_area.plan()
    assert (len(DATA.areas), len(DATA.layer)) == (32, 254)
    assert plan.neurons.sum() == pytest.approx(4.13e6, rel=0.001)
    assert plan.synapses.sum() == pytest.approx(2.42e10, rel=0.001)
    per_area = np.bincount(DATA.area, DATA.neurons)
    assert (per_area.max(), per_area.min()) == pytest.approx((197_936, 73_251))
    assert (DATA.areas[per_area.argmax()], DATA.areas[per_area.argmin()]) == ("V1", "TH")
    assert DATA.synapses[~INSIDE].sum() / DATA.synapses.sum() == pytest.approx(0.21)


def test_connections_between_areas_follow_the_rules():
    between = np.where(INSIDE, 0.0, DATA.synapses)
    layer = np.array(DATA.layer)
    by_area = np.array([[between[DATA.area == a][:, DATA.area == b].sum() for b in range(32)] for a in range(32)])
    for a, b, c in [(0, 5, 29), (22, 3, 31), (31, 30, 1)]:  # targets and two sources each
        expected = np.exp(-0.11 * (DATA.distances[a, b] - DATA.distances[a, c]))
        assert by_area[a, b] / by_area[a, c] == pytest.approx(expected)
    assert (between[:, ~DATA.excitatory] == 0.0).all()
    v1, front = DATA.areas.index("V1"), DATA.areas.index("46")

    def share(target, source, rows, columns):
        block = between[DATA.area == target][:, DATA.area == source]
        return block[np.isin(layer[DATA.area == target], rows)][:, np.isin(layer[DATA.area == source], columns)].sum() / block.sum()

    assert share(front, v1, ["4E", "4I"], ["23E", "5E", "6E"]) == pytest.approx(1.0)  # forward: into layer 4
    assert share(front, v1, layer, ["23E"]) > 0.65  # from layer 2/3
    assert share(v1, front, ["4E", "4I"], layer) == 0.0  # back: not into layer 4
    assert share(v1, front, layer, ["23E"]) < 0.35


def test_all_populations_have_the_mean_input_of_the_microcircuit():
    plan, model = multi_area.plan(), microcircuit.plan()
    kind = np.array([multi_area_data.LAYERS.index(layer) for layer in DATA.layer])
    rates = microcircuit.PUBLISHED_RATES
    found = (plan.weights * plan.synapses / plan.neurons[:, None]) @ rates[kind] + plan.external_weight * plan.external_rate
    expected = (model.weights * model.synapses / model.neurons[:, None]) @ rates + model.external_weight * model.external_rate
    assert found == pytest.approx(expected[kind], rel=1e-3)


def test_a_model_is_read_from_the_keys_of_the_published_file(tmp_path):
    path = tmp_path / "model.json"
    multi_area_data.write(DATA, path)
    read = multi_area_data.read(path)
    assert read.areas == DATA.areas and read.layer == DATA.layer and read.source == str(path)
    for name in ("area", "neurons", "synapses", "external", "distances"):
        np.testing.assert_array_equal(getattr(read, name), getattr(DATA, name))
    table = json.loads(path.read_text())
    table["synapse_weights_mean"] = {area: {layer: {"V1": {"23E": 7.0}} for layer in layers} for area, layers in table["structure"].items()}
    path.write_text(json.dumps(table))
    weights = multi_area.plan(data=multi_area_data.read(path)).weights
    assert (weights[:, 0] == 7.0).all() and not weights[:, 1:].any()


@pytest.mark.parametrize(
    ("change", "named"), [("gone", "distances"), ("layer", "7E"), ("area", "neuron_numbers / V4"), ("sign", "synapses")]
)
def test_a_file_that_is_no_model_is_an_error(tmp_path, change, named):
    path = tmp_path / "model.json"
    multi_area_data.write(some_areas("V1", "V4"), path)
    table = json.loads(path.read_text())
    if change == "gone":
        del table["distances"]
    elif change == "layer":
        table["structure"]["V1"].append("7E")
    elif change == "area":
        del table["neuron_numbers"]["V4"]
    else:
        table["synapses"]["V1"]["23E"]["V4"] = {"23E": -1.0}
    path.write_text(json.dumps(table))
    with pytest.raises(BadParameter, match=named):
        multi_area_data.read(path)


def simulated(plan: multi_area.Plan, threads: int, until: float) -> tuple[npl.Network, npl.results.Spikes]:
    net = npl.Network(resolution=multi_area.RESOLUTION, seed=2, threads=threads)
    populations = multi_area.create(net, plan)
    multi_area.connect(net, plan, populations)
    spikes = net.record(sum(populations[1:], start=populations[0]))
    net.run(until, progress=False)
    return net, spikes.data()


def test_two_areas_have_the_same_spikes_on_any_threads():
    plan = multi_area.plan(0.002, 0.05, some_areas("V1", "V4"))
    (net, one), (_, two) = (simulated(plan, threads, 150.0) for threads in (1, 2))
    assert net.n_connections == plan.synapses.sum()
    assert len(one.times) > 50
    np.testing.assert_array_equal(one.steps, two.steps)
    np.testing.assert_array_equal(one.gids, two.gids)


@pytest.mark.slow
def test_a_thousandth_of_the_model_has_plausible_rates():
    plan = multi_area.plan(0.001, 0.1)
    (_, one), (_, two) = (simulated(plan, threads, 500.0) for threads in (1, 2))
    np.testing.assert_array_equal(one.steps, two.steps)
    np.testing.assert_array_equal(one.gids, two.gids)
    area = np.repeat(DATA.area, plan.neurons)
    late = one.select(start=200.0)
    rates = np.bincount(area[late.gids - late.watched[0]], minlength=32) / np.bincount(area) / 0.3
    assert (rates > 0.5).all() and (rates < 30.0).all()
