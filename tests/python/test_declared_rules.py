# SPDX-License-Identifier: Apache-2.0
"""Connection rules are known by what they declare: lists, constructors, shapes of arrays and errors follow from it."""

from inspect import signature

import numpy as np
import pytest

import neuropil as npl
from neuropil import _core
from neuropil.model.catalog import Entry, Field, kernel_rules
from neuropil.model.declared_rules import constructor, declared_rules
from thread_ranks import on_ranks, the_same


def made(*fields: Field, rows=()):
    return constructor(Entry("some_rule", "rule", "What it does.", {f.name: f for f in fields}, rows=rows))


K, P = Field("k", "", None, "edges", "count"), Field("p", "", None, "chance", "probability")
SELF, WIDTH = Field("allow_autapses", "", True, "may connect to itself", "flag"), Field("width", "mm", 0.5, "of the kernel", "number")
AT = Field("at", "", None, "where", "positions")


def test_rules_list_their_parameters():
    entry = npl.rules()["fixed_indegree"]
    assert list(entry.parameters) == ["indegree", "allow_autapses", "allow_multapses"]
    assert entry.parameters["indegree"] == Field("indegree", "", None, "edges of a target", "count")
    assert entry.parameters["allow_autapses"].default is True
    assert entry.rows == ("n_post", "indegree")
    assert "allow_autapses" in repr(entry) and "True" in repr(entry) and "(count)" in repr(entry)
    assert npl.rules()["pairwise_bernoulli"].parameters["p"].bound == "probability"
    assert all(f.doc for e in kernel_rules().values() for f in e.parameters.values())


def test_every_rule_of_the_kernel_has_a_constructor():
    for name in kernel_rules():
        assert getattr(npl, name).__doc__ and name in npl.__all__ and name in dir(npl)
    assert set(declared_rules()) == set(kernel_rules()) - set(vars(npl))


def test_a_constructor_has_the_declared_arguments():
    rule = made(K, P, SELF, WIDTH, rows=("n_post", "k"))
    assert str(signature(rule)).startswith("(k, p, *, autapses=True, width=0.5)")
    assert rule(4, p=0.5) == rule(k=4, p=0.5) == npl.classes.Rule("some_rule", {"k": 4, "p": 0.5})
    assert rule(np.int64(4), 1, autapses=False, width=2) == npl.classes.Rule(
        "some_rule", {"k": 4, "p": 1.0, "allow_autapses": False, "width": 2.0}
    )
    for part in ("What it does.", "k : edges", "width : of the kernel (mm)", "shape (n_post, k)"):
        assert part in rule.__doc__
    assert made(AT)([1, 2]).parameters["at"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("given", "error", "part"),
    [
        ({"k": 2.5, "p": 0.1}, npl.errors.BadType, "k"),
        ({"k": -1, "p": 0.1}, npl.errors.BadParameter, "at least 0"),
        ({"k": 1, "p": 1.1}, npl.errors.BadParameter, "from 0 to 1"),
        ({"k": 1, "p": float("nan")}, npl.NeuropilError, "p"),
        ({"k": 1, "p": "x"}, npl.errors.BadType, "p"),
        ({"k": 1, "p": 0.1, "autapses": 1}, npl.errors.BadType, "autapses"),
        ({"k": 1, "p": 0.1, "autapse": True}, npl.errors.UnknownArgument, "nearest: 'autapses'"),
        ({"p": 0.1}, TypeError, "'k'"),
    ],
)
def test_a_constructor_names_what_is_wrong(given, error, part):
    with pytest.raises(error, match=part):
        made(K, P, SELF)(**given)


def test_positions_have_one_dimension():
    with pytest.raises(npl.errors.BadType, match="at"):
        made(AT)([[1, 2]])


@pytest.mark.parametrize(
    ("parameters", "error", "part"),
    [
        ({}, npl.errors.BadParameter, "indegree = nothing"),
        ({"indegre": 2}, npl.errors.UnknownName, "nearest: 'indegree'"),
        ({"indegree": 2.5}, TypeError, "indegree must be a whole number, 0 or more"),
        ({"indegree": -2}, npl.errors.BadParameter, "indegree = -2"),
        ({"indegree": 2, "allow_autapses": 1}, TypeError, "allow_autapses must be true or false"),
    ],
)
def test_the_kernel_names_what_is_wrong(parameters, error, part):
    net = npl.Network()
    n = net.create("iaf_psc_exp", 5)
    with pytest.raises(error, match=part):
        net.connect(n, n, npl.classes.Rule("fixed_indegree", parameters), weight=1.0, delay=1.0)
    assert net.n_connections == 0


def test_shapes_of_arrays_are_declared():
    assert npl.fixed_indegree(3).edge_shape(5, 7) == (7, 3)
    assert npl.fixed_outdegree(3).edge_shape(5, 7) == (5, 3)
    assert npl.all_to_all().edge_shape(5, 7) == (7, 5)
    for rule in (
        npl.one_to_one(),
        npl.fixed_total_number(3),
        npl.explicit([0], [0]),
        npl.classes.Rule("no_such_rule"),
        npl.pairwise_poisson(1.0),
    ):
        assert rule.edge_shape(5, 7) is None
    assert {name for name, rule in kernel_rules().items() if rule.rows} >= {"all_to_all", "fixed_indegree", "fixed_outdegree"}
    assert all(d["rows"] == () or len(d["rows"]) == 2 for d in _core.rules())


def on_two_ranks(*parameters):
    """The number of synapses where each rank gives parameters of its own."""

    def program(comm):
        net = npl.Network(ranks=comm)
        n = net.create("iaf_psc_exp", 20)
        net.connect(n, n, npl.classes.Rule("fixed_indegree", parameters[comm.rank]), weight=1.0, delay=1.0)
        net.build()
        return net.n_connections

    return on_ranks(2, program)


def test_ranks_compare_declared_parameters():
    """A default that one rank gives and another leaves out is the same; all else is an error."""
    assert the_same(on_two_ranks({"indegree": 3}, {"indegree": 3, "allow_multapses": True})) == 60
    for other in ({"indegree": 4}, {"indegree": 3, "allow_autapses": False}):
        assert all(isinstance(found, npl.NeuropilError) for found in on_two_ranks({"indegree": 3}, other))
