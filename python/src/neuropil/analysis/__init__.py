# SPDX-License-Identifier: Apache-2.0
"""Statistics and plots of what was recorded."""

from .statistics import *  # noqa: F403
from .statistics import __all__ as __all__
