# SPDX-License-Identifier: Apache-2.0
"""What scripts of NEST see of a model stands in its file: one file makes a model of NEST, too."""

import pytest

import neuropil as npl
import neuropil.nest as nest
from neuropil.own_models.loading import load_source
from own_models.test_loading import leak


def with_face() -> str:
    text = leak("own_face")
    state, doc = '"Potential"}', "  static constexpr int receptors"
    assert text.count(state) == text.count(doc) == 1
    face = '  static constexpr Face face{.keys = "offset=1.5 spots=[]", .receptors = "AMPA GABA", .archives = false, .ignores = false};\n'
    return text.replace(state, f'{state}.with(Mark::hidden, Mark::read_only).known_as("U_m")').replace(doc, face + doc)


def test_marks_and_face():
    load_source(with_face(), "face.cpp")
    nest.ResetKernel()
    found = nest.GetDefaults("own_face")
    assert found["receptor_types"] == {"AMPA": 1, "GABA": 2}
    assert (found["offset"], found["U_m"]) == (1.5, 0.0)
    assert list(found["spots"]) == []
    assert not {"Ca", "tau_minus", "ignore_and_spike"} & found.keys()
    node = nest.Create("own_face")
    assert node.U_m == 0.0
    assert "V_m" not in node.get()
    with pytest.raises(nest.NESTErrors.UnaccessedDictionaryEntry, match="U_m"):
        node.U_m = 3.0
    node.offset = 2.0
    assert node.offset == 2.0
    assert npl.models()["own_face"].state["V_m"].marks == ("hidden", "read_only")


def test_built_in_faces_name_what_is_there():
    for entry in npl.models().values():
        fields = {**entry.parameters, **entry.state}
        potentials = [word.partition("=")[2] for word in entry.face.get("compartments", "").split()]
        synapses = [word.partition("=")[2] for word in entry.face.get("own_synapse", "").split()]
        assert {*potentials} <= fields.keys(), entry.name
        assert all(npl.synapses()[name].parameters.keys() <= fields.keys() for name in synapses), entry.name
        for field in fields.values():
            assert not field.choices or 0 <= field.default < len(field.choices.split())
