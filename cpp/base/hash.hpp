// SPDX-License-Identifier: Apache-2.0
/// Hashing of plain values, for comparing descriptions and tables. Not for security.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace npl {

/// The hash of a sequence that had the hash `so_far` before x was appended.
inline std::uint64_t hash_step(std::uint64_t so_far, std::uint64_t x) {
  const std::uint64_t mixed = (std::rotl(so_far, 29) ^ x) * 0x9E3779B97F4A7C15u;
  return mixed ^ mixed >> 32;
}

/// Hash of plain values one after the other.
class Hash {
 public:
  /// @param value of at most 8 bytes, by its bytes
  template <class T>
  Hash& add(const T& value) {
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    value_ = hash_step(value_, word);
    return *this;
  }
  Hash& add(std::string_view text) {
    for (char c : text) add(c);
    return add(text.size());
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace npl
