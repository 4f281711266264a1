// SPDX-License-Identifier: Apache-2.0
/// Edges between nodes in space: pairs that a cell list offers, a formula of their positions, and random numbers that belong to the pair.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "connect/edge_list.hpp"
#include "connect/space/program.hpp"
#include "rng/philox.hpp"

namespace npl::connect::space {

using Column = std::span<const double>;
using Numbers = std::span<const std::int64_t>;

/// Runs of others that lie side by side in sorted order, for centres in ascending order.
struct Runs {
  Numbers centre, start, length, image;
  Column base[3];  ///< where the centre is as seen from the periodic image
};

/// The two sides. Centres are walked through; others are looked for, and are kept sorted by cells.
struct Sides {
  int dims;
  bool centre_is_target;       ///< else it is the source
  bool mask_around_centre;     ///< the formula sees other - centre as place in the mask, else centre - other
  std::vector<double> period;  ///< (dims,) to make moves the shortest ones; empty where they are already
  Numbers order;               ///< number of each other, by place in sorted order
  Column folded[3];            ///< coordinates of others in sorted order, moved into the layer
  Column other_at[3],
      centre_at[3];               ///< positions: of others in sorted order, of centres by number; may be empty when no formula reads them
  Numbers other_gid, centre_gid;  ///< likewise; empty: a node may connect to itself
  std::int64_t n_sources, n_images;  ///< for the keys of edges
};

/// int64 columns, one entry per edge, centres ascending.
struct Edges {
  std::vector<std::int64_t> centre, other, key;

  void add(std::int64_t c, std::int64_t o, std::int64_t k) {
    centre.push_back(c);
    other.push_back(o);
    key.push_back(k);
  }
  /// Adds edges whose centres come after ours.
  void join(Edges&& more);
};

/// Edges of targets alone, without keys.
struct ListedEdges {
  EdgeList list;
  void add(std::int64_t target, std::int64_t source, std::int64_t) { list.add(target, source); }
  void join(ListedEdges&& more) { list.join(std::move(more.list)); }
};

enum class Number { bernoulli, poisson };  ///< of edges of a pair whose formula gives the probability or the mean

/// Edges drawn pair by pair; Out is Edges or ListedEdges. A mean above 500 throws BadParameter.
template <class Out>
Out pairwise(const Sides&, const Runs&, const Program&, Number, rng::Key, int threads);

/// Random numbers of choose().
struct ChoiceKeys {
  rng::Key pairs, choices;
};
/// Every centre chooses degree[centre] others in proportion to the formula, each once at most unless `repeats`.
/// short_of: the first centre with too few others, else -1.
template <class Out>
Out choose(const Sides&, const Runs&, const Program&, Numbers degree, bool repeats, ChoiceKeys, int threads, std::int64_t& short_of);

}  // namespace npl::connect::space
