# SPDX-License-Identifier: Apache-2.0
"""nest.lib: where NEST's functions live in modules hl_api_*; here every such module gives the public functions."""
