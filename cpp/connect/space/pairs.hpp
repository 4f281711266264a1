// SPDX-License-Identifier: Apache-2.0
/// Distance-dependent edges: candidate pairs from a cell list, a formula of their positions that gives a probability, mean or weight, and
/// random numbers keyed by the pair.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "connect/edge_list.hpp"
#include "connect/space/program.hpp"
#include "connect/space/strips.hpp"
#include "rng/philox.hpp"

namespace npl::connect::space {

/// The two sides of the pairs: the loop runs over centres; their partners ("others") are sorted by cells and searched.
struct Sides {
  int dims;
  bool centre_is_target;       ///< false: it is the source
  bool mask_around_centre;     ///< position in the mask: true: other - centre, false: centre - other
  std::vector<double> period;  ///< (dims,) displacements are folded to the shortest image; empty: not folded
  Numbers order;               ///< node index of each other, in sorted order
  Column folded[3];            ///< coordinates of others in sorted order, folded into the layer
  Column other_at[3],
      centre_at[3];  ///< positions: of others in sorted order (may be empty if the formula does not read them), of centres by index
  Numbers other_gid, centre_gid;     ///< gids in the same orders; empty: autapses are allowed
  std::int64_t n_sources, n_images;  ///< sizes that enter the keys of edges
};

/// Search for the others near a centre.
struct Nearby {
  Strips strips;  ///< cell list of the others
  Reach reach;
};

struct CellSides;

/// Candidate pairs and the formula of their positions.
struct Candidates {
  Sides sides;
  Nearby nearby;
  Program program;
  std::shared_ptr<const CellSides> cells = {};  ///< by cell_sides() (cover.hpp); null: all pairs are looked at
};

/// The runs around some centres, for calls with other random numbers.
struct Around {
  std::vector<std::int64_t> centres;  ///< ascending
  std::optional<Runs> runs = {};      ///< of all of them; none where there are so many centres that they are found again by each call
};
Around around(const Candidates&, Numbers centres);

/// Edges listed by centre (EdgeList::target holds centres).
struct Edges {
  EdgeList list;
  std::vector<std::int64_t> key;  ///< key of each edge; empty unless `keyed`
};

enum class Number { bernoulli, poisson };  ///< number of edges of a pair; the formula gives its probability or its mean

/// Draws the number of edges of every candidate pair. Throws BadParameter for a mean above 500 and for 2^32 others or more.
/// @param keyed true: also sets Edges::key
Edges pairwise(const Candidates&, const Around&, Number, rng::Key, bool keyed, int threads);

/// Keys of the random numbers of choose().
struct ChoiceKeys {
  rng::Key pairs, choices;
};
struct Choices {
  Edges edges;
  std::int64_t short_of;  ///< the first centre with too few others; -1: none
};
/// Chooses degree[centre] others for every centre with probability proportional to the formula, without replacement unless `repeats`.
/// @param centres ascending
/// @param keyed true: also sets Edges::key
/// Throws BadParameter for 2^32 others or more.
Choices choose(const Candidates&, Numbers centres, Numbers degree, bool repeats, ChoiceKeys, bool keyed, int threads);

}  // namespace npl::connect::space
