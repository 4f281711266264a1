# SPDX-License-Identifier: Apache-2.0
"""Commands of the command line that need more than a few lines, one module each."""
