# SPDX-License-Identifier: Apache-2.0
"""What Connect has found out about calls that others may repeat, see repeats.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..engine import PreparedConnect, Ranges
    from .specs import ConnRule
    from .wires import Identity

_MOST = 4096  # plans that are kept

Key = tuple[Any, ...]


@dataclass(slots=True)
class Made:
    """A call of the kernel for spike sources and neurons. `of_neuron`: parameters of the synapses that are the targets' in NEST."""

    pre: Ranges
    post: Ranges
    rule: str
    arguments: dict[str, Any]
    identity: Identity
    of_neuron: list[str]


@dataclass(slots=True)
class Plan:
    """One call of the kernel, but for the nodes.

    content : what the specification of the rule says; arguments : of the kernel; call : the same, prepared when it is needed for the second time
    borrowed : parameters that the synapses have from their targets, with the values that are in `arguments`
    ports : receptors are chosen by number, and nodes of the model may have different numbers of them
    kind : of the connections that were made: index into `wires.kinds`, and whether they have parameters of their targets
    """

    rule: ConnRule
    content: Key
    arguments: dict[str, Any]
    identity: Identity
    borrowed: tuple[tuple[str, Any], ...]
    ports: bool
    call: PreparedConnect | None = None
    kind: tuple[int, bool] | None = None


class Plans:
    """Plans of a session. To be cleared when defaults of models or settings change.

    made : the calls of the kernel since it was last set to a list; None: nobody wants to know
    signs : which signs of weights need no further check, and for how many kinds and devices that was found out, see quick_edits.py
    """

    def __init__(self) -> None:
        self._exact: dict[Key, Plan] = {}
        self._alike: dict[Key, Plan] = {}
        self.made: list[Made] | None = None
        self.signs: tuple[int, int, frozenset[float]] | None = None

    def __len__(self) -> int:
        return len(self._exact) + len(self._alike)

    def clear(self) -> None:
        """Forgets all plans."""
        self._exact.clear()
        self._alike.clear()
        self.signs = None

    def exact(self, key: Key) -> Plan | None:
        """The plan of a call with the same specifications."""
        return self._exact.get(key)

    def alike(self, key: Key) -> Plan | None:
        """The plan of a call with the same specifications but for some numbers."""
        return self._alike.get(key)

    def keep(self, exact: Key, plan: Plan, alike: Key | None = None) -> None:
        """Keeps a plan by the specifications, and by what remains of them without some numbers."""
        if len(self) >= _MOST:
            self.clear()
        self._exact[exact] = plan
        if alike is not None:
            self._alike[alike] = plan
