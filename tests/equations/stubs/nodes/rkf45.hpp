// SPDX-License-Identifier: Apache-2.0
/// In the place of the kernel header of this name.
#include "equations/harness.hpp"
