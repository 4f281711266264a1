# SPDX-License-Identifier: Apache-2.0
"""Pages of all devices, synapse models and rules show equations, and the paper they come from or why there is none."""

import pytest
from tools.site import equations, models

WITHOUT_PAPER = {
    "ac_generator": "a sine",
    "dc_generator": "a constant",
    "step_current_generator": "values at given times",
    "step_rate_generator": "values at given times",
    "spike_generator": "given times",
    "weighted_spike_generator": "given times",
    "noise_generator": "normal numbers",
    "poisson_generator": "a Poisson process",
    "inhomogeneous_poisson_generator": "a Poisson process",
    "sinusoidal_poisson_generator": "a Poisson process",
    "static_synapse": "a constant weight",
    "pairwise_poisson": "Poisson numbers; no paper defines this rule",
    "symmetric_pairwise_bernoulli": "the rule of this name of NEST; no paper defines it",
    "tripartite": "the rule tripartite_bernoulli_with_pool of NEST; no reference that was checked defines it",
}
ENTRIES = [(kind, entry) for kind in ("devices", "synapses", "rules") for entry in models.built_in(kind)]


@pytest.mark.parametrize(("kind", "entry"), ENTRIES, ids=[entry.name for _, entry in ENTRIES])
def test_a_page_shows_equations_and_paper(kind, entry):
    block = equations.block(entry.name)
    assert block
    text = models.page(entry, kind, "")
    assert f"## Equations\n\n{block}" in text
    assert ("Paper: " in text) == (entry.name not in WITHOUT_PAPER)


def test_texts_in_equations_are_plain():
    """Names of parameters with an underscore would need math; they belong into the equation."""
    described = [equations.described(entry.name) for _, entry in ENTRIES]
    assert [line.when for one in described for line in one.lines if set(line.when) & set("_^#%&\\")] == []


def test_names_of_papers_are_used():
    """A name listed for a model, but in none of its equations, is left over from an earlier text."""
    unused = {}
    for _, entry in ENTRIES:
        described = equations.described(entry.name)
        if left := described.names - {name for line in described.lines for name in equations.names(line)}:
            unused[entry.name] = left
    assert unused == {}


def test_exemptions_are_of_built_in_models():
    assert set(WITHOUT_PAPER) <= {entry.name for _, entry in ENTRIES}
