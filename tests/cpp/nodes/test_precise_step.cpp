// SPDX-License-Identifier: Apache-2.0
// Neurons with precise spike times: a group, most of whose neurons a vector loop takes through a step, against groups of one neuron, which
// walk from event to event. Every bit, from random states with random events.
#include <random>

#include "base/simd.hpp"
#include "harness.hpp"
#include "nodes/group.hpp"

namespace npl::nodes {
namespace {

constexpr double h = 0.1;

struct Case {
  std::string model;
  std::size_t n;
  bool columns, currents;
  Values values;
};

/// Neurons with all that arrives at them in one step.
class Cells {
 public:
  Cells(const Case& c, std::size_t first, std::size_t n)
      : model_(find_model(c.model)), group_(model_, Members(1 + static_cast<Gid>(first), 1, static_cast<std::int64_t>(n)), first, h) {
    for (const auto& [name, value] : c.values) group_.set_parameter_all(index_of(model_.parameters, name), value);
  }
  void set_parameter(const std::string& name, std::size_t i, double x) { group_.set_parameter(index_of(model_.parameters, name), i, x); }
  Group& group() { return group_; }
  std::vector<Spike> spikes;
  std::vector<double> offsets;

 private:
  const ModelInfo& model_;
  Group group_;
};

struct Arrivals {
  std::vector<std::vector<Fixed>> sums;
  std::vector<double> scale, current;
  std::vector<PreciseEvent> events;
};

class Comparison {
 public:
  Comparison(const Case& c, std::uint64_t seed) : case_(c), model_(find_model(c.model)), random_(seed), together_(c, 0, c.n) {
    for (std::size_t i = 0; i < c.n; ++i) alone_.push_back(std::make_unique<Cells>(c, i, 1));
    for (std::size_t i = 0; i < c.n; ++i)
      if (c.columns) set_parameters(i);
    together_.group().prepare();
    for (auto& one : alone_) one->group().prepare();
    for (std::size_t i = 0; i < c.n; ++i) set_state(i);
  }

  void step(Step now) {
    Arrivals a = arrivals();
    Arrivals same = a;
    update(together_, a, now, 0, a.events);
    auto event = same.events.begin();
    for (std::size_t i = 0; i < case_.n; ++i) {
      const auto begin = event;
      while (event != same.events.end() && event->target == i) ++event;
      update(*alone_[i], same, now, i, {begin, event});
    }
    compare(now);
    for (const auto& sums : a.sums)
      for (Fixed x : sums) ASSERT_EQ(x, 0);
  }
  std::size_t spikes() const { return together_.spikes.size(); }

 private:
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }
  bool chance(double p) { return uniform(0.0, 1.0) < p; }

  void set(const std::string& name, std::size_t i, double x) {
    together_.set_parameter(name, i, x), alone_[i]->set_parameter(name, 0, x);
  }
  void set_parameters(std::size_t i) {
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
      together_.group().state(k)[i] = alone_[i]->group().state(k)[0] = x;
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
        a.events.push_back({static_cast<Local>(i), static_cast<int>(r), chance(0.6) ? 0.0 : uniform(0.0, h), weight(r)});
      }
    }
    std::sort(a.events.begin(), a.events.end(), canonical);
    return a;
  }

  void update(Cells& cells, Arrivals& a, Step now, std::size_t first, std::span<const PreciseEvent> events) {
    std::vector<Fixed*> sums;
    for (auto& s : a.sums) sums.push_back(s.data() + first);
    cells.group().update(
        {sums.data(), a.scale.data(), case_.currents ? a.current.data() + first : nullptr, now, 1, &cells.spikes, events, &cells.offsets});
  }

  void compare(Step now) {
    for (std::size_t i = 0; i < case_.n; ++i)
      for (std::size_t k = 0; k < model_.state.size(); ++k)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(together_.group().state(k)[i]), std::bit_cast<std::uint64_t>(alone_[i]->group().state(k)[0]))
            << model_.state[k].name << " of " << i << " in step " << now << ": " << together_.group().state(k)[i];
    std::vector<Spike> spikes;
    std::vector<double> offsets;
    for (auto& one : alone_) {
      spikes.insert(spikes.end(), one->spikes.begin(), one->spikes.end());
      offsets.insert(offsets.end(), one->offsets.begin(), one->offsets.end());
      one->spikes.clear(), one->offsets.clear();
    }
    const std::vector<Spike> here(together_.spikes.begin() + static_cast<std::ptrdiff_t>(seen_), together_.spikes.end());
    ASSERT_EQ(here.size(), spikes.size());
    for (std::size_t j = 0; j < here.size(); ++j) {
      ASSERT_EQ(here[j].gid, spikes[j].gid);
      ASSERT_EQ(here[j].step, spikes[j].step);
      ASSERT_EQ(together_.offsets[seen_ + j], offsets[j]);
    }
    seen_ = together_.spikes.size();
  }

  const Case& case_;
  const ModelInfo& model_;
  std::mt19937_64 random_;
  Cells together_;
  std::vector<std::unique_ptr<Cells>> alone_;
  std::size_t seen_ = 0;
};

class PreciseStep : public testing::TestWithParam<std::string> {};

TEST_P(PreciseStep, OfAGroupIsThatOfItsNeurons) {
  const Isa before = isa();
  std::uint64_t seed = 0;
  std::size_t spikes = 0;
  for (Isa level : {Isa::baseline, Isa::v3, Isa::v4}) {
    if (!set_isa(level)) continue;
    for (std::size_t n : {4, 5, 8, 31, 256, 523})
      for (int kind = 0; kind < 8; ++kind) {
        Case c{GetParam(), n, kind % 2 == 1, kind % 4 > 1, {{"t_ref", 0.5}, {"I_e", 900.0}}};
        if (kind >= 4) c.values["V_min"] = -71.0;
        if (kind >= 4 && GetParam() == "iaf_psc_delta_ps") c.values["refractory_input"] = 1.0;
        Comparison both(c, ++seed);
        for (Step now = 0; now < 30 && !HasFatalFailure(); ++now) both.step(now);
        spikes += both.spikes();
      }
  }
  set_isa(before);
  EXPECT_GT(spikes, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Models, PreciseStep,
                         testing::Values("iaf_psc_delta_ps", "iaf_psc_exp_ps", "iaf_psc_alpha_ps", "iaf_psc_exp_ps_lossless"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace npl::nodes
