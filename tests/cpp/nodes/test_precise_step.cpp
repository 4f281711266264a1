// SPDX-License-Identifier: Apache-2.0
// Neurons with precise spike times: a step in which all walk from event to event, against one in which most are taken to its end at once.
// Every bit, from random states with random events.
#include <random>

#include "../levels.hpp"
#include "harness.hpp"
#include "nodes/group.hpp"

namespace npl::nodes::test_precise_step {
namespace {

constexpr double h = 0.1;

struct Case {
  std::string model;
  std::size_t n;
  bool columns, currents, lower_bound;
};

/// What arrives in one step.
struct Arrivals {
  std::vector<std::vector<Fixed>> sums;
  std::vector<double> scale, current;
  std::vector<PreciseEvent> events;
};

struct Cells {
  Cells(const ModelInfo& model, std::size_t n) : group(model, Members(1, 1, static_cast<std::int64_t>(n)), 5, h) {}

  void step(Arrivals in, Step now, bool with_current) {
    std::vector<Fixed*> sums;
    for (auto& s : in.sums) sums.push_back(s.data());
    group.update({sums.data(), in.scale.data(), with_current ? in.current.data() : nullptr, now, 1, &out, in.events, &offsets});
    for (const auto& s : in.sums) EXPECT_EQ(std::count(s.begin(), s.end(), 0), static_cast<std::ptrdiff_t>(s.size()));
  }

  Group group;
  SourcedSpikes out{};
  std::vector<double> offsets{};
};

class Comparison {
 public:
  Comparison(const Case& c, std::uint64_t seed)
      : case_(c), model_(find_model(c.model)), walking_(model_), random_(seed), cells_(model_, c.n), walkers_(walking_, c.n) {
    walking_.update = model_.walk;
    for (Cells* cells : {&cells_, &walkers_}) set_parameters(cells->group);
    for (std::size_t i = 0; i < c.n && c.columns; ++i) vary_parameters(i);
    cells_.group.prepare(), walkers_.group.prepare();
    for (std::size_t i = 0; i < c.n; ++i) set_state(i);
  }

  void step(Step now) {
    const Arrivals in = arrivals();
    cells_.step(in, now, case_.currents), walkers_.step(in, now, case_.currents);
    for (std::size_t k = 0; k < model_.state.size(); ++k)
      for (std::size_t i = 0; i < case_.n; ++i)
        ASSERT_EQ(bits(cells_, k, i), bits(walkers_, k, i)) << model_.state[k].name << " of " << i << " in step " << now;
    ASSERT_EQ(cells_.offsets, walkers_.offsets);
    ASSERT_EQ(cells_.out.spikes.size(), walkers_.out.spikes.size());
    for (std::size_t j = 0; j < cells_.out.spikes.size(); ++j) {
      ASSERT_EQ(cells_.out.spikes[j].gid, walkers_.out.spikes[j].gid);
      ASSERT_EQ(cells_.out.spikes[j].step, walkers_.out.spikes[j].step);
    }
  }
  std::size_t spikes() const { return cells_.out.spikes.size(); }

 private:
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }
  bool chance(double p) { return uniform(0.0, 1.0) < p; }
  static std::uint64_t bits(Cells& cells, std::size_t k, std::size_t i) { return std::bit_cast<std::uint64_t>(cells.group.state(k)[i]); }

  void set(const std::string& name, std::size_t i, double x) {
    for (Cells* cells : {&cells_, &walkers_}) cells->group.set_parameter(index_of(model_.parameters, name), i, x);
  }
  void set_parameters(Group& group) {
    const auto all = [&](const char* name, double x) { group.set_parameter_all(index_of(model_.parameters, name), x); };
    all("t_ref", 0.5), all("I_e", 900.0);
    if (case_.lower_bound) all("V_min", -71.0);
    if (case_.lower_bound && model_.receptors == 1) all("refractory_input", 1.0);
  }
  void vary_parameters(std::size_t i) {
    set("V_th", i, uniform(-62.0, -50.0)), set("tau_m", i, uniform(4.0, 30.0)), set("I_e", i, uniform(300.0, 1200.0));
    set("t_ref", i, uniform(0.1, 3.0));
    if (chance(0.1)) set("tau_m", i, uniform(1e-4, 1e-2));
    if (model_.receptors == 1) return;
    const double tau = uniform(0.3, 5.0);
    set("tau_syn_ex", i, tau), set("tau_syn_in", i, case_.model == "iaf_psc_exp_ps_lossless" ? tau : uniform(0.3, 5.0));
  }
  /// Potentials about the threshold, some neurons refractory, some values that only users set.
  void set_state(std::size_t i) {
    for (std::size_t k = 0; k < model_.state.size(); ++k) {
      const std::string name = model_.state[k].name;
      double x = uniform(-50.0, 50.0);
      if (name == "V_m") x = uniform(-75.0, -54.0);
      if (name == "is_refractory") x = chance(0.3) ? 1.0 : chance(0.02) ? 1e-200 : chance(0.02) ? -0.0 : 0.0;
      if (name == "_waiting") x = chance(0.5) ? uniform(-9.0, 9.0) : 0.0;
      if (name == "_free_step") x = std::floor(uniform(-2.0, 12.0));
      if (name == "_free_offset") x = uniform(0.0, h);
      if (chance(0.02) && name[0] != '_' && name != "is_refractory") x = chance(0.5) ? 1e-160 : 1e9;
      cells_.group.state(k)[i] = walkers_.group.state(k)[i] = x;
    }
  }

  Arrivals arrivals() {
    Arrivals a;
    const auto receptors = static_cast<std::size_t>(model_.receptors);
    const FixedScale fixed = FixedScale::for_largest(2000.0);
    const double size = receptors == 1 ? 3.0 : 150.0, busy = uniform(0.0, 1.0);
    a.sums.assign(receptors, std::vector<Fixed>(case_.n)), a.scale.assign(receptors, fixed.to_double);
    for (std::size_t i = 0; i < case_.n; ++i) {
      a.current.push_back(chance(0.5) ? uniform(-300.0, 300.0) : 0.0);
      const auto weight = [&](std::size_t r) { return r == 1 ? -uniform(0.0, size) : uniform(receptors == 1 ? -size : 0.0, size); };
      for (std::size_t r = 0; r < receptors; ++r)
        if (chance(0.3 * busy)) a.sums[r][i] = round_to_fixed(weight(r) * fixed.to_fixed);
      while (chance(0.4 * busy)) {
        const auto r = static_cast<std::size_t>(uniform(0.0, static_cast<double>(receptors)));
        const auto target = cells_.group.first_local() + static_cast<Local>(i);
        a.events.push_back({target, static_cast<int>(r), chance(0.6) ? 0.0 : uniform(0.0, h), weight(r)});
      }
    }
    std::sort(a.events.begin(), a.events.end(), canonical);
    return a;
  }

  const Case case_;
  const ModelInfo& model_;
  ModelInfo walking_;
  std::mt19937_64 random_;
  Cells cells_, walkers_;
};

class PreciseStep : public testing::TestWithParam<std::string> {};

TEST_P(PreciseStep, HasTheBitsOfTheWalk) {
  std::uint64_t seed = 0;
  std::size_t spikes = 0;
  at_every_level([&](Isa) {
    for (std::size_t n : {1, 2, 3, 4, 5, 8, 31, 256, 523})
      for (int kind = 0; kind < 8; ++kind) {
        Comparison both({GetParam(), n, kind % 2 == 1, kind % 4 > 1, kind > 3}, ++seed);
        for (Step now = 0; now < 30 && !HasFatalFailure(); ++now) both.step(now);
        spikes += both.spikes();
      }
  });
  EXPECT_GT(spikes, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Models, PreciseStep,
                         testing::Values("iaf_psc_delta_ps", "iaf_psc_exp_ps", "iaf_psc_alpha_ps", "iaf_psc_exp_ps_lossless"),
                         [](const auto& info) { return info.param; });

/// The highest potential after an excitatory spike on the grid, between grid points: a spike comes where the threshold is below it, and no
/// later than at it.
TEST(IafPscExpPsLossless, MissesNoExcursion) {
  constexpr double tau_m = 10.0, tau_s = 0.3, C = 250.0, I = 2000.0;
  const double peak_at = std::log(tau_m / tau_s) / (1.0 / tau_s - 1.0 / tau_m);
  const double peak = I / C / (1.0 / tau_s - 1.0 / tau_m) * (std::exp(-peak_at / tau_m) - std::exp(-peak_at / tau_s));
  const ModelInfo& model = find_model("iaf_psc_exp_ps_lossless");
  for (std::size_t n : {1, 8})
    for (double step : {0.7, 1.0, 5.0})
      for (double over : {-1e-9, 1e-9}) {
        TestGroup g(model, n, step, {{"tau_syn_ex", tau_s}, {"tau_syn_in", tau_s}, {"V_th", -70.0 + peak - over}});
        for (std::size_t i = 0; i < n; ++i) g.state("I_syn_ex", i) = I;
        std::size_t spikes = 0;
        for (double t = 0.0; t < 10.0; t += step) spikes += g.step().size();
        EXPECT_EQ(spikes, over > 0.0 ? n : 0) << n << ' ' << step << ' ' << over;
      }
}

}  // namespace
}  // namespace npl::nodes::test_precise_step
