# SPDX-License-Identifier: Apache-2.0
"""Every attribute of what a checkpoint holds is saved or made anew: a new one that is neither is found here."""

import ast
import inspect
import textwrap

import pytest

import neuropil as npl
from neuropil.checkpoint.classes import CLASSES, NETWORK


def attributes(cls):
    """Slots, fields and what methods set on self, of the class and its bases in neuropil."""
    found = set(getattr(cls, "_fields", ()))
    for base in (base for base in cls.__mro__ if base.__module__.startswith(("neuropil", __name__))):
        slots = vars(base).get("__slots__", ())
        found |= {slots} if isinstance(slots, str) else {*slots}
        tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        found |= {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("self", "made", "other")
        }
    return {name for name in found if not isinstance(getattr(cls, name, None), property)}


@pytest.mark.parametrize("key", [key for key, each in CLASSES.items() if each.saved is not None])
def test_every_attribute_is_saved_or_made_anew(key):
    known = CLASSES[key]
    assert attributes(known.cls) == {*known.saved, *known.anew}, key
    assert not {*known.saved} & {*known.anew}


def test_every_attribute_of_networks():
    saved, anew = NETWORK
    names = attributes(npl.Network)
    # What others set in methods of Network and its bases: of copies, streams and kernels.
    assert {name for name in names if name in npl_slots()} == {*saved, *anew}


def npl_slots():
    return {name for base in npl.Network.__mro__ for name in vars(base).get("__slots__", ())}


def test_a_new_attribute_is_found():
    """A test of the test."""

    class Grown(CLASSES["Sampler"].cls):
        def grow(self):
            self.more = 1

    assert attributes(Grown) - attributes(CLASSES["Sampler"].cls) == {"more"}
