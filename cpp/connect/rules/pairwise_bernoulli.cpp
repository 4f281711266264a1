// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/simd.hpp"
#include "connect/operations.hpp"
#include "connect/pair_rule.hpp"
#include "rng/philox_line.hpp"

namespace npl::connect {
namespace {

/// gap[i] = number of pairs skipped before the next edge, geometrically distributed: floor(log(u) / log(1 - p)), at most 2^45.
struct Gaps {
  NPL_INLINE static void run(const std::uint32_t* high, const std::uint32_t* low, double inverse_log, std::size_t n, double* gap) {
    for (std::size_t i = 0; i < n; ++i) {
      // 20 + 32 bits as a double in [1, 2): uniform in (0, 1) without a 64-bit integer conversion.
      const std::uint64_t bits = (std::uint64_t{high[i]} << 20) | (low[i] >> 12);
      const double u = std::bit_cast<double>(bits | 0x3ff0000000000000u) - (1.0 - 0x1p-53);
      const double g = math::log(u) * inverse_log;
      gap[i] = g < 0x1p45 ? g : 0x1p45;
    }
  }
};

/// Connects every pair with probability p. Accepts no arrays: the in-degrees are random.
class PairwiseBernoulli final : public PairRule {
 public:
  explicit PairwiseBernoulli(const RuleContext& c) : PairRule(c), p_(c.params.number("p")) {
    if (p_ > 0 && p_ < least) throw BadParameter("p", p_, "a probability: 0, or from 2^-52 to 1");
    inverse_log_ = p_ < 1 ? 1 / math::log1p(-p_) : 0;
  }

  double expected_edges() const override {
    return p_ * (static_cast<double>(n_pre()) * static_cast<double>(n_post()) - static_cast<double>(excluded_pairs()));
  }
  bool draws_number() const override { return p_ > 0 && p_ < 1; }
  Spread spread() const override { return {.kind = Spread::Kind::pairs}; }
  std::int64_t array_length() const override { return -1; }

  void edges(std::int64_t target, EdgeBatch& batch, EdgeSink& sink) const override {
    if (p_ == 0) return;
    const std::int64_t self = excluded(target);
    const std::uint64_t candidates = n_pre() - (self >= 0);
    std::uint64_t at = 0;  // next candidate source
    for (std::uint64_t k = 0; at < candidates; k += batch.n) at = one_batch(gid(target), k, at, candidates, self, batch, sink);
  }

 private:
  static constexpr double least = 0x1p-52;

  /// Number of gaps to draw: as many as the remaining pairs probably need, at most a batch.
  std::size_t wanted(std::uint64_t pairs) const {
    const double mean = static_cast<double>(pairs) * p_;
    return static_cast<std::size_t>(std::min<double>(batch_capacity, 16 * std::ceil((mean + 2 * std::sqrt(mean) + 1) / 16)));
  }

  std::uint64_t one_batch(std::uint64_t gid, std::uint64_t k, std::uint64_t at, std::uint64_t candidates, std::int64_t self,
                          EdgeBatch& batch, EdgeSink& sink) const {
    std::uint32_t w0[batch_capacity], w3[batch_capacity];
    double gap[batch_capacity];
    const std::size_t n = wanted(candidates - at);
    operations.draws += n;
    rng::draw_line(key_, {gid, k, 0, 1}, n, {w0, batch.weight_word, batch.delay_word, w3});
    Dispatch<Gaps>::run(w0, w3, inverse_log_, n, gap);
    for (batch.n = 0; batch.n < n; ++batch.n) {
      at += static_cast<std::uint64_t>(gap[batch.n]);
      if (at >= candidates) break;
      batch.source[batch.n] = at + (self >= 0 && at >= static_cast<std::uint64_t>(self));
      ++at;
    }
    if (batch.n) sink.take(batch);
    return at;
  }

  double p_, inverse_log_;
};

}  // namespace
}  // namespace npl::connect

NPL_RULE(pairwise_bernoulli, PairwiseBernoulli, "Every pair of source and target is connected with probability p.", no_rows(),
         probability("p", "of a pair: 0, or from 2^-52 to 1"), autapses())
