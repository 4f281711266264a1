# SPDX-License-Identifier: Apache-2.0
"""Values that are refused: the same error on any threads, slices and ranks, where several nodes or parameters are wrong."""

import pytest

import neuropil as npl
from thread_ranks import on_ranks

RANKS = (2, 3, 7)


def made(net):
    """Drawn values and one for all are wrong, both in every node."""
    net.create("eprop_iaf_psc_delta", 24, surrogate_gradient_function=0.5, kappa_reg=npl.uniform(0.776, 1.2125))


def drawn(net):
    """Drawn values are wrong in some nodes: a bound, and a combination of parameters."""
    net.create("iaf_psc_exp", 60, tau_m=npl.uniform(-1.0, 9.0), V_reset=npl.uniform(-80.0, -50.0))


def drawn_again(net):
    net.create("iaf_psc_exp", 30).set(tau_m=npl.uniform(-1.0, 9.0), V_reset=npl.uniform(-80.0, -50.0))


def one_each(net):
    """Values that are right by themselves and wrong beside those that were drawn before, of nodes in no order."""
    cells = net.create("iaf_psc_exp", 40, V_reset=npl.uniform(-90.0, -60.0))
    cells[::-3].set(V_th=[-50.0 - 2.5 * k for k in range(14)])


@pytest.mark.parametrize("program", [made, drawn, drawn_again, one_each])
def test_the_refused_value_is_the_same(program):
    def refused(**options):
        net = npl.Network(seed=5, **options)
        with pytest.raises(npl.errors.BadParameter) as error:
            program(net)
        return str(error.value)

    expected = refused(threads=1)
    assert refused(threads=3, block_size=8) == expected
    for n in RANKS:
        assert on_ranks(n, lambda comm: refused(threads=1, ranks=comm)) == [expected] * n
    assert on_ranks(3, lambda comm: refused(threads=2, ranks=comm, distribution="shuffled")) == [expected] * 3
