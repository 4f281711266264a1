// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "../levels.hpp"
#include "rng/philox.hpp"
#include "rng/philox_line.hpp"
#include "statistics.hpp"

namespace npl::rng::test_philox {
namespace {

TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0, 0), (Words{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
  const std::uint32_t f = 0xffffffffu;
  EXPECT_EQ(philox({f, f, f, f}, f, f), (Words{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
  EXPECT_EQ(philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, 0xa4093822u, 0x299f31d0u),
            (Words{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}));
}

TEST(Philox, KeysOfDifferentUsesDiffer) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::uint64_t seed : {0, 1, 2})
    for (Purpose purpose :
         {Purpose::connect, Purpose::node_value, Purpose::poisson, Purpose::noise, Purpose::model, Purpose::tree, Purpose::degree})
      for (std::uint64_t id = 0; id < 1000; ++id) {
        const Key key = Key::of(seed, purpose, id);
        EXPECT_TRUE(seen.emplace(key.k0, key.k1).second);
      }
}

TEST(Philox, LineOfCountersEqualsSingleDraws) {
  const Key key = Key::of(1, Purpose::noise, 2);
  const CounterLine lines[] = {{7, 0, 0, 1}, {1, 5, 19, 0}, {0xfffffff0u, 0xfffffffdu, 3, 1}, {~std::uint64_t{0} - 3, 9, 1, 0xfffffffffu}};
  at_every_level([&](Isa) {
    for (const CounterLine& line : lines)
      for (std::size_t n = 0; n < 70; ++n) {
        std::vector<std::uint32_t> w[4];
        for (auto& column : w) column.assign(n + 1, 0xabababab);
        draw_line(key, line, n, {w[0].data(), w[1].data(), w[2].data(), w[3].data()});
        for (std::size_t i = 0; i < n; ++i) {
          const Words expected = draw(key, line.a + i * line.step_a, line.b + i * line.step_b);
          ASSERT_EQ((Words{w[0][i], w[1][i], w[2][i], w[3][i]}), expected) << n << " " << i;
        }
        for (auto& column : w) ASSERT_EQ(column[n], 0xabababab) << "written past the end";
      }
  });
}

TEST(Philox, ListedCounters) {
  at_every_level([](Isa) {
    for (std::size_t n : {0, 1, 3, 8, 15, 16, 17, 31, 32, 48, 100}) {
      std::vector<std::uint64_t> a(n), b(n);
      for (std::size_t i = 0; i < n; ++i) a[i] = (i * 0x123456789abcdefu) >> (i % 40), b[i] = std::uint64_t{1} << (7 * i % 64);
      std::array<std::vector<std::uint32_t>, 4> w;
      for (auto& column : w) column.assign(n + 1, 0xabababab);
      draw_listed(Key{7, 9}, a.data(), b.data(), n, {w[0].data(), w[1].data(), w[2].data(), w[3].data()});
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ((Words{w[0][i], w[1][i], w[2][i], w[3][i]}), draw(Key{7, 9}, a[i], b[i])) << n << " " << i;
      for (auto& column : w) ASSERT_EQ(column[n], 0xabababab) << "written past the end";
    }
  });
}

TEST(Philox, UniformsStayInsideTheOpenInterval) {
  EXPECT_GT(uniform(0), 0.0);
  EXPECT_LT(uniform(0xffffffffu), 1.0);
  EXPECT_GT(uniform52(0, 0), 0.0);
  EXPECT_LT(uniform52(0xffffffffu, 0xffffffffu), 1.0);
  EXPECT_EQ(below(1, 0xffffffffu, 0xffffffffu), 0u);
  EXPECT_EQ(below(1000, 0xffffffffu, 0xffffffffu), 999u);
  EXPECT_EQ(below(1000, 0, 0), 0u);
}

TEST(Philox, BelowIsUniform) {
  std::vector<double> counts(7);
  for (std::uint64_t k = 0; k < 70000; ++k) {
    const Words w = draw(Key{5, 6}, 1, k);
    ++counts[below(7, w[0], w[3])];
  }
  EXPECT_GT(statistics::chi_square_uniform(counts), 1e-3);
}

}  // namespace
}  // namespace npl::rng::test_philox
