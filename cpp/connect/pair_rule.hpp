// SPDX-License-Identifier: Apache-2.0
/// What most rules share: the two sets, the forbidden self-connection, and how edges leave in batches.
#pragma once
#include <algorithm>

#include "connect/rule.hpp"
#include "connect/seen_set.hpp"

namespace npl::connect {

inline constexpr std::int64_t largest_set = std::int64_t{1} << SeenSet::number_bits;  ///< nodes
inline constexpr std::uint64_t most_per_target = 0xffffffffu;                         ///< edges of one projection
inline constexpr std::uint64_t most_edges = std::uint64_t{1} << 52;  ///< of one projection, where they are counted together

class PairRule : public Rule {
 protected:
  /// Throws BadParameter for empty sets and for more than largest_set nodes.
  explicit PairRule(const RuleContext& context);

  std::uint64_t n_pre() const { return static_cast<std::uint64_t>(pre_.size()); }
  std::uint64_t n_post() const { return static_cast<std::uint64_t>(post_.size()); }
  std::uint64_t gid(std::int64_t target) const { return static_cast<std::uint64_t>(post_[target]); }
  /// Source position of the target itself when it may not be chosen, else -1.
  std::int64_t excluded(std::int64_t target) const { return autapses_ ? -1 : pre_.position(post_[target]); }
  /// Throws BadParameter where a set has more nodes than a rule can serve.
  void check_sizes(std::int64_t most) const;
  /// Pairs that are left out because source and target are the same node.
  std::uint64_t excluded_pairs() const { return autapses_ ? 0 : static_cast<std::uint64_t>(pre_.common(post_)); }

  NodeSet pre_, post_;
  rng::Key key_;
  bool autapses_, multapses_;
};

/// a * b, or the largest int64 when that is less: no array is as long.
std::int64_t array_size(std::uint64_t a, std::uint64_t b);
/// Throws BadParameter unless 0 <= value <= most; the message says why.
void check_count(const char* name, std::int64_t value, std::uint64_t most, const char* why);

/// Edges of one target: n of them from `candidates` sources, leaving out the position `excluded` when that is >= 0 (candidates does not
/// count it then). Edge k uses the Philox block (gid, k) alone: 48 of its bits, or 64 where there are 2^32 candidates or more.
struct TargetDraw {
  rng::Key key;
  std::uint64_t gid, n, candidates;
  std::int64_t excluded;
  std::uint64_t first_index;  ///< value_index of edge 0
};
/// Every source equally likely, again and again.
void draw_with_replacement(const TargetDraw&, EdgeBatch&, EdgeSink&);
/// Every set of n sources equally likely, by Floyd's algorithm: one draw per edge, no rejection. The order within the set is not random.
void draw_without_replacement(const TargetDraw&, EdgeBatch&, EdgeSink&);

/// batch.weight_word and delay_word of edges k .. k + batch.n - 1 of a target.
void fill_words(rng::Key key, std::uint64_t gid, std::uint64_t k, EdgeBatch& batch);
inline void fill_index(std::uint64_t first, EdgeBatch& batch) {
  if (batch.wants_index)
    for (std::size_t i = 0; i < batch.n; ++i) batch.value_index[i] = first + i;
}

/// Calls fill(k) for k = 0, batch_capacity, ... with batch.n set, and sends the batch.
template <class F>
void in_batches(std::uint64_t n, EdgeBatch& batch, EdgeSink& sink, F&& fill) {
  for (std::uint64_t k = 0; k < n; k += batch_capacity) {
    batch.n = static_cast<std::size_t>(std::min<std::uint64_t>(batch_capacity, n - k));
    fill(k);
    sink.take(batch);
  }
}

}  // namespace npl::connect
