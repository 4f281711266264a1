# SPDX-License-Identifier: Apache-2.0
"""Models that users bring, compiled when they are loaded. Nothing of this is imported by `import neuropil`."""
