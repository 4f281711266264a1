// SPDX-License-Identifier: Apache-2.0
#include "rng/step_table.hpp"

#include <algorithm>

#include "base/simd.hpp"

namespace npl::rng {
namespace {

constexpr std::size_t guide_bits = 12;
constexpr std::size_t most_compared = 40;  ///< above, the guide table is faster (measured, AVX2)
constexpr std::size_t at_once = 4;         ///< thresholds per pass over the words
constexpr std::size_t chunk = 256;         ///< words per pass, with their counts in L1

/// Adds up over how many thresholds each word lies; plain loops that vectorise on every level.
struct Compare {
  NPL_INLINE static void one_chunk(const std::uint32_t* last, std::size_t thresholds, std::uint32_t lowest, const std::uint32_t* words,
                                   std::uint16_t* out, std::size_t n) {
    std::int32_t w[chunk], count[chunk];
    for (std::size_t i = 0; i < n; ++i) w[i] = static_cast<std::int32_t>(words[i] ^ 0x80000000u);  // unsigned order by signed comparison
    for (std::size_t i = 0; i < n; ++i) count[i] = static_cast<std::int32_t>(lowest);
    for (std::size_t k = 0; k < thresholds; k += at_once) {
      std::int32_t t[at_once];
      for (std::size_t j = 0; j < at_once; ++j) t[j] = static_cast<std::int32_t>(last[k + j] ^ 0x80000000u);
      for (std::size_t i = 0; i < n; ++i) count[i] += (w[i] > t[0]) + (w[i] > t[1]) + (w[i] > t[2]) + (w[i] > t[3]);
    }
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint16_t>(count[i]);
  }

  NPL_INLINE static void run(const std::uint32_t* last, std::size_t thresholds, std::uint32_t lowest, const std::uint32_t* words,
                             std::uint16_t* out, std::size_t n) {
    for (std::size_t i = 0; i < n; i += chunk) one_chunk(last, thresholds, lowest, words + i, out + i, std::min(chunk, n - i));
  }
};

}  // namespace

StepTable::StepTable(std::uint32_t first, std::span<const double> cdf) : lowest_(first) {
  for (double p : cdf) {
    const double words = p * 0x1p32 + 0.5;  // how many words stay at or below this value
    if (words < 1.0)
      ++lowest_;
    else if (words < 0x1p32)
      last_.push_back(static_cast<std::uint32_t>(words) - 1);
  }
  last_.push_back(0xffffffffu);
  values_ = static_cast<std::uint32_t>(last_.size());
  if (values_ <= most_compared) {
    last_.resize((values_ + at_once - 1) / at_once * at_once, 0xffffffffu);  // no word lies above the filling
    return;
  }
  guide_.resize(std::size_t{1} << guide_bits);
  std::size_t k = 0;
  for (std::size_t g = 0; g < guide_.size(); ++g) {
    while (last_[k] < g << (32 - guide_bits)) ++k;
    guide_[g] = static_cast<std::uint16_t>(k);
  }
}

void StepTable::draw(const std::uint32_t* words, std::uint16_t* out, std::size_t n) const {
  if (guide_.empty()) return Dispatch<Compare>::run(last_.data(), last_.size(), lowest_, words, out, n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t w = words[i];
    std::uint32_t k = guide_[w >> (32 - guide_bits)];
    k += w > last_[k];  // almost always enough, and no branch to mispredict
    while (w > last_[k]) ++k;
    out[i] = static_cast<std::uint16_t>(lowest_ + k);
  }
}

}  // namespace npl::rng
