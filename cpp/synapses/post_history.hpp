// SPDX-License-Identifier: Apache-2.0
/// Spikes of one postsynaptic neuron with the trace K- after each, in order of time.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace npl::synapses {

/// Spike of the postsynaptic neuron: stamp [steps] and trace just after it.
struct PostSpike {
  std::int32_t stamp;
  double trace;
};

/// Appends a value to an array that keeps the newest ones.
template <class T, std::size_t N>
void append_newest(std::array<T, N>& newest, T value) {
  std::array<T, N - 1> later;  // a copy: moving values that overlap takes a call
  std::memcpy(later.data(), newest.data() + 1, sizeof later);
  std::memcpy(newest.data(), later.data(), sizeof later);
  newest.back() = value;
}

struct PostHistory {
  static constexpr std::int32_t none = INT32_MIN;  ///< no spike: earlier than every time
  std::vector<std::int32_t> stamp;                 ///< [steps]
  std::vector<double> trace;                       ///< just after each spike

  /// Index of the first spike with a stamp > `time`. Searches from the end: late times are asked for most.
  std::size_t first_after(std::int64_t time) const {
    std::size_t i = stamp.size();
    while (i > 0 && stamp[i - 1] > time) --i;
    return i;
  }
  /// Index of the first spike with a stamp >= `time`.
  std::size_t first_from(std::int64_t time) const { return first_after(time - 1); }
  std::size_t size() const { return stamp.size(); }
  std::int32_t at(std::size_t i) const { return stamp[i]; }
  /// Memory of a spike.
  static constexpr std::size_t bytes_per_spike = sizeof(std::int32_t) + sizeof(double);
};

}  // namespace npl::synapses
