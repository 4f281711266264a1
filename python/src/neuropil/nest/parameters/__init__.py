# SPDX-License-Identifier: Apache-2.0
"""Parameters: values that are computed or drawn, one per node or connection; written with numbers, functions and operators.

`Parameter.native()` is what the kernel can draw itself; `Parameter.evaluate(context)` computes any of them with numpy from keyed random numbers.
"""

from __future__ import annotations

from ...space.context import Context
from .creating import CreateParameter
from .expression import Constant, Parameter, to_parameter

__all__ = ["Constant", "Context", "CreateParameter", "Parameter", "to_parameter"]
