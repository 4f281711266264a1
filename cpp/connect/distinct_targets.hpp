// SPDX-License-Identifier: Apache-2.0
/// Draws K distinct targets for every source and lists them by target. The K edges of a source are divided over blocks of targets by a tree
/// of hypergeometric splits, and drawn within a block by Floyd's algorithm. An index by target is built for as many blocks as memory
/// permits.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "connect/node_set.hpp"
#include "rng/philox.hpp"

namespace npl::connect {

/// Thread safe. Keeps references to `pre` and `post`.
class DistinctTargets {
 public:
  struct Options {
    bool autapses;
    /// Up to this many edges, all threads share one index of all targets (8 B per edge); beyond, each thread indexes one part at a time.
    std::uint64_t whole_index = std::uint64_t{1} << 24;
    std::uint64_t part_index = 0;  ///< edges per part; 0: chosen automatically
  };
  struct Edge {
    std::uint32_t source;  ///< position in pre
    std::uint32_t rank;    ///< index 0 .. K-1 among the edges of its source
  };
  using Span = std::span<const Edge>;

  DistinctTargets(rng::Key key, const NodeSet& pre, const NodeSet& post, std::uint64_t outdegree, Options options);
  /// Edges of a target by ascending source; valid until the next call of this thread.
  Span of(std::uint64_t target) const;

 private:
  static constexpr std::uint64_t block = 1024;  ///< targets
  struct Index {
    std::uint64_t owner = 0, part = 0, first_target = 0;
    std::vector<std::uint64_t> offsets;
    std::vector<Edge> edges;
    Span of(std::uint64_t target) const {
      const std::uint64_t t = target - first_target;
      return {edges.data() + offsets[t], static_cast<std::size_t>(offsets[t + 1] - offsets[t])};
    }
  };
  class Draw;

  void build(std::uint64_t first_block, std::uint64_t last_block, Index& index) const;

  rng::Key tree_key_, draw_key_;
  const NodeSet &pre_, &post_;
  std::uint64_t outdegree_, blocks_, blocks_per_part_, id_;
  Options options_;
  mutable std::once_flag built_;
  mutable Index whole_;
};

}  // namespace npl::connect
