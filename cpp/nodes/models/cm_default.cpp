// SPDX-License-Identifier: Apache-2.0
/// Neurons with compartments (Wybo et al. 2021): any tree, passive or with Na+ and K+ channels, and receptors anywhere on it. See
/// nodes/compartments.hpp for the equations.
#include "nodes/compartments.hpp"
#include "nodes/describe.hpp"

NPL_MODEL(cm_default, compartments::Tree, compartments::model("-1;"))
