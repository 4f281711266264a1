// SPDX-License-Identifier: Apache-2.0
/// Independent draws for all pairs that skip over unlikely ones.
#pragma once
#include "connect/space/cover.hpp"

namespace npl::connect::space {

/// Candidates of a stretch that a centre looks at, on average.
double mean_candidates(const Stretch&);

/// Edges between the centres and others, each pair with the probability that the formula gives, independently; ascending centres. The
/// distribution is that of pairwise(), not the edges. @param keyed true: also sets Edges::key
Edges skipping(const Candidates&, const CellSides&, Numbers centres, rng::Key, bool keyed, int threads);

}  // namespace npl::connect::space
