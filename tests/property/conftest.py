# SPDX-License-Identifier: Apache-2.0
"""The same examples in every run; HYPOTHESIS_PROFILE=explore looks for new ones."""

import os

from hypothesis import HealthCheck, settings

_common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("repeat", derandomize=True, **_common)
settings.register_profile("explore", max_examples=2000, **_common)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeat"))
