# SPDX-License-Identifier: Apache-2.0
"""Equations and papers of neuron models on the site: every model has them, or the list below says why not."""

import tomllib

import pytest
from tools.site import equations, models

NEURONS = {entry.name: entry for entry in models.built_in("neurons")}
WITHOUT_PAPER = {
    "iaf_cond_alpha_mc": "an example of NEST, which no paper introduced",
    "ignore_and_fire": "a model of NEST for benchmarks, which no paper introduced",
    "parrot_neuron": "repeats spikes",
    "parrot_neuron_ps": "repeats spikes",
}


@pytest.mark.parametrize("name", NEURONS)
def test_every_neuron_has_equations(name):
    """Also those that only repeat spikes: their line says when the spike is sent. Names are those of the model, or listed."""
    described, entry = equations.described(name), NEURONS[name]
    assert described.lines
    fields = {*entry.parameters, *entry.state, *entry.recorded}
    used = {of for line in described.lines for of in equations.names(line)}
    assert used <= {*fields, *equations.COMMON, *described.names}
    assert described.names & fields == set(), "names of the model need not be listed"
    assert "```{math}" in equations.block(name)


def test_every_neuron_has_a_paper_or_a_reason():
    assert {name for name in NEURONS if not equations.described(name).paper} == set(WITHOUT_PAPER)


def test_no_entry_stands_in_two_files():
    entries = [name for file in equations.FOLDER.glob("*.toml") for name in tomllib.loads(file.read_text())]
    assert sorted(entries) == sorted(equations.entries())


def test_sums_integrals_and_functions():
    total = equations.to_line("I = sum(g_k*(E_rev_k - V_m), k)")
    assert equations.names(total) == {"I", "g_1", "E_rev_1", "V_m"}
    assert equations.line_latex(total) == r"I = \sum_{k}g_{\text{k}}\,\left(E_{\text{rev,k}} - V_{\text{m}}\right)"
    integral = equations.to_line("y = integral(exp(u**2)*a, u, b, c)")
    assert equations.names(integral) == {"y", "a", "b", "c"}
    assert equations.line_latex(integral) == r"y = \int_{b}^{c}\exp\left(u^{2}\right)\,a\,\mathrm{d}u"
    assert equations.line_latex(equations.to_line("x = abs(a)*log(b)")) == r"x = \left|a\right|\,\ln\left(b\right)"
    assert equations.line_latex(equations.to_line("m <= n")) == r"m \leq n"


def test_names_with_an_index_or_of_a_compartment():
    compartment = equations.to_line("C_m_i*dV_m.s/dt = -g_ex.s*V_m.s")
    assert equations.names(compartment) == {"C_m_0", "V_m.s", "g_ex.s"}
    slope = r"\frac{\mathrm{d}V_{\text{m,s}}}{\mathrm{d}t}"
    assert equations.line_latex(compartment) == rf"C_{{\text{{m,i}}}}\,{slope} = -g_{{\text{{ex,s}}}}\,V_{{\text{{m,s}}}}"
    assert r"\leftarrow" in equations.line_latex(equations.to_line("m_k = (1 - P)*m_k"))
    assert r"\leftarrow" not in equations.line_latex(equations.to_line("dm_k/dt = -m_k"))
