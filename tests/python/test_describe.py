# SPDX-License-Identifier: Apache-2.0
"""`Network.describe`: what was made is told, in each form; values are those of the network."""

import re

import pytest

import neuropil as npl


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
    titles = ["Populations", "Connectivity", "Neuron model iaf_psc_exp", "Synapse model stdp_synapse", "Input"]
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
    assert "The network has 1 neuron in 1 population: 1 iaf_cond_exp. It was" in net.describe().paragraph


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
