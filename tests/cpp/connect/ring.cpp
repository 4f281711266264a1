// SPDX-License-Identifier: Apache-2.0
#include "connect/pair_rule.hpp"

namespace npl::connect {
namespace {

/// The sources form a ring; every target is reached from the `indegree` ones before its own position. Arrays: one row of `indegree` values
/// per target.
class Ring final : public PairRule {
 public:
  explicit Ring(const RuleContext& c) : PairRule(c), neighbours_(static_cast<std::uint64_t>(c.params.count("indegree"))) {
    check_count("indegree", c.params.count("indegree"), n_pre() - 1, ", the other nodes of the ring");
  }

  double expected_edges() const override { return static_cast<double>(neighbours_ * n_post()); }
  std::int64_t array_length() const override { return static_cast<std::int64_t>(neighbours_ * n_post()); }

  void edges(std::int64_t target, EdgeBatch& batch, EdgeSink& sink) const override {
    const std::uint64_t place = static_cast<std::uint64_t>(target) % n_pre();
    in_batches(neighbours_, batch, sink, [&](std::uint64_t k) {
      for (std::size_t i = 0; i < batch.n; ++i) batch.source[i] = (place + n_pre() - 1 - k - i) % n_pre();
      fill_words(key_, gid(target), k, batch);
      fill_index(static_cast<std::uint64_t>(target) * neighbours_ + k, batch);
    });
  }

 private:
  std::uint64_t neighbours_;
};

}  // namespace
}  // namespace npl::connect

NPL_RULE(ring, Ring, "Every target is reached from the `indegree` sources before it on a ring.", rows("n_post", "indegree"),
         count("indegree", "sources of each target"))
