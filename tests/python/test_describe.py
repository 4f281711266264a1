# SPDX-License-Identifier: Apache-2.0
"""`Network.describe`: what was made is told, in each form; values are those of the network."""

import re

import pytest

import neuropil as npl
from neuropil.model import description


@pytest.fixture
def made(net):
    exc = net.create("iaf_psc_exp", 1200, t_ref=1.0, name="exc")
    inh = net.create("iaf_psc_exp", 300, C_m=npl.uniform(200.0, 300.0), name="inh")
    net.connect(exc, inh, npl.fixed_indegree(80), weight=npl.normal(45.0, 4.5), delay=1.5, name="EI")
    net.connect(exc, exc, npl.fixed_indegree(10), weight=45.0, synapse=npl.stdp(Wmax=90.0))
    net.stimulate(exc + inh, npl.poisson(rate=9000.0), weight=45.0)
    net.stimulate(inh, npl.spike_train([1.0, 2.0]), weight=10.0)
    return net


def table(description, title):
    return {row[0]: row for row in next(t for t in description.tables if t.title == title).rows}


def test_sentences(made):
    made.run(0.2)
    text = made.describe().paragraph
    assert "1 500 neurons in 2 populations: 1200 iaf_psc_exp (exc) and 300 iaf_psc_exp (inh)." in text
    assert "2 projections of static_synapse and stdp_synapse connect them." in text
    assert "Input of exc + inh: 1 poisson_generator (rate = 9000 spikes/s)." in text
    assert "Input of inh: 1 spike_generator (spike_times: array of 2)." in text
    assert f"neuropil {npl.__version__} in steps of 0.1 ms, with seed {made.seed}, until 0.2 ms" in text


def test_tables_hold_the_values_of_the_network(made):
    found = made.describe()
    titles = ["Model summary", "Populations", "Connectivity", "Neuron model iaf_psc_exp", "Synapse model stdp_synapse", "Input"]
    assert [t.title for t in found.tables] == titles  # static synapses have no parameters
    parameters = table(found, "Neuron model iaf_psc_exp")
    assert parameters["tau_m"][1:3] == ["10", "ms"] and parameters["t_ref"][1] == "exc: 1; inh: 2"
    low, high = made["inh"].C_m.min(), made["inh"].C_m.max()
    assert parameters["C_m"][1] == f"exc: 250; inh: {low:g} to {high:g} (mean {made['inh'].C_m.mean():g})"
    assert table(found, "Synapse model stdp_synapse")["Wmax"][1] == "90"
    assert table(found, "Connectivity")["EI"] == [
        "EI",
        "exc",
        "inh",
        "fixed_indegree(indegree=80)",
        "static_synapse",
        "normal(mean=45, std=4.5) pA",
        "1.5",
    ]
    made["exc"].tau_m = 12.0
    assert table(made.describe(), "Neuron model iaf_psc_exp")["tau_m"][1] == "exc: 12; inh: 10"


@pytest.fixture
def measured(made):
    """With an unnamed population in space, drawn states and all kinds of records."""
    exc, inh = made["exc"], made["inh"]
    exc.V_m = npl.normal(-65.0, 5.0).redraw(max=-55.0)
    other = made.create("iaf_psc_exp", 20, V_m=-70.0 + 5.0 * npl.position.x, positions=npl.free(npl.uniform(0.0, 1.0), dims=2))
    made.record(exc)
    made.record(inh, start=10.0, stop=50.0)
    made.record(other[:5], ["V_m", "I_syn_ex"], interval=0.5)
    made.record(other, "rate", bin=5.0)
    made.record(made.projections["EI"], "weight", interval=10.0)
    made.record_weights(exc, other)
    made.record_weights()
    return made


MEASURED = [
    ["spikes", "exc", "always"],
    ["spikes", "inh", "from 10 ms until 50 ms"],
    ["V_m, I_syn_ex", "5 iaf_psc_exp", "every 0.5 ms"],
    ["rate", "iaf_psc_exp #5", "in bins of 5 ms"],
    ["transmitted weights", "synapses from exc to iaf_psc_exp #5", "at each spike"],
    ["transmitted weights", "synapses with this recorder", "at each spike"],
    ["weight", "EI", "every 10 ms"],
]
DRAWN = [
    ["exc", "V_m", "normal(mean=-65, std=5).redraw(max=-55)", "mV"],
    ["iaf_psc_exp #5", "V_m", "((5 * position.x) + -70)", "mV"],
]


def rows(net, title):
    return next((t.rows for t in net.describe().tables if t.title == title), [])


def test_summary_measurements_and_initial_values(measured):
    assert rows(measured, "Measurements") == MEASURED
    drawn = rows(measured, "Initial values")
    assert [row[:2] for row in drawn] == [row[:2] for row in DRAWN] and drawn[0] == DRAWN[0] and "position.x" in drawn[1][2]
    assert {row[0]: row[1] for row in rows(measured, "Model summary")} == {
        "Populations": "3: exc, inh and iaf_psc_exp #5",
        "Topology": "iaf_psc_exp #5 in 2-D",
        "Connectivity": "fixed_indegree",
        "Neuron model": "iaf_psc_exp",
        "Synapse model": "static_synapse; stdp_synapse",
        "Plasticity": "stdp_synapse",
        "Input": "poisson_generator; spike_generator",
        "Measurements": "; ".join(f"{what} of {which}" for what, which, _ in MEASURED),
    }
    assert all(row[0] for row in rows(measured, "Populations"))
    found = measured.describe()
    for text in (str(found), found.to_markdown(), found.to_latex().replace("\\", "")):
        assert (
            all(title in text for title in ("Model summary", "Measurements", "Initial values")) and "spikes of exc; spikes of inh" in text
        )


def test_numbers_take_the_place_of_what_states_were_drawn_from(measured):
    measured["exc"][:3].V_m = -70.0
    assert rows(measured, "Initial values")[0][2] == "normal(mean=-65, std=5).redraw(max=-55); some were set"
    measured["exc"].V_m = -70.0
    assert [row[0] for row in rows(measured, "Initial values")] == ["iaf_psc_exp #5"]
    measured.run(0.1)
    measured["inh"].V_m = npl.normal(-60.0, 1.0)  # no initial value
    assert [row[0] for row in rows(measured, "Initial values")] == ["iaf_psc_exp #5"]


def test_the_simulation_lies_ahead_or_behind(made):
    assert "It will be simulated with neuropil" in made.describe().paragraph
    made.run(0.2)
    assert "It was simulated with neuropil" in made.describe().paragraph


def test_measurements_are_known_where_a_network_goes_on(measured, tmp_path):
    measured.store()
    initial = rows(measured, "Initial values")
    measured.save(tmp_path / "run.npc")
    measured.run(0.2)
    late = measured.create("iaf_psc_exp", 3, V_m=npl.normal(-60.0, 1.0))
    measured.record(late)
    assert len(rows(measured, "Measurements")) == 8 and len(rows(measured, "Initial values")) == 3
    copied = measured.copy()
    assert rows(copied, "Measurements") == rows(measured, "Measurements")
    measured.reset()
    for net in (measured, npl.load(tmp_path / "run.npc")):
        assert rows(net, "Measurements") == MEASURED and rows(net, "Initial values") == initial
    measured.record(measured["exc"], "V_m")
    measured.restore()
    assert rows(measured, "Measurements") == MEASURED and rows(measured, "Initial values") == initial


def test_plastic_synapses_are_told_from_others():
    built_in = {name: entry for name, entry in npl.synapses().items() if not entry.digest}  # other tests load models of their own
    plastic = {name for name, entry in built_in.items() if not entry.carries and name not in description._FIXED}
    assert plastic == {name for name, entry in built_in.items() if re.search("plasticity|Plasticity|Short-term|Symmetric", entry.doc)}


def test_forms(made):
    found = made.describe()
    assert str(found).startswith(found.paragraph) and "Neuron model iaf_psc_exp\nparameter" in str(found)
    markdown = found.to_markdown()
    assert "### Populations\n\n| name | model | size |\n| --- | --- | --- |\n| exc | iaf_psc_exp | 1200 |" in markdown
    assert found._repr_markdown_() == markdown
    latex = found.to_latex()
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == len(found.tables)
    assert r"exc & iaf\_psc\_exp & 1200 \\" in latex
    assert not re.search(r"(?<!\\)[_%#]", latex)


def test_an_empty_network_and_one_without_connections(net):
    assert "no neurons" in net.describe().paragraph and net.describe().tables == []
    net.create("iaf_cond_exp", 1)
    assert "The network has 1 neuron in 1 population: 1 iaf_cond_exp. It will be simulated with" in net.describe().paragraph


SET, REMOVED = "weights, delays or parameters of some were set", "some were removed"


def told(net):
    """What the description and the summary say of edits."""
    found = re.findall("Since connections were made, .*?now\\.", net.describe().paragraph)
    assert found == re.findall("Since connections were made, .*?now\\.", str(net.summary()))
    return found[0] if found else ""


def test_edits_are_told(made):
    assert told(made) == ""
    made.projections[1].set(weight=30.0)
    assert SET in told(made) and REMOVED not in told(made)
    made.projections["EI"].disconnect()
    assert f"{SET} and {REMOVED}: tables tell how they were made" in told(made)


def test_weights_of_drives_that_were_set_are_told(made):
    made.projections[2].weight = 50.0
    assert SET in told(made)


def test_calls_that_were_refused_are_no_edits(made):
    with pytest.raises(npl.errors.BadParameter):
        made.projections[1].set(weight=float("nan"))
    assert told(made) == ""


def test_growth_is_told(made):
    made.grow("Den", "Ax", weight=1.0)
    assert "synapses grew and were lost" in told(made)


def test_edits_are_known_where_a_network_goes_on(made, tmp_path):
    """In copies, checkpoints and what `restore` brings back; `reset` undoes what was done after time 0."""
    made.projections[1].set(weight=30.0)
    made.store()
    made.run(0.2)
    made.projections["EI"].disconnect()
    made.save(tmp_path / "run.npc")
    for other in (made.copy(), npl.load(tmp_path / "run.npc")):
        assert SET in told(other) and REMOVED in told(other)
    made.restore()
    assert SET in told(made) and REMOVED not in told(made)
    made.run(0.2)
    made.projections["EI"].disconnect()
    made.reset()
    assert SET in told(made) and REMOVED not in told(made)
