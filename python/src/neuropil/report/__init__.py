# SPDX-License-Identifier: Apache-2.0
"""A page about a run: one HTML file that needs no network, with pictures that can be zoomed."""

from .page import write_report

__all__ = ["write_report"]
