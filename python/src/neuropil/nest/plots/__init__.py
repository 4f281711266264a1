# SPDX-License-Identifier: Apache-2.0
"""raster_plot, voltage_trace, visualization: pictures of what NEST's users record."""
