// SPDX-License-Identifier: Apache-2.0
#include "connect/vary.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace npl::connect {
namespace {

constexpr std::size_t most = 256;  ///< synapses at a time
constexpr std::size_t per_block = std::tuple_size_v<rng::Words>;

/// Sets the parameters of up to `most` neighbouring synapses of one projection.
class Setter {
 public:
  explicit Setter(const Residents& nodes) : nodes_(nodes) {}

  /// Takes the keys [n] of the synapses, which the parameters may overwrite then.
  void take(const double* keys, std::size_t n) {
    n_ = n;
    for (std::size_t i = 0; i < n; ++i) number_[i] = std::bit_cast<std::uint64_t>(keys[i]) & (parameter_key(1, 0) - 1);
  }
  /// @param target [n] local indices; @param out [n x parameters]
  void set(const Projection& p, const std::uint16_t* target, double* out) {
    const std::size_t width = p.varied.size();
    for (std::size_t j = 0; j < width; ++j) {
      if (j % per_block == 0) draw(p, target, j / per_block);
      const VariedParameter& v = p.varied[j];
      if (v.sampler)
        v.sampler->draw({words_[j % per_block].data(), n_}, values_.data());
      else
        for (std::size_t i = 0; i < n_; ++i) values_[i] = (*v.values.values)[number_[i]];
      for (std::size_t i = 0; i < n_; ++i) out[i * width + j] = values_[i];
    }
  }

 private:
  /// Words for `per_block` parameters of each synapse.
  void draw(const Projection& p, const std::uint16_t* target, std::uint64_t block) {
    for (std::size_t i = 0; i < n_; ++i) {
      const rng::Words w = rng::draw(p.varied_key, static_cast<std::uint64_t>(nodes_.gid(target[i])), block << number_bits | number_[i]);
      for (std::size_t k = 0; k < per_block; ++k) words_[k][i] = w[k];
    }
  }

  const Residents& nodes_;
  std::size_t n_ = 0;
  std::array<std::uint64_t, most> number_;
  std::array<std::array<std::uint32_t, most>, per_block> words_;
  std::array<double, most> values_;
};

}  // namespace

void set_parameters(tables::EdgeTable& table, std::span<const Projection* const> projections, const Residents& nodes) {
  Setter setter(nodes);
  double* const column = table.parameters.data();
  const auto projection = [&](std::size_t i) { return std::bit_cast<std::uint64_t>(column[i]) >> number_bits; };
  const std::size_t width = table.spec->varied.size();
  for (std::size_t begin = table.n_synapses(), end = begin; end > 0; end = begin) {  // from the last, so that no key is overwritten
    const std::uint64_t number = projection(end - 1);
    while (begin > 0 && end - begin < most && projection(begin - 1) == number) --begin;
    setter.take(column + begin, end - begin);
    setter.set(*projections[number], &table.target[begin], column + begin * width);
  }
}

}  // namespace npl::connect
