// SPDX-License-Identifier: Apache-2.0
#include "nodes/rate_step.hpp"

#include "rng/distribution.hpp"
#include "rng/philox.hpp"

namespace npl::nodes {

void rate_noise(const GroupView& g, std::size_t begin, std::size_t n, double* out) {
  constexpr std::uint64_t id = 0x72617465u;  // "rate": no other use of Purpose::model has it
  static const rng::Sampler normal([] {
    rng::ValueSpec s;
    s.kind = rng::Kind::normal;
    s.b = 1.0;
    return s;
  }());
  const rng::Key key = rng::Key::of(g.seed, rng::Purpose::model, id);
  std::array<std::uint32_t, chunk> words;
  for (std::size_t k = 0; k < n; ++k)
    words[k] =
        rng::draw(key, static_cast<std::uint64_t>((*g.nodes)[static_cast<std::int64_t>(begin + k)]), static_cast<std::uint64_t>(g.step))[0];
  normal.draw({words.data(), n}, out);
}

}  // namespace npl::nodes
