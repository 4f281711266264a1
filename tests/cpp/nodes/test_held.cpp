// SPDX-License-Identifier: Apache-2.0
// Refractory neurons as a list: groups against the equations with a time per neuron, one neuron at a time.
#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "base/fixed.hpp"
#include "base/math.hpp"
#include "model/propagators.hpp"
#include "nodes/group.hpp"
#include "rng/philox.hpp"

namespace npl::nodes::test_held {
namespace {

constexpr double h = 0.1, tau_m = 10.0, C_m = 250.0, tau_syn = 0.5, E_L = -65.0, V_th = -50.0, V_reset = -65.0;

std::size_t number(const std::vector<Field>& fields, std::string_view name) {
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (fields[k].name == name) return k;
  throw std::out_of_range(std::string(name));
}

/// iaf_psc_exp as its equations say it.
struct Neuron {
  double V = E_L, ex = 0, in = 0, free_at = 0, t_ref = 2.0;

  bool step(Step now, double excitation, double inhibition) {
    const double Q = -math::expm1(-h / tau_m), P = math::exp(-h / tau_syn), P_V = exp_propagator(tau_syn, tau_m, C_m, h);
    const double change = (E_L - V) * Q + (ex * P_V + in * P_V);
    if (static_cast<double>(now) >= free_at) V += change;
    ex = ex * P + excitation, in = in * P + inhibition;
    if (V < V_th) return false;
    V = V_reset, free_at = static_cast<double>(now + 1) + std::round(t_ref / h);
    return true;
  }
};

/// A group and its neurons one by one, with the same input.
struct Both {
  std::size_t n;
  Group group;
  std::vector<Neuron> neurons;
  std::vector<Fixed> sums[2];
  Step now = 0;
  bool driven = true;  ///< gets input
  std::size_t spikes = 0;

  explicit Both(std::size_t size) : n(size), group(find_model("iaf_psc_exp"), Members(1, 1, static_cast<Gid>(size)), 0, h), neurons(size) {
    const auto set = [&](const char* name, double value) { group.set_parameter_all(number(group.model().parameters, name), value); };
    set("tau_m", tau_m), set("C_m", C_m), set("tau_syn_ex", tau_syn), set("tau_syn_in", tau_syn), set("E_L", E_L), set("V_th", V_th);
    set("V_reset", V_reset);
    for (double& V : state("V_m")) V = E_L;
    for (auto& s : sums) s.resize(n);
    group.prepare();
  }
  std::span<double> state(const char* name) { return group.state(number(group.model().state, name)); }
  void set_t_ref(std::size_t i, double ms) {
    group.set_parameter(number(group.model().parameters, "t_ref"), i, ms);
    neurons[i].t_ref = ms;
    group.prepare();
  }

  /// Steps in pieces of some neurons; the spikes and, now and then, all bits of the state are compared.
  void run(Step steps, std::size_t piece) {
    const double scale[] = {0x1p-30, 0x1p-30};
    for (const Step end = now + steps; now < end; ++now) {
      std::vector<Gid> expected;
      for (std::size_t i = 0; i < n; ++i) {
        const auto w = rng::draw({5, 6}, i, static_cast<std::uint64_t>(now));
        const double excitation = driven && w[0] % 8 == 0 ? 2500.0 : 0.0, inhibition = w[1] % 16 == 0 ? -500.0 : 0.0;
        sums[0][i] = round_to_fixed(excitation * 0x1p30), sums[1][i] = round_to_fixed(inhibition * 0x1p30);
        if (neurons[i].step(now, excitation, inhibition)) expected.push_back(static_cast<Gid>(i + 1));
      }
      Fixed* in[] = {sums[0].data(), sums[1].data()};
      SourcedSpikes found;
      for (std::size_t begin = 0; begin < n; begin += piece)
        group.update({in, scale, nullptr, now, 1, &found}, begin, std::min(piece, n - begin));
      std::vector<Gid> gids;
      for (const Spike& s : found.spikes) gids.push_back(s.gid);
      ASSERT_EQ(gids, expected) << now;
      spikes += gids.size();
    }
    compare();
  }
  void compare() {
    const auto same = [&](const char* name, double Neuron::* of) {
      const auto column = state(name);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(column[i]), std::bit_cast<std::uint64_t>(neurons[i].*of)) << name << " " << i << " " << now;
    };
    same("V_m", &Neuron::V), same("I_syn_ex", &Neuron::ex), same("I_syn_in", &Neuron::in), same("_free_at", &Neuron::free_at);
  }
};

TEST(Held, AGroupIsItsNeuronsWhateverThePieces) {
  for (const std::size_t n : {1, 7, 256, 257, 1500, 17000})  // above 64 x 256 there are several batches in a piece
    for (const std::size_t piece : {std::size_t{1} << 20, std::size_t{1024}, std::size_t{100}}) {
      if (n > 2000 && piece < 1024) continue;
      Both both(n);
      both.run(n > 2000 ? 60 : 200, piece);
      EXPECT_GT(both.spikes, n > 2000 ? n / 4 : n / 2) << n;
    }
}

TEST(Held, PiecesMayChangeFromStepToStep) {
  Both both(3000);
  for (std::size_t k = 0; k < 40; ++k) both.run(5, 1 + 700 * (k % 7));
  EXPECT_GT(both.spikes, 3000u);
}

TEST(Held, StatesThatAreSetCount) {
  Both both(600);
  both.run(100, 256);
  for (std::size_t i = 0; i < 600; i += 3) {  // some become free, some held, some are held above threshold: these spike all the same
    const double free_at = static_cast<double>(both.now) + static_cast<double>(i % 5) * 7.0 - 7.0;
    both.state("_free_at")[i] = both.neurons[i].free_at = free_at;
    if (i % 2) both.state("V_m")[i] = both.neurons[i].V = -40.0;
  }
  both.run(100, 256);
}

TEST(Held, RefractoryTimesMayDifferAndChange) {
  Both both(400);
  for (std::size_t i = 0; i < 400; ++i) both.set_t_ref(i, static_cast<double>(i % 40) * 0.1);  // 0: never held
  both.run(100, 128);
  for (std::size_t i = 0; i < 400; i += 2) both.set_t_ref(i, 5.0);
  both.run(200, 400);
  EXPECT_GT(both.spikes, 800u);
}

TEST(Held, ManyAreHeldThenFewThenMany) {
  Both both(500);
  for (std::size_t i = 0; i < 500; ++i) both.set_t_ref(i, i % 3 ? 5.0 : 2.0);
  for (const bool driven : {true, false, true}) {
    both.driven = driven;
    both.run(600, 200);
  }
  EXPECT_GT(both.spikes, 5000u);  // about a fourth of the neurons is held
}

TEST(Held, FrozenNeuronsKeepWhatTheyHave) {
  Both both(300);
  both.run(100, 300);
  std::vector<Neuron> kept;
  for (std::size_t i = 0; i < 300; i += 4) both.group.freeze(i, true), kept.push_back(both.neurons[i]);
  EXPECT_FALSE(both.group.in_pieces());
  const double scale[] = {1.0, 1.0};
  Fixed* in[] = {both.sums[0].data(), both.sums[1].data()};
  for (int k = 0; k < 15; ++k, ++both.now) {
    SourcedSpikes none;
    both.group.update({in, scale, nullptr, both.now, 1, &none});
    for (Neuron& n : both.neurons) n.step(both.now, 0, 0);
  }
  for (std::size_t i = 0, k = 0; i < 300; i += 4) both.neurons[i] = kept[k++], both.group.freeze(i, false);
  both.compare();
  both.run(100, 300);
}

/// What a checkpoint does: the state columns alone go to another group.
TEST(Held, AnotherGroupGoesOnFromTheColumns) {
  Both first(500), second(500);
  first.run(150, 500);
  for (const char* name : {"V_m", "I_syn_ex", "I_syn_in", "_free_at"}) std::ranges::copy(first.state(name), second.state(name).begin());
  second.neurons = first.neurons, second.now = first.now;
  second.run(150, 64);
}

}  // namespace
}  // namespace npl::nodes::test_held
