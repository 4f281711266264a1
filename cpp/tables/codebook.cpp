// SPDX-License-Identifier: Apache-2.0
#include "tables/codebook.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace npl::tables {

std::optional<Code> Codebook::place_of(std::span<const float> values) const {
  for (const auto& [begin, length] : parts_)
    if (length == values.size() && std::memcmp(&values_[begin], values.data(), values.size_bytes()) == 0) return static_cast<Code>(begin);
  return {};
}

Code Codebook::add(std::span<const float> values) {
  if (const auto known = place_of(values)) return *known;
  const std::size_t begin = values_.size();
  by_bits_.reserve(begin + values.size()), values_.reserve(begin + values.size());
  parts_.emplace_back(begin, values.size());
  values_.insert(values_.end(), values.begin(), values.end());
  for (std::size_t c = begin; c < values_.size(); ++c)
    by_bits_.emplace_back(std::bit_cast<std::uint32_t>(values_[c]), static_cast<Code>(c));
  std::sort(by_bits_.begin(), by_bits_.end());
  return static_cast<Code>(begin);
}

void Codebook::forget_after(std::size_t parts) noexcept {
  if (parts >= parts_.size()) return;
  values_.resize(parts_[parts].first);
  parts_.resize(parts);
  std::erase_if(by_bits_, [this](const auto& known) { return known.second >= values_.size(); });
}

std::optional<Code> Codebook::find(float value) const {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto at = std::lower_bound(by_bits_.begin(), by_bits_.end(), std::pair{bits, Code{0}});
  return at != by_bits_.end() && at->first == bits ? std::optional(at->second) : std::nullopt;
}

FixedBook Codebook::in_fixed(double to_fixed) const {
  const std::lock_guard lock(guard_);
  auto& known = in_fixed_[to_fixed];
  if (FixedBook book = known.lock(); book && book->size() == values_.size()) return book;
  auto made = std::make_shared<std::vector<Fixed>>(values_.size());
  with_rounding(to_fixed, [&](auto fixed) { std::transform(values_.begin(), values_.end(), made->begin(), fixed); });
  known = made;
  return made;
}

}  // namespace npl::tables
