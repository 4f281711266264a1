# SPDX-License-Identifier: Apache-2.0
"""The C++ file of short-term plasticity: the form of cpp/synapses/models/tsodyks2_synapse.cpp. State and share are kept once per source."""

from __future__ import annotations

from .expressions import Number, text_of
from .frame import function
from .synapse_code import member
from .synapse_rule import Dynamics
from .synapse_share import SINCE
from .synapse_vectors import VectorFile

__all__ = ["ReleaseFile"]

BY_TIME = {SINCE: "ms"}


class ReleaseFile(VectorFile):
    """Writes the file of such a rule."""

    maker = "short_term_synapse"
    state_places = ("const double* row",)

    def statics(self) -> list[str]:
        """Sizes."""
        sizes = f"static constexpr int parameters = {len(self.made.parameters) + 1}, values = {len(self.places.row)};"
        return [sizes, "static constexpr bool amplifies = true;"]

    def source(self) -> list[str]:
        """Nothing besides `release`."""
        return []

    def send(self) -> list[str]:
        """A spike of the source: updates what it keeps, and returns the share of the weight."""
        row = self.variables(self.places.row)
        body = [line for k, v in enumerate(row) for line in self.loaded_row(k, v)]
        done = self.places.on_pre.statements
        body += self.parts([a.value for a in done], BY_TIME) + self.statements(done, set(self.places.row), BY_TIME)
        body += [f"kept[{k}] = {self.less_initial(v)};" for k, v in enumerate(row)]
        share = self.places.share
        assert share is not None
        renamed = {part.name: self.namer.make(f"{member(part.name)}_sent") for part in self.made.needed_parts([share])}
        body += [*self.parts([share], renamed), f"// transmit: {text_of(self.rule.transmit)}", f"return {self.code(share, renamed)};"]
        head = "/// A spike `ms` after the previous one: what is released of each weight."
        arguments = ("double ms", "bool", "double* kept")
        return [head, *function("NPL_INLINE double release", arguments, body, " const")]

    def loaded_row(self, k: int, v: Dynamics) -> list[str]:
        """A variable of the source at a spike."""
        x = member(v.name)
        lines = [f"double {x} = {self.with_initial(v, f'kept[{k}]')};"]
        if v.tau is not None:
            tau = self.code(v.tau) if isinstance(v.tau, Number) else self.constant(v.tau, f"tau_{v.name}")
            lines.append(f"{x} = {self.decayed(v, x, f'left_after(ms, {tau})')};")
        return lines
