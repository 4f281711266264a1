// SPDX-License-Identifier: Apache-2.0
#include "model/hh_psc_alpha.hpp"

#include "nodes/rkf45.hpp"

NPL_NEURON_RKF45(hh_psc_alpha, HhPscAlpha)
