// SPDX-License-Identifier: Apache-2.0
#include "connect/vary.hpp"

#include <algorithm>
#include <array>

namespace npl::connect {
namespace {

constexpr std::size_t most = 256;  ///< synapses at a time
constexpr std::size_t per_block = std::tuple_size_v<rng::Words>;

/// Sets the parameters of n <= most neighbouring synapses of one projection.
class Setter {
 public:
  explicit Setter(const Residents& nodes) : nodes_(nodes) {}

  void set(const Projection& p, std::span<const KeyedWeight> edges, const std::uint16_t* target, double* out) {
    const std::size_t n = edges.size(), width = p.varied.size();
    for (std::size_t j = 0; j < width; ++j) {
      if (j % per_block == 0) draw(p, edges, target, j / per_block);
      const VariedParameter& v = p.varied[j];
      if (v.sampler) {
        v.sampler->draw({words_[j % per_block].data(), n}, values_.data());
        for (std::size_t i = 0; i < n; ++i) out[i * width + j] = values_[i];
      } else {
        for (std::size_t i = 0; i < n; ++i) out[i * width + j] = (*v.values.values)[edges[i].index];
      }
    }
  }

 private:
  /// Words for `per_block` parameters of each synapse.
  void draw(const Projection& p, std::span<const KeyedWeight> edges, const std::uint16_t* target, std::size_t block) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const rng::Words w =
          rng::draw(p.varied_key, static_cast<std::uint64_t>(nodes_.gid(target[i])), std::uint64_t{block} << 32 | edges[i].number);
      for (std::size_t k = 0; k < per_block; ++k) words_[k][i] = w[k];
    }
  }

  const Residents& nodes_;
  std::array<std::array<std::uint32_t, most>, per_block> words_;
  std::array<double, most> values_;
};

}  // namespace

void set_parameters(tables::EdgeTable& table, const Buffer<KeyedWeight>& keyed, std::span<const Projection* const> projections,
                    const Residents& nodes) {
  Setter setter(nodes);
  const std::size_t width = table.spec->varied.size();
  for (std::size_t i = 0, end = 0; i < keyed.size(); i = end) {
    for (; end < std::min(keyed.size(), i + most) && keyed[end].projection == keyed[i].projection; ++end)
      table.set_weight(end, keyed[end].weight);
    setter.set(*projections[keyed[i].projection], {&keyed[i], end - i}, &table.target[i], &table.parameters[i * width]);
  }
}

}  // namespace npl::connect
