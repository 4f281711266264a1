// SPDX-License-Identifier: Apache-2.0
/// Choices in proportion to the formula, without looking at each of the others.
#pragma once
#include "connect/space/cover.hpp"

namespace npl::connect::space {

/// Whether choosing with bounds pays. @param degree [centres] of all centres, not only those of a rank
bool choices_pay(const Candidates&, const CellSides&, Numbers degree, bool repeats);

/// As choose(), by the same distribution. Sets short_of[centre] to 1 for centres with too few others, else to 0.
Edges weighted_choices(const Candidates&, const CellSides&, Numbers centres, Numbers degree, bool repeats, ChoiceKeys, bool keyed,
                       int threads, std::vector<char>& short_of);

}  // namespace npl::connect::space
