// SPDX-License-Identifier: Apache-2.0
/// Shared parts of the connection rules: the two node sets, exclusion of autapses, random sources, batches of edges.
#pragma once
#include <algorithm>

#include "connect/rule.hpp"
#include "connect/seen_set.hpp"

namespace npl::connect {

inline constexpr std::int64_t largest_set = std::int64_t{1} << SeenSet::number_bits;  ///< nodes
inline constexpr std::uint64_t most_per_target = 0xffffffffu;                         ///< edges of one projection
inline constexpr std::uint64_t most_edges = std::uint64_t{1} << 52;  ///< edges of a projection whose rule draws their total

/// Base class of rules between two node sets. What a rule does not declare of param::autapses() and multapses() is allowed.
class PairRule : public Rule {
 protected:
  /// Throws BadParameter for empty sets and for more than largest_set nodes.
  explicit PairRule(const RuleContext& context);

  std::uint64_t n_pre() const { return static_cast<std::uint64_t>(pre_.size()); }
  std::uint64_t n_post() const { return static_cast<std::uint64_t>(post_.size()); }
  std::uint64_t gid(std::int64_t target) const { return static_cast<std::uint64_t>(post_[target]); }
  /// Position in pre of the target itself when autapses are excluded, else -1.
  std::int64_t excluded(std::int64_t target) const { return autapses_ ? -1 : pre_.position(post_[target]); }
  /// edges_of() for a rule that draws with replacement. @param count(i) number of edges of targets.position[i]
  /// @param first_index(i) index of the first of them in arrays
  template <class Count, class First>
  void edges_by_replacement(const TargetBatch& targets, EdgeBatches& scratch, EdgeSink& sink, Count&& count, First&& first_index) const;
  /// Throws BadParameter when a set has more than `most` nodes.
  void check_sizes(std::int64_t most) const;
  /// Number of pairs excluded as autapses.
  std::uint64_t excluded_pairs() const { return autapses_ ? 0 : static_cast<std::uint64_t>(pre_.common(post_)); }

  NodeSet pre_, post_;
  rng::Key key_;
  bool autapses_, multapses_;
};

/// min(a * b, largest int64).
std::int64_t array_size(std::uint64_t a, std::uint64_t b);
/// Throws BadParameter unless 0 <= value <= most. @param why end of the message
void check_count(const char* name, std::int64_t value, std::uint64_t most, const char* why);

/// Draw of n sources for one target, uniformly from `candidates` sources. An excluded position >= 0 is skipped and not counted in
/// `candidates`. Edge k uses only the Philox block (gid, k): 48 of its bits, or 64 from 2^32 candidates on.
struct TargetDraw {
  rng::Key key;
  std::uint64_t gid, n, candidates;
  std::int64_t excluded;
  std::uint64_t first_index;  ///< value_index of edge 0
};
/// Draws with replacement; sends batches to the sink.
void draw_with_replacement(const TargetDraw&, EdgeBatch&, EdgeSink&);
/// Draws without replacement by Floyd's algorithm: one draw per edge, no rejection. Every set of n sources is equally likely; the order
/// within the set is not random.
void draw_without_replacement(const TargetDraw&, EdgeBatch&, EdgeSink&);

/// Draws with replacement for many targets: edges of several targets share a batch. The edges of draw_with_replacement(), target by target.
/// For less than 2^32 candidates.
class ReplacementDraws {
 public:
  ReplacementDraws(rng::Key key, EdgeBatch& batch, EdgeSink& sink) : key_(key), batch_(batch), sink_(sink) { batch.n = 0; }
  /// Adds the edges of a target; its key is ignored.
  void add(const TargetDraw& draw, Local local);
  void finish();  ///< sends the rest

 private:
  void add_many(const TargetDraw& draw, Local local);
  rng::Key key_;
  EdgeBatch& batch_;
  EdgeSink& sink_;
  std::uint64_t gid_[batch_capacity], k_[batch_capacity];
  std::uint32_t range_[batch_capacity], excluded_[batch_capacity];  ///< candidates; the excluded position, or none
};
inline constexpr double few_edges = 64;  ///< per target, up to which ReplacementDraws is worth it

/// Draws batch.weight_word and delay_word of the edges k .. k + batch.n - 1 of target `gid`, if wanted.
void fill_words(rng::Key key, std::uint64_t gid, std::uint64_t k, EdgeBatch& batch);
/// Sets batch.value_index to first, first + 1, ..., if wanted.
inline void fill_index(std::uint64_t first, EdgeBatch& batch) {
  if (batch.wants_index)
    for (std::size_t i = 0; i < batch.n; ++i) batch.value_index[i] = first + i;
}

/// Draws the words of the edges k[i] of targets gid[i] of a whole batch, if wanted. @param gid, k room for batch_capacity
void fill_words(rng::Key key, std::uint64_t* gid, std::uint64_t* k, EdgeBatch& batch);

/// Sends n edges in batches: sets batch.n, calls fill(k) with the index k of the first edge, passes the batch to the sink.
template <class F>
void in_batches(std::uint64_t n, EdgeBatch& batch, EdgeSink& sink, F&& fill) {
  for (std::uint64_t k = 0; k < n; k += batch_capacity) {
    batch.n = static_cast<std::size_t>(std::min<std::uint64_t>(batch_capacity, n - k));
    fill(k);
    sink.take(batch);
  }
}

template <class Count, class First>
void PairRule::edges_by_replacement(const TargetBatch& targets, EdgeBatches& scratch, EdgeSink& sink, Count&& count,
                                    First&& first_index) const {
  ReplacementDraws draws(key_, scratch.joined, sink);
  for (std::size_t i = 0; i < targets.n; ++i) {
    const std::int64_t self = autapses_ ? -1 : pre_.position(targets.gid[i]);
    draws.add({key_, static_cast<std::uint64_t>(targets.gid[i]), count(i), n_pre() - (self >= 0), self,
               static_cast<std::uint64_t>(first_index(i))},
              targets.local[i]);
  }
  draws.finish();
}

}  // namespace npl::connect
