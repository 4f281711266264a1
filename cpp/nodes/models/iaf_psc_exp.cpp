// SPDX-License-Identifier: Apache-2.0
#include "model/iaf_psc_exp.hpp"

#include "nodes/update.hpp"

NPL_NEURON(iaf_psc_exp, IafPscExp)
