// SPDX-License-Identifier: Apache-2.0
// After long silence nothing becomes subnormal, and no bit depends on whether the processor flushes subnormal numbers.
#include "../every_case.hpp"
#include "harness.hpp"
#include "nodes/group.hpp"
#include "nodes/small_states.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace npl::nodes::test_small_states {
namespace {

/// While it lives, this thread's processor takes subnormal numbers for zero, or does not.
class ProcessorMode {
 public:
#if defined(__SSE2__)
  explicit ProcessorMode(bool flushing) : before_(_mm_getcsr()) { _mm_setcsr(flushing ? before_ | 0x8040u : before_ & ~0x8040u); }
  ~ProcessorMode() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#else
  explicit ProcessorMode(bool) {}
#endif
};

/// A group with the arrays around it; some neurons receive spikes in the first steps, then it is silent.
struct Quiet {
  const ModelInfo& model;
  Group group;
  std::vector<std::vector<Fixed>> sums;
  std::vector<Fixed*> pointers;
  std::vector<double> scale;
  SourcedSpikes out{};
  Step now = 0;

  Quiet(const ModelInfo& m, std::size_t n, double h, const Values& values)
      : model(m),
        group(m, Members(1, 1, static_cast<std::int64_t>(n)), 0, h),
        sums(static_cast<std::size_t>(m.receptors), std::vector<Fixed>(n)),
        scale(sums.size(), FixedScale::for_largest(2000.0).to_double) {
    for (auto& s : sums) pointers.push_back(s.data());
    for (std::size_t k = 0; k < m.parameters.size(); ++k)
      if (values.contains(m.parameters[k].name)) group.set_parameter_all(k, values.at(m.parameters[k].name));
    for (std::size_t k = 0; k < m.state.size(); ++k)
      if (values.contains(m.state[k].name)) std::fill_n(group.state(k).data(), n, values.at(m.state[k].name));
    group.prepare();
  }
  void step() {
    if (now < 20)
      for (std::size_t r = 0; r < sums.size(); ++r)
        for (std::size_t i = static_cast<std::size_t>(now) % 3; i < sums[r].size(); i += 2) {
          const bool counts = model.input == SpikeInput::count;
          sums[r][i] = counts ? 1 : static_cast<Fixed>((r == 1 && model.input == SpikeInput::by_sign ? -3.7 : 2.3) / scale[r]);
        }
    group.update({pointers.data(), scale.data(), nullptr, now++, 1, &out});
  }
  std::vector<std::uint64_t> bits() {
    std::vector<std::uint64_t> all;
    for (std::size_t k = 0; k < model.state.size(); ++k)
      for (double x : group.state(k)) all.push_back(std::bit_cast<std::uint64_t>(x));
    return all;
  }
};

/// Is it neither 0 nor normal? In bits: a processor that flushes would compare it as 0.
bool is_subnormal(std::uint64_t bits) { return (bits & 0x7fffffffffffffffu) != 0 && (bits & 0x7ff0000000000000u) == 0; }

/// Runs in both modes and compares every bit after every step.
void compare_modes(const ModelInfo& model, double h, const Values& values, int steps) {
  constexpr std::size_t n = 11;
  Quiet plain(model, n, h, values), flushing(model, n, h, values);
  for (int k = 0; k < steps; ++k) {
    {
      const ProcessorMode mode(false);
      plain.step();
    }
    {
      const ProcessorMode mode(true);
      flushing.step();
    }
    const auto bits = plain.bits();
    ASSERT_EQ(bits, flushing.bits()) << model.name << " step " << k;
    for (std::size_t j = 0; j < bits.size(); ++j)
      ASSERT_FALSE(is_subnormal(bits[j])) << model.name << ' ' << model.state[j / n].name << " step " << k;
  }
  EXPECT_EQ(plain.out.spikes.size(), flushing.out.spikes.size());
}

class SmallStates : public testing::TestWithParam<const ModelInfo*> {};

TEST_P(SmallStates, NoSubnormalAndNoDependenceOnTheProcessor) {
  compare_modes(*GetParam(), 1.0, {}, every_case() ? 12000 : 4500);  // 708 time constants of synapses, which are up to 5 ms
  compare_modes(*GetParam(), 0.1, {}, 1500);
}

/// With rest at 0 the potential decays towards 0, too; V_th and what else a model wants is set so that it may.
TEST_P(SmallStates, NorWithRestAtZero) {
  const Values rest{{"E_L", 0.0},       {"V_reset", 0.0},  {"V_th", 15.0},   {"V_m", 5.0}, {"I_e", 0.0},
                    {"E_in", -10.0},    {"E_ex", 60.0},    {"V_peak", 30.0}, {"E_K", 0.0}, {"omega", 15.0},
                    {"V_T_star", 20.0}, {"V_min", -100.0}, {"E_rev_1", 5.0}, {"w", 0.0},   {"theta_eq", 10.0}};
  compare_modes(*GetParam(), 1.0, rest, every_case() ? 12000 : 8000);  // 708 time constants of most membranes
}

INSTANTIATE_TEST_SUITE_P(Models, SmallStates, testing::ValuesIn(with_receptors()),
                         [](const auto& info) { return family_of(info.param->name); });

TEST(SmallStates, DecaysWithinAStepBecomeZeroAtOnce) {
  for (const char* model : {"iaf_psc_exp", "iaf_psc_alpha", "iaf_psc_exp_multisynapse", "iaf_tum_2000", "mat2_psc_exp", "iaf_psc_exp_ps"})
    for (double tau : {0.001, 0.0002, 0.002, 0.003, 0.0045, 0.0046, 0.01, 0.05, 0.2}) {
      const Values fast{{"tau_syn_ex", tau}, {"tau_syn_in", 1.3 * tau},
                        {"tau_syn_1", tau},  {"tau_m", 1.7 * tau},
                        {"E_L", 0.0},        {"V_reset", 0.0},
                        {"V_th", 15.0},      {"V_m", 5.0},
                        {"omega", 15.0},     {"tau_1", tau}};
      compare_modes(find_model(model), 0.1, fast, 400);
    }
}

TEST(SmallStates, SingleEditsEqualAFreshGroup) {  // neurons become fast and slow again one at a time
  const ModelInfo& model = find_model("iaf_psc_exp");
  const std::size_t tau = index_of(model.parameters, "tau_syn_ex");
  constexpr std::size_t n = 9;
  const std::vector<std::pair<std::size_t, double>> edits{{4, 1e-3}, {0, 2e-3}, {8, 1e-3}, {4, 2.0}, {5, 1e-3}, {0, 3.0}};
  for (std::size_t many = 1; many <= edits.size(); ++many) {
    Quiet edited(model, n, 0.1, {}), fresh(model, n, 0.1, {});
    std::vector<double> values(n, 2.0);
    for (std::size_t e = 0; e < many; ++e) {
      const auto [i, value] = edits[e];
      edited.group.set_parameter(tau, i, values[i] = value);
      edited.group.prepare();
    }
    for (std::size_t i = 0; i < n; ++i) fresh.group.set_parameter(tau, i, values[i]);
    fresh.group.prepare();
    for (int k = 0; k < 16000; ++k) {  // until slow ones are flushed, too
      edited.step(), fresh.step();
      ASSERT_EQ(edited.bits(), fresh.bits()) << many << " edits, step " << k;
    }
  }
}

TEST(SmallStates, ItDoesNotMatterWhoSharesTheGroup) {  // a neuron with a fast decay does not make others flush more often
  const ModelInfo& model = find_model("iaf_psc_exp");
  const std::size_t tau = index_of(model.parameters, "tau_syn_ex");
  Quiet alone(model, 4, 0.1, {{"tau_syn_ex", 0.02}}), mixed(model, 4, 0.1, {{"tau_syn_ex", 0.02}});
  mixed.group.set_parameter(tau, 3, 1e-3);
  mixed.group.prepare();
  for (int k = 0; k < 300; ++k) {
    alone.step(), mixed.step();
    for (std::size_t f = 0; f < model.state.size(); ++f)
      for (std::size_t i = 0; i < 3; ++i)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(alone.group.state(f)[i]), std::bit_cast<std::uint64_t>(mixed.group.state(f)[i])) << k;
  }
}

TEST(SmallStates, CurrentsEndAtZeroAndNotBefore) {
  const ModelInfo& model = find_model("iaf_psc_exp");
  Quiet quiet(model, 1, 0.1, {});
  quiet.group.state(index_of(model.state, "I_syn_ex"))[0] = 1e-140;
  quiet.now = 20;
  int steps = 0;
  const auto current = [&] { return quiet.group.state(index_of(model.state, "I_syn_ex"))[0]; };
  double before = 1.0;
  while (current() != 0.0 && steps < 5000) before = current(), quiet.step(), ++steps;
  const double until = 20.0 * (std::log(1e-140) - std::log(smallest_state));  // steps: tau is 20 of them
  EXPECT_NEAR(steps, until, static_cast<double>(flush_interval) + 1.0);
  EXPECT_LT(before, smallest_state * std::exp(1.0));
}

TEST(SmallStates, FlushedKeepsEverythingElse) {
  for (double x : {1.0, -1.0, smallest_state, -smallest_state, 1e300, std::numeric_limits<double>::infinity()}) EXPECT_EQ(flushed(x), x);
  for (double x : {0.0, -0.0, 0.99 * smallest_state, -0.99 * smallest_state, 5e-324})
    EXPECT_EQ(std::bit_cast<std::uint64_t>(flushed(x)), 0u) << x;
  EXPECT_TRUE(std::isnan(flushed(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace npl::nodes::test_small_states
