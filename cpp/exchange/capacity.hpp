// SPDX-License-Identifier: Apache-2.0
/// How large a buffer of fixed size is to be, from what had to go through it. All who see the same loads decide the same, so that ranks
/// that both know a load from in-band counts need no further agreement.
#pragma once
#include <algorithm>
#include <cstddef>

namespace npl::exchange {

class Capacity {
 public:
  /// In records, at least one; never below this again.
  explicit Capacity(std::size_t least) : least_(std::max<std::size_t>(least, 1)), now_(least_) {}
  std::size_t records() const { return now_; }

  /// `most` records had to go through; true if the buffer is to have another size from now on.
  /// Grows at once; shrinks only after `window` loads that all would have fitted in half of it, lest it follow every burst up and down.
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
