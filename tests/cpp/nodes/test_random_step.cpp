// SPDX-License-Identifier: Apache-2.0
// Neurons that spike at random: numbers drawn side by side, and spikes against the equations, one neuron at a time.
#include "../levels.hpp"
#include "harness.hpp"
#include "model/gif_psc.hpp"
#include "nodes/step_words.hpp"

namespace npl::nodes::test_random_step {
namespace {

TEST(StepWords, AreThoseOfEachNeuronAndStep) {
  std::vector<Gid> irregular;
  for (Gid k = 0; k < 400; ++k) irregular.push_back(5 + 3 * k + k % 2);
  const Members kinds[] = {Members(1, 1, 400), Members(9, 4, 400), Members(irregular), Members((Gid{1} << 40) + 1, 1, 400)};
  at_every_level([&](Isa) {
    for (const Members& nodes : kinds)
      for (std::size_t begin : {0u, 7u, 144u})
        for (std::size_t n = 1; n <= chunk; n += n < 40 ? 1 : 27) {
          StepWords words;
          words.draw({11, 0x676966u, 123456789012}, nodes, begin, n);
          for (std::size_t k = 0; k < n; ++k)
            ASSERT_EQ(words.uniform(k), uniform_of_step(11, 0x676966u, nodes[static_cast<Gid>(begin + k)], 123456789012)) << n << ' ' << k;
        }
  });
}

TEST(GifPsc, MayFireMissesNoSpike) {
  using Model = GifPscBySign;
  Model::Params p{};
  p.neuron.C_m = 80, p.neuron.g_L = 4, p.neuron.gif = {-35.0, 0.5, 10.0, {}, {}}, p.tau_ex = p.tau_in = 2.0;
  p.neuron.gif.sfa.tau = p.neuron.gif.stc.tau = {1, 1, 1, 1};
  const auto d = Model::derive(p, 0.1);
  int fired = 0, may = 0;
  for (Gid gid = 1; gid < 20000; ++gid) {
    const double x = uniform_of_step(1, 2, gid, 3);
    Model::State s{};
    s.V_m = -40.0 + 12.0 * x, s.gif.E_sfa = -35.0, s.gif.free_at = gid % 5 ? 0.0 : 7.0;
    if (gid % 1000 == 0) s.V_m = std::nan("");
    if (gid % 1000 == 1) s.V_m = 1e300;
    const Input<2> in{{}, 0.0, gid, 6, 77};
    const bool says = Model::may_fire(s, d, 6.0, uniform_of_step(77, Model::random_id, gid, 6));
    const double free_at = s.gif.free_at;
    const double count = Model::fire(s, d, in);
    ASSERT_TRUE(says || (count == 0.0 && s.gif.free_at == free_at)) << gid << ' ' << s.V_m;
    fired += count > 0.0, may += says;
  }
  EXPECT_GT(fired, 1000);
  EXPECT_LT(may, 2 * fired) << "the scalar path should be for few";
}

/// pp_psc_delta as its equations say it.
struct PointProcess {
  double tau_m = 10.0, C_m = 250.0, c_1, c_2, c_3, dead_time, V = 0.0, free_at = 0.0;

  int step(Gid gid, Step now, std::uint64_t seed, double current) {
    const double R = tau_m / C_m, h = 0.1;
    V += (0.0 + current * R - V) * -math::expm1(-h / tau_m) + 0.0;
    if (static_cast<double>(now) < free_at) return 0;
    const double expected = c_1 * 1e-3 * h * V + c_2 * 1e-3 * h * math::exp(c_3 * V);
    if (!(expected > 0.0)) return 0;
    const double u = uniform_of_step(seed, 0x70705f70u, gid, now);
    double term = math::exp(-expected), sum = term;
    int count = 0;
    while (u >= sum && count < (dead_time > 0.0 ? 1 : 1000)) term *= expected / ++count, sum += term;
    if (count == 0) return 0;
    if (dead_time > 0.0) free_at = static_cast<double>(now) + 1.0 + std::round(dead_time / h);
    V = 0.0;
    return count;
  }
};

TEST(PpPscDelta, SpikesAreThoseOfTheEquationsOnEveryLevel) {
  struct Case {
    double c_1, c_2, c_3, dead_time;
  };
  at_every_level([](Isa) {
    for (const Case& c : {Case{0.0, 1.238, 0.25, 1.0}, Case{3.0, 0.0, 0.0, 2.0}, Case{500.0, 5.0, 0.1, 0.0}, Case{-3.0, 30.0, 0.1, 0.0}})
      for (std::size_t n : {1u, 3u, 8u, 300u}) {
        TestGroup g(find_model("pp_psc_delta"), n, 0.1, {{"c_1", c.c_1}, {"c_2", c.c_2}, {"c_3", c.c_3}, {"dead_time", c.dead_time}});
        std::vector<PointProcess> neurons(n, PointProcess{.c_1 = c.c_1, .c_2 = c.c_2, .c_3 = c.c_3, .dead_time = c.dead_time});
        std::size_t spikes = 0;
        for (int k = 0; k < 600; ++k) {
          std::vector<Gid> expected;
          const Step now = g.now();
          for (std::size_t i = 0; i < n; ++i) {
            g.current(i) = 400.0 + static_cast<double>(i);
            const Gid gid = static_cast<Gid>(i) + 1;
            expected.insert(expected.end(), static_cast<std::size_t>(neurons[i].step(gid, now, 7, g.current(i))), gid);
          }
          ASSERT_EQ(g.step(true), expected) << k << ' ' << n;
          for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(g.state("V_m", i), neurons[i].V);
          spikes += expected.size();
        }
        if (n == 300) {
          EXPECT_GT(spikes, 100u);
        }
      }
  });
}

}  // namespace
}  // namespace npl::nodes::test_random_step
