// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "connect/count_tree.hpp"
#include "connect/distinct_targets.hpp"
#include "connect/pair_rule.hpp"
#include "connect/shuffle.hpp"

namespace npl::connect {
namespace {

/// Collects single edges of a target into batches.
class Gather {
 public:
  Gather(rng::Key key, std::uint64_t gid, EdgeBatch& batch, EdgeSink& sink) : key_(key), gid_(gid), batch_(batch), sink_(sink) {
    batch.n = 0;
  }
  ~Gather() { send(); }
  void add(std::uint64_t source, std::uint64_t index) {
    batch_.source[batch_.n] = source;
    if (batch_.wants_index) batch_.value_index[batch_.n] = index;
    if (++batch_.n == batch_capacity) send();
  }

 private:
  void send() {
    if (batch_.n == 0) return;
    fill_words(key_, gid_, sent_, batch_);
    sink_.take(batch_);
    sent_ += batch_.n;
    batch_.n = 0;
  }

  rng::Key key_;
  std::uint64_t gid_, sent_ = 0;
  EdgeBatch& batch_;
  EdgeSink& sink_;
};

/// Edges of a group of sources that each draw targets with replacement from the same number of choices. The edges of the whole group form a
/// pool: the number of edges per choice is multinomial, and a random permutation of the pool assigns the edges. A target can therefore list
/// its edges without visiting all sources.
class Pool {
 public:
  enum class Sources { all, members, outsiders };

  Pool(rng::Key key, std::uint32_t number, std::uint64_t n_sources, std::uint64_t outdegree, std::uint64_t choices, Sources sources,
       const Subset* subset)
      : outdegree_(outdegree),
        choices_(choices),
        sources_(sources),
        subset_(subset),
        counts_(derived(key, 2 * number), n_sources * outdegree, CountTree::Split::with_replacement, choices, 1),
        shuffle_(derived(key, 2 * number + 1), n_sources * outdegree) {}

  std::uint64_t choices() const { return choices_; }

  /// Calls f(source, value index) for all edges of a choice.
  template <class F>
  void each(std::uint64_t choice, F&& f) const {
    std::uint64_t edges[Shuffle::most_at_once];
    const CountTree::Share share = counts_.at(choice);
    for (std::uint64_t done = 0; done < share.count; done += Shuffle::most_at_once) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(Shuffle::most_at_once, share.count - done));
      shuffle_.images(share.offset + done, n, edges);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t member = edges[i] / outdegree_;
        const std::uint64_t source = position(member);
        f(source, source * outdegree_ + (edges[i] - member * outdegree_));
      }
    }
  }

 private:
  static rng::Key derived(rng::Key key, std::uint32_t id) {
    return rng::Key::of(std::uint64_t{key.k1} << 32 | key.k0, rng::Purpose::degree, id);
  }

  /// Position in pre of the k-th source of the pool.
  std::uint64_t position(std::uint64_t k) const {
    if (sources_ == Sources::all) return k;
    const auto i = static_cast<std::int64_t>(k);
    return static_cast<std::uint64_t>(sources_ == Sources::members ? subset_->member(i) : subset_->outsider(i));
  }

  std::uint64_t outdegree_, choices_;
  Sources sources_;
  const Subset* subset_;
  CountTree counts_;
  Shuffle shuffle_;
};

/// Draws `outdegree` targets for every source. Arrays: row-major, one row of `outdegree` values per source.
class FixedOutdegree final : public PairRule {
 public:
  explicit FixedOutdegree(const RuleContext& c) : PairRule(c) {
    if (!multapses_) check_sizes(most_per_target);
    const std::uint64_t selves = excluded_pairs(), choices = n_post() - (selves > 0);
    if (!multapses_)
      check_count("outdegree", c.params.count("outdegree"), choices,
                  ", the number of targets: each is drawn at most once without multapses");
    else
      check_count("outdegree", c.params.count("outdegree"),
                  choices > 0 ? std::min<std::uint64_t>(most_per_target, most_edges / n_pre()) : 0, "");
    outdegree_ = static_cast<std::uint64_t>(c.params.count("outdegree"));
    if (outdegree_ == 0) return;
    if (!multapses_)
      distinct_.emplace(key_, pre_, post_, outdegree_, DistinctTargets::Options{.autapses = autapses_});
    else
      make_pools(selves);
  }

  double expected_edges() const override { return static_cast<double>(outdegree_) * static_cast<double>(n_pre()); }
  Spread spread() const override { return {.kind = multapses_ ? Spread::Kind::repeated_per_source : Spread::Kind::per_source}; }
  std::int64_t array_length() const override { return array_size(outdegree_, n_pre()); }

  void edges(std::int64_t target, EdgeBatch& batch, EdgeSink& sink) const override {
    const auto t = static_cast<std::uint64_t>(target);
    Gather gather(key_, gid(target), batch, sink);
    if (distinct_)
      for (const auto [source, rank] : distinct_->of(t)) gather.add(source, source * outdegree_ + rank);
    if (free_) free_->each(t, [&](std::uint64_t source, std::uint64_t index) { gather.add(source, index); });
    if (self_avoiding_) edges_of_self_avoiding(t, gather);
  }

 private:
  /// Edges of sources that are also targets. Choice c of the source with target position s stands for target c if c < s, else c + 1.
  void edges_of_self_avoiding(std::uint64_t target, Gather& gather) const {
    const auto at = static_cast<std::int64_t>(target);
    const auto own = [&](std::uint64_t source) { return post_.position(pre_[static_cast<std::int64_t>(source)]); };
    if (target < self_avoiding_->choices())
      self_avoiding_->each(target, [&](std::uint64_t source, std::uint64_t index) {
        if (own(source) > at) gather.add(source, index);
      });
    if (target > 0)
      self_avoiding_->each(target - 1, [&](std::uint64_t source, std::uint64_t index) {
        if (own(source) < at) gather.add(source, index);
      });
  }

  void make_pools(std::uint64_t selves) {
    if (selves > 0 && selves < n_pre()) selves_.emplace(pre_, post_);
    const Subset* subset = selves_ ? &*selves_ : nullptr;
    const auto part = [&](Pool::Sources sources) { return subset ? sources : Pool::Sources::all; };
    if (selves < n_pre()) free_.emplace(key_, 0, n_pre() - selves, outdegree_, n_post(), part(Pool::Sources::outsiders), subset);
    if (selves > 0) self_avoiding_.emplace(key_, 1, selves, outdegree_, n_post() - 1, part(Pool::Sources::members), subset);
  }

  std::uint64_t outdegree_ = 0;
  std::optional<Subset> selves_;  ///< sources that are also targets
  std::optional<Pool> free_, self_avoiding_;
  std::optional<DistinctTargets> distinct_;
};

}  // namespace
}  // namespace npl::connect

NPL_RULE(fixed_outdegree, FixedOutdegree, "Every source gets exactly `outdegree` edges to random targets.", rows("n_pre", "outdegree"),
         count("outdegree", "edges of a source"), autapses(), multapses())
