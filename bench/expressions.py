# SPDX-License-Identifier: Apache-2.0
"""Connect with weights, delays and partners by expressions, and the first step, in which tables are made: beside NEST, on one thread."""

from __future__ import annotations

from bench.report import Row, Section
from bench.sides import Settings, Side, column, measure

VALUES = {
    "product": "weight uniform * uniform",
    "square": "weight normal ** 2",
    "condition": "weight conditional(uniform < 0.5, uniform, 2)",
    "exponential": "weight exp(normal)",
    "delay": "delay 1 + uniform ** 2",
    "distance": "weight exp(-d), delay 1 + d",
    "distance_drawn": "weight exp(-d) * uniform",
}
PARTNERS = {
    "equal": "partners without repeats",
    "kernel": "pairwise_bernoulli, Gaussian kernel, no mask",
    "choice": "fixed_indegree, Gaussian kernel, no mask",
}
SIZES = (5000, 20_000)  # of PARTNERS: time must not grow with the number of pairs


def run(settings: Settings) -> Section:
    section = Section("expressions", "Connect by expressions and the first step, 1 thread, per synapse")
    shrink = 10 if settings.quick else 1
    cases = [(case, title, 5000, 500) for case, title in VALUES.items()]
    cases += [(case, f"{title}, N = {n}", n, 100) for case, title in PARTNERS.items() for n in SIZES]
    for case, title, n, k in cases:
        options = {"case": case, "neurons": n // shrink, "indegree": k // shrink, "threads": 1}
        sides = {title: Side("expressions", options, peer=True, layer=True)}
        if settings.peers:
            sides[f"{title} NEST"] = Side("expressions", options, peer=True)
        runs = measure(section, settings, sides)
        section.rows.append(Row(title, "ns", column(runs[title], "ns"), column(runs.get(f"{title} NEST", []), "ns"), "slower"))
    return section
