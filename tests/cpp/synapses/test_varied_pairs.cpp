// SPDX-License-Identifier: Apache-2.0
// Pair rules with parameters per synapse, compared with the rules that all synapses share: each synapse of a run is a run of its own there.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "../levels.hpp"
#include "synapses/row_rule.hpp"
#include "synapses/rule.hpp"

namespace npl::synapses::test_varied_pairs {
namespace {

constexpr double dt = 0.1;
constexpr std::size_t n_nodes = 40;
constexpr Delay delay = 12;

/// Ranges of the parameters of the models, in order; tau_minus is common.
struct Case {
  const char* model;
  std::vector<std::pair<double, double>> range;
};
const std::vector<std::pair<double, double>> guetig{{5, 40}, {20, 20}, {0, 0.1}, {0, 2}, {0, 1}, {0, 1}, {50, 90}};
const std::vector<Case> cases{{"stdp_synapse", guetig},
                              {"stdp_nn_symm_synapse", guetig},
                              {"stdp_nn_restr_synapse", guetig},
                              {"stdp_pl_synapse_hom", {{5, 40}, {20, 20}, {0, 0.1}, {0, 2}, {0, 1}}},
                              {"vogels_sprekeler_synapse", {{5, 40}, {20, 20}, {0, 0.1}, {0, 0.5}, {50, 90}}}};

/// A row of n synapses that differ in some parameters, and for each of them a rule and a row of its own.
template <class W>
class Row {
 public:
  Row(const Case& c, std::size_t n, unsigned mask, unsigned seed) : random_(seed), post_(n_nodes, 20.0, dt) {
    std::vector<double> common;
    for (std::size_t j = 0; j < c.range.size(); ++j) {
      common.push_back(between(c.range[j]));
      if (j != 1 && mask >> j & 1) varied_.push_back(static_cast<int>(j));
    }
    const SynapseInfo& info = find_synapse(c.model);
    for (std::size_t j = common.size(); j < info.parameters.size(); ++j) common.push_back(info.parameters[j].init);
    rule_ = info.prepare_varied(common, varied_, dt);
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<double> own = common;
      for (const int j : varied_) {
        double& x = own[static_cast<std::size_t>(j)] = between(c.range[static_cast<std::size_t>(j)]);
        if (c.range[static_cast<std::size_t>(j)].second == 1 && random_() % 2) x = std::round(x);  // exponents 0 and 1
        parameters_.push_back(x);
      }
      alone_.push_back(info.prepare(own.data(), dt));
      target_.push_back(static_cast<std::uint16_t>(random_() % n_nodes));
      weight_.push_back(static_cast<W>(between({10, 45})));
    }
    expected_ = weight_;
    values_.resize(n * static_cast<std::size_t>(rule_->synapse_values()));
    last_.resize(n), trace_.resize(n), sent_.resize(n);
  }
  /// A step with postsynaptic spikes, and a presynaptic one that is delivered at once: what matters is earlier than the delay.
  void step(int posts, bool pre, bool arrivals) {
    ++now_;
    for (int k = 0; k < posts; ++k) post_.add(static_cast<Local>(random_() % n_nodes), static_cast<std::int32_t>(now_));
    if (!pre) return;
    const auto until = static_cast<std::int32_t>(now_ - delay);
    const PostArrivals* seen = arrivals ? &post_.arrivals_with_traces(delay, until) : nullptr;
    for (std::size_t k = 0; k < alone_.size(); ++k) {
      const auto& alone = alone_[k]->as<RowRule>();
      const PreTrace before = alone.spike(now_, last_[k], &trace_[k]);
      alone.process({1, &target_[k], &expected_[k], now_, before, delay, &post_, sums_.data(), 0x1p30, &expected_largest_, false, seen});
    }
    const auto& together = rule_->as<RuleOver<Step>>();
    FiredAt<Step> fired{0, now_};
    together.spike({&fired, 1}, {&row_last_, &row_trace_});
    const PartAt<Step> all{0, static_cast<std::uint32_t>(alone_.size()), 0, delay, now_, fired.before, weight_.data()};
    together.process({.parts = {&all, 1},
                      .sent = sent_.data(),
                      .largest = &largest_,
                      .post = &post_,
                      .arrived = seen,
                      .target = target_.data(),
                      .values = values_.data(),
                      .varied = parameters_.data()});
  }
  void expect_same() const {
    ASSERT_EQ(weight_, expected_);
    ASSERT_EQ(largest_, expected_largest_);
    const std::size_t width = varied_.size(), kept = static_cast<std::size_t>(rule_->synapse_values());
    for (std::size_t k = 0; k < weight_.size(); ++k) {
      ASSERT_EQ(sent_[k], static_cast<double>(weight_[k]));
      ASSERT_EQ(rule_->state("Kplus", &row_trace_, values_.data() + k * kept, parameters_.data() + k * width),
                alone_[k]->state("Kplus", &trace_[k], nullptr, nullptr));
    }
  }

 private:
  double between(std::pair<double, double> r) {
    return std::uniform_real_distribution<double>(r.first, std::nextafter(r.second, 1e9))(random_);
  }

  std::mt19937_64 random_;
  PostTrace post_;
  std::vector<int> varied_;
  std::unique_ptr<Plasticity> rule_;
  std::vector<std::unique_ptr<Plasticity>> alone_;
  std::vector<std::uint16_t> target_;
  std::vector<W> weight_, expected_;
  std::vector<double> parameters_, values_, trace_, sent_;
  std::vector<std::int32_t> last_;
  std::vector<Fixed> sums_ = std::vector<Fixed>(n_nodes);
  double largest_ = 0.0, expected_largest_ = 0.0, row_trace_ = 0.0;
  std::int32_t row_last_ = 0;
  Step now_ = 0;
};

template <class W>
void expect_rules_of_their_own() {
  for (const Case& c : cases)
    for (const unsigned mask : {1u, 2u + 4u, 8u + 16u, 32u + 64u + 1u, 127u})
      for (const std::size_t n : {1, 7, 8, 300}) {
        if ((mask & ~2u & ((1u << c.range.size()) - 1)) == 0) continue;
        Row<W> row(c, n, mask, mask + static_cast<unsigned>(n));
        for (int step = 0; step < 900; ++step) row.step(step % 3 == 0, step % 41 == 13 || step == 500 || step == 890, step % 2 == 0);
        SCOPED_TRACE(c.model);
        row.expect_same();
      }
}

TEST(VariedPairs, EachSynapseHasItsRule) {
  at_every_level([](Isa) { expect_rules_of_their_own<float>(), expect_rules_of_their_own<double>(); });
}

TEST(VariedPairs, BoundsAreThoseOfTheSynapse) {
  const SynapseInfo& info = find_synapse("stdp_synapse");
  const auto rule = info.prepare_varied({20, 20, 0.01, 1, 1, 1, 100, 0, 0}, {6}, dt);
  const double low = -3.0, high = 7.0;
  EXPECT_EQ(rule->bounds_of(&high).high, 7.0);
  EXPECT_EQ(rule->bounds_of(&low).low, -3.0);
  EXPECT_TRUE(info.may_vary("tau_plus"));
  EXPECT_FALSE(info.may_vary("tau_minus"));
}

}  // namespace
}  // namespace npl::synapses::test_varied_pairs
