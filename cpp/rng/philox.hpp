// SPDX-License-Identifier: Apache-2.0
/// Philox4x32-10 (Salmon et al. 2011), a counter-based generator: a random number is a function of what it is for, so any rank or thread
/// can draw it (law 1). Own code instead of Random123, since loops around it must vectorise; the published known answers are tests.
#pragma once
#include <array>
#include <cstdint>

#include "base/simd.hpp"

namespace npl::rng {

using Words = std::array<std::uint32_t, 4>;

/// Use of a random number. Part of every key, so that two uses never share numbers.
enum class Purpose : std::uint32_t {
  connect = 1,
  node_value,
  poisson,
  noise,
  model,
  tree,
  degree,
  distribution,
  touch,
  dry_run,
  synapse,
  parameter,
  growth
};

/// The block of counter c under key (k0, k1).
NPL_INLINE Words philox(Words c, std::uint32_t k0, std::uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c[0], p1 = std::uint64_t{0xCD9E8D57u} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(p1), static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k1,
         static_cast<std::uint32_t>(p0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

/// A 64-bit key from the seed of the network, the purpose and the id of the user (projection, device, population). Mixed by Philox itself,
/// so collisions are as rare as those of random 64-bit numbers.
struct Key {
  std::uint32_t k0, k1;
  NPL_STEP static Key of(std::uint64_t seed, Purpose purpose, std::uint64_t id) {
    const Words w =
        philox({static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(id >> 32), static_cast<std::uint32_t>(purpose), 0x6e706c31u},
               static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    return {w[0], w[1]};
  }
};

/// The four words of counter (a, b): a is usually a gid, b what is counted for it (number of the edge, step, attempt).
NPL_INLINE Words draw(Key key, std::uint64_t a, std::uint64_t b) {
  return philox({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(a >> 32), static_cast<std::uint32_t>(b),
                 static_cast<std::uint32_t>(b >> 32)},
                key.k0, key.k1);
}

/// Uniform in (0, 1), never 0 or 1.
NPL_INLINE double uniform(std::uint32_t word) { return (word + 0.5) * 0x1p-32; }
/// Uniform in (0, 1) with 52 bits.
NPL_INLINE double uniform52(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 20) | (low >> 12);
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}
/// Uniform integer in [0, n), from 48 random bits: bias below n * 2^-48.
NPL_INLINE std::uint64_t below(std::uint64_t n, std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 16) | (low & 0xffffu);
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * n) >> 48);
}

}  // namespace npl::rng
