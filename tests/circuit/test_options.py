# SPDX-License-Identifier: Apache-2.0
"""Options: what is refused, before any file is read."""

import json

import pytest

from neuropil.circuit import BadFile, Plan, SynapseOptions, TouchOptions
from neuropil.circuit.options import read_spines, spine_lengths
from neuropil.errors import BadParameter, BadType, UnknownName


def test_sides_and_masks():
    usual = TouchOptions()
    assert (usual.pre_types, usual.post_types, usual.with_autapses) == (0b00100, 0b11010, False)
    assert TouchOptions("autaptic").with_autapses
    assert TouchOptions(autapses=True).with_autapses
    assert TouchOptions("dendrosomatic").pre_types == 0b11000
    assert TouchOptions("dendrosomatic").post_types == 0b00010
    assert TouchOptions(pre=["axon", "basal"], post=["soma"]).pre_types == 0b01100
    assert TouchOptions("all").post_types == 0b11110


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ({"space": "axodendritc"}, UnknownName, "axodendritic"),
        ({"mode": "cone"}, UnknownName, "tapered"),
        ({"pre": ["axn"]}, UnknownName, "axon"),
        ({"post": ["spine"]}, UnknownName, "unknown part 'spine' of post"),
        ({"min_distance": 0.0}, BadParameter, "min_distance"),
        ({"min_distance": 8.0}, BadParameter, "max_distance = 7.0: must be a length of at least 8 um"),
        ({"max_distance": float("inf")}, BadParameter, "max_distance"),
        ({"region_gap": -1.0}, BadParameter, "region_gap"),
        ({"spine_length": float("nan")}, BadParameter, "spine_length"),
        ({"spines": {"L1": -1.0}}, BadParameter, "spines['L1']"),
        ({"spines": [1.0]}, BadType, "mapping"),
        ({"seed": -1}, BadParameter, "seed"),
        ({"seed": 1.5}, BadType, "seed"),
        ({"region_gap": "5"}, BadType, "region_gap"),
    ],
)
def test_bad_touch_options_are_told(given, kind, words):
    with pytest.raises(kind) as error:
        TouchOptions(**given)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"batch_size": 0}, BadParameter),
        ({"threads": 0}, BadParameter),
        ({"memory_limit": 10.0}, BadParameter),
        ({"exchange": "nbq"}, UnknownName),
    ],
)
def test_bad_plans_are_told(given, kind):
    with pytest.raises(kind):
        Plan(**given)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"survival": 1.5}, BadParameter),
        ({"survival": {"a": 0.5}}, BadParameter),
        ({"survival": {"a>b": -0.5}}, BadParameter),
        ({"weight_exc": -1.0}, BadParameter),
        ({"weight_inh": 1.0}, BadParameter),
        ({"weight_cv": float("nan")}, BadParameter),
        ({"velocity": 0.0}, BadParameter),
        ({"synaptic_delay": -0.1}, BadParameter),
        ({"drive": "x"}, BadType),
        ({"seed": -3}, BadParameter),
    ],
)
def test_bad_synapse_options_are_told(given, kind):
    with pytest.raises(kind):
        SynapseOptions(**given)


def test_spine_lengths_by_mtype():
    options = TouchOptions(spine_length=2.0, spines={"B": 3.0})
    assert spine_lengths(options, ("A", "B"), "nodes.h5").tolist() == [2.0, 3.0]
    with pytest.raises(UnknownName, match=r"mtype in the spine lengths; nodes.h5 has no such 'B'"):
        spine_lengths(options, ("A", "C"), "nodes.h5")


def test_spine_files(tmp_path):
    path = tmp_path / "spines.json"
    path.write_text(json.dumps({"A": 2.5, "B": 0}))
    assert read_spines(path) == {"A": 2.5, "B": 0.0}
    path.write_text(json.dumps({"structural_spine_lengths": [{"mtype": "A", "spine_length": 1.5}]}))
    assert read_spines(path) == {"A": 1.5}
    for text, place in (
        ('{"A": \n', "line 2"),
        ("[]", "object"),
        ('{"A": "x"}', "A"),
        ('{"A": -1}', "A"),
        ('{"A": NaN}', "A"),
        ('{"structural_spine_lengths": 3}', "object"),
    ):
        path.write_text(text)
        with pytest.raises(BadFile) as error:
            read_spines(path)
        assert place in str(error.value)
    with pytest.raises(BadFile, match="cannot be read"):
        read_spines(tmp_path / "none.json")
