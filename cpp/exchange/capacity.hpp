// SPDX-License-Identifier: Apache-2.0
/// Size of a buffer that is sent whole, adapted to the number of records in each exchange (the load). The decision depends on the loads
/// alone: two ranks that both see a load, since its count travels with the records, resize in the same exchange without further messages.
#pragma once
#include <algorithm>
#include <cstddef>

namespace npl::exchange {

class Capacity {
 public:
  /// @param least smallest size [records]; 0 counts as 1
  explicit Capacity(std::size_t least) : least_(std::max<std::size_t>(least, 1)), now_(least_) {}
  std::size_t records() const { return now_; }

  /// Notes the load of one exchange [records]; true if the size has changed. Grows at once, to 5/4 of a load that did not fit; shrinks
  /// after `window` exchanges whose loads all fit into half of the buffer, so that one burst does not change the size twice.
  bool observe(std::size_t most) {
    if (most > now_) return set(roomy(most));
    seen_ = std::max(seen_, most);
    if (++quiet_ < window) return false;
    const std::size_t wanted = std::max(least_, roomy(seen_));
    if (wanted * 2 > now_) return seen_ = quiet_ = 0, false;
    return set(wanted);
  }
  static constexpr std::size_t window = 32;

 private:
  static std::size_t roomy(std::size_t records) { return records + records / 4; }
  bool set(std::size_t records) {
    now_ = records;
    seen_ = quiet_ = 0;
    return true;
  }
  std::size_t least_, now_, seen_ = 0, quiet_ = 0;
};

}  // namespace npl::exchange
