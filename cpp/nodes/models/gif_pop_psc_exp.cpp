// SPDX-License-Identifier: Apache-2.0
/// Populations of neurons as one node each (Schwalger, Deger & Gerstner 2017). See nodes/population.hpp for the equations.
#include "nodes/describe.hpp"
#include "nodes/population.hpp"

/// Without a shape: a history of 100 steps.
NPL_MODEL(gif_pop_psc_exp, population::State, population::model("100"))
