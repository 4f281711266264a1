// SPDX-License-Identifier: Apache-2.0
/// Edges between nodes in space: pairs that a cell list offers, a formula of their positions, and random numbers that belong to the pair.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "connect/edge_list.hpp"
#include "connect/space/program.hpp"
#include "connect/space/strips.hpp"
#include "rng/philox.hpp"

namespace npl::connect::space {

/// The two sides. Centres are walked through; others are looked for, and are kept sorted by cells.
struct Sides {
  int dims;
  bool centre_is_target;       ///< else it is the source
  bool mask_around_centre;     ///< the formula sees other - centre as place in the mask, else centre - other
  std::vector<double> period;  ///< (dims,) to make moves the shortest ones; empty where they are already
  Numbers order;               ///< number of each other, by place in sorted order
  Column folded[3];            ///< coordinates of others in sorted order, moved into the layer
  Column other_at[3],
      centre_at[3];               ///< positions: of others in sorted order (may be empty when no formula reads them), of centres by number
  Numbers other_gid, centre_gid;  ///< likewise; empty: a node may connect to itself
  std::int64_t n_sources, n_images;  ///< for the keys of edges
};

/// Where the others of some centres are looked for.
struct Nearby {
  Strips strips;  ///< of the others
  Reach reach;
  Numbers centres;  ///< ascending
};

/// Edges by centre, as if centres were targets.
struct Edges {
  EdgeList list;
  std::vector<std::int64_t> key;  ///< of each edge; empty where none were asked for
};

enum class Number { bernoulli, poisson };  ///< of edges of a pair whose formula gives the probability or the mean

/// Edges drawn pair by pair. A mean above 500 throws BadParameter, 2^32 others or more do, too.
Edges pairwise(const Sides&, const Nearby&, const Program&, Number, rng::Key, bool keyed, int threads);

/// Random numbers of choose().
struct ChoiceKeys {
  rng::Key pairs, choices;
};
/// Every centre chooses degree[centre] others in proportion to the formula, each once at most unless `repeats`. Throws as pairwise().
/// short_of: the first of the centres with too few others, else -1.
Edges choose(const Sides&, const Nearby&, const Program&, Numbers degree, bool repeats, ChoiceKeys, bool keyed, int threads,
             std::int64_t& short_of);

}  // namespace npl::connect::space
