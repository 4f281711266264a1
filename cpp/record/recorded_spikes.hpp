// SPDX-License-Identifier: Apache-2.0
/// Recorded spikes of a slice, in the order in which the slice emitted them. A spike takes 8 bytes where all gids have 32 bits, else 16.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/ids.hpp"

namespace npl::record {

class RecordedSpikes {
 public:
  /// A spike in 8 bytes: simulations have fewer than 2^31 steps.
  struct Short {
    std::uint32_t gid, step;
    Short() = default;
    Short(const Spike& s) : gid(static_cast<std::uint32_t>(s.gid)), step(static_cast<std::uint32_t>(s.step)) {}
    operator Spike() const { return {gid, step}; }
  };

  /// @param last the largest gid that is recorded
  explicit RecordedSpikes(Gid last) : wide_(last > UINT32_MAX) {}

  /// Calls f with the vector that holds the spikes: std::vector<Short> or std::vector<Spike>.
  template <class F>
  decltype(auto) visit(F&& f) {
    return wide_ ? f(wide_list_) : f(short_list_);
  }
  template <class F>
  decltype(auto) visit(F&& f) const {
    return wide_ ? f(wide_list_) : f(short_list_);
  }
  std::size_t size() const {
    return visit([](const auto& list) { return list.size(); });
  }
  Spike operator[](std::size_t i) const {
    return visit([i](const auto& list) { return Spike(list[i]); });
  }
  void push_back(const Spike& s) {
    visit([&](auto& list) { make_room(list), list.push_back(s); });
  }
  /// Appends each spike i for which wanted(i) is true. Every spike is written, and the next one overwrites an unwanted spike: this loop has
  /// no branch that the processor could mispredict.
  template <class Wanted>
  void append(const std::vector<Spike>& spikes, Wanted&& wanted) {
    visit([&](auto& list) {
      std::size_t end = list.size();
      make_room(list, spikes.size());
      list.resize(end + spikes.size());
      for (std::size_t i = 0; i < spikes.size(); ++i) {
        list[end] = spikes[i];
        end += wanted(i);
      }
      list.resize(end);
    });
  }
  void clear() {
    visit([](auto& list) { list = {}; });
  }
  std::size_t bytes() const {
    return visit([](const auto& list) { return list_bytes(list); });
  }
  /// Bytes of a recorded spike. @param last the largest gid that is recorded
  static constexpr std::size_t bytes_each(double last) { return last > UINT32_MAX ? sizeof(Spike) : sizeof(Short); }

 private:
  bool wide_;
  std::vector<Short> short_list_;
  std::vector<Spike> wide_list_;
};

}  // namespace npl::record
