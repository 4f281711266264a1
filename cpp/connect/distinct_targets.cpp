// SPDX-License-Identifier: Apache-2.0
#include "connect/distinct_targets.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "connect/operations.hpp"
#include "connect/seen_set.hpp"
#include "rng/distribution.hpp"
#include "rng/philox_line.hpp"

namespace npl::connect {
namespace {

std::atomic<std::uint64_t> next_number{1};

}  // namespace

/// Lists the targets of one source that lie in a range of blocks.
class DistinctTargets::Draw {
 public:
  Draw(const DistinctTargets& all, std::uint64_t first_block, std::uint64_t last_block)
      : all_(all), first_(first_block), last_(last_block) {}

  /// Calls f(target, rank).
  template <class F>
  void source(std::uint64_t s, F&& f) {
    gid_ = all_.pre_[static_cast<std::int64_t>(s)];
    self_ = all_.options_.autapses ? -1 : all_.post_.position(gid_);
    divide(0, all_.blocks_, all_.outdegree_, 0, f);
  }

 private:
  std::uint64_t n_post() const { return static_cast<std::uint64_t>(all_.post_.size()); }
  std::uint64_t capacity(std::uint64_t begin, std::uint64_t end) const {
    const std::uint64_t from = begin * block, to = std::min(end * block, n_post());
    return to - from - (self_ >= static_cast<std::int64_t>(from) && self_ < static_cast<std::int64_t>(to));
  }

  template <class F>
  void divide(std::uint64_t begin, std::uint64_t end, std::uint64_t n, std::uint64_t rank, F&& f) {
    if (n == 0 || end <= first_ || begin >= last_) return;
    if (end - begin == 1 || n <= few) return within(begin, end, n, rank, f);
    ++operations.splits;
    const std::uint64_t middle = begin + (end - begin) / 2;
    const rng::Words w = rng::draw(all_.tree_key_, static_cast<std::uint64_t>(gid_), begin << 32 | end);
    const std::uint64_t left = rng::hypergeometric(capacity(begin, end), capacity(begin, middle), n, rng::uniform52(w[0], w[1]));
    divide(begin, middle, left, rank, f);
    divide(middle, end, n - left, rank + left, f);
  }

  /// Floyd's algorithm with the Philox block (source, rank) for each edge.
  template <class F>
  void within(std::uint64_t begin, std::uint64_t end, std::uint64_t n, std::uint64_t rank, F&& f) {
    const std::uint64_t start = begin * block, candidates = capacity(begin, end), first = candidates - n;
    const std::uint64_t from = first_ * block, to = last_ * block;
    seen_.start(n, candidates);
    for (std::uint64_t done = 0; done < n; done += at_once) {
      const auto m = static_cast<std::uint32_t>(std::min(at_once, n - done));
      std::uint32_t w0[at_once], w1[at_once], w2[at_once], w3[at_once];
      operations.draws += m;
      rng::draw_line(all_.draw_key_, {static_cast<std::uint64_t>(gid_), rank + done, 0, 1}, m, {w0, w1, w2, w3});
      for (std::uint32_t i = 0; i < m; ++i) {
        const std::uint64_t last = first + done + i;
        auto chosen = static_cast<std::uint32_t>(rng::below(last + 1, w0[i], w3[i]));
        if (!seen_.insert(chosen)) seen_.insert(chosen = static_cast<std::uint32_t>(last));
        const std::uint64_t target =
            start + chosen + (self_ >= static_cast<std::int64_t>(start) && start + chosen >= static_cast<std::uint64_t>(self_));
        if (target >= from && target < to) f(target, static_cast<std::uint32_t>(rank + done + i));
      }
    }
  }

  static constexpr std::uint64_t few = 64;  ///< up to this many edges are not divided further
  static constexpr std::uint64_t at_once = 64;

  const DistinctTargets& all_;
  std::uint64_t first_, last_;
  Gid gid_ = 0;
  std::int64_t self_ = -1;
  SeenSet seen_;
};

DistinctTargets::DistinctTargets(rng::Key key, const NodeSet& pre, const NodeSet& post, std::uint64_t outdegree, Options options)
    : tree_key_(rng::Key::of(std::uint64_t{key.k1} << 32 | key.k0, rng::Purpose::tree, 0)),
      draw_key_(rng::Key::of(std::uint64_t{key.k1} << 32 | key.k0, rng::Purpose::degree, 0)),
      pre_(pre),
      post_(post),
      outdegree_(outdegree),
      blocks_((static_cast<std::uint64_t>(post.size()) + block - 1) / block),
      id_(next_number++),
      options_(options) {
  const auto n_pre = static_cast<std::uint64_t>(pre.size());
  const std::uint64_t edges = n_pre * outdegree, per_block = edges / blocks_ + 1;
  // Lower bound of 8 edges per source and part: with fewer, the descent in the tree would dominate.
  const std::uint64_t part = options.part_index ? options.part_index : std::max(std::uint64_t{1} << 20, 8 * n_pre);
  blocks_per_part_ = edges <= options.whole_index ? blocks_ : std::clamp<std::uint64_t>(part / per_block, 1, blocks_);
}

DistinctTargets::Span DistinctTargets::of(std::uint64_t target) const {
  if (blocks_per_part_ == blocks_) {
    std::call_once(built_, [&] { build(0, blocks_, whole_); });
    return whole_.of(target);
  }
  thread_local Index mine;
  const std::uint64_t part = target / block / blocks_per_part_;
  if (mine.owner != id_ || mine.part != part) {
    build(part * blocks_per_part_, std::min(blocks_, (part + 1) * blocks_per_part_), mine);
    mine.owner = id_, mine.part = part;
  }
  return mine.of(target);
}

void DistinctTargets::build(std::uint64_t first_block, std::uint64_t last_block, Index& index) const {
  const auto n_pre = static_cast<std::uint64_t>(pre_.size());
  const std::uint64_t n_targets = std::min(last_block * block, static_cast<std::uint64_t>(post_.size())) - first_block * block;
  index.first_target = first_block * block;
  index.offsets.assign(n_targets + 2, 0);
  Draw draw(*this, first_block, last_block);
  for (std::uint64_t s = 0; s < n_pre; ++s)
    draw.source(s, [&](std::uint64_t target, std::uint32_t) { ++index.offsets[target - index.first_target + 2]; });
  std::partial_sum(index.offsets.begin(), index.offsets.end(), index.offsets.begin());
  index.edges.resize(index.offsets.back());
  for (std::uint64_t s = 0; s < n_pre; ++s)  // second pass over the same draws; offsets[t + 1] moves from the start of t to its end
    draw.source(s, [&](std::uint64_t target, std::uint32_t rank) {
      index.edges[index.offsets[target - index.first_target + 1]++] = {static_cast<std::uint32_t>(s), rank};
    });
}

}  // namespace npl::connect
