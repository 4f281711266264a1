// SPDX-License-Identifier: Apache-2.0
#include "synapses/target_history.hpp"

namespace npl::synapses {

/// What is kept of all steps moves to rings of other lengths.
void TargetHistory::reserve(Step levels, Step longest_wait) {
  if (levels > levels_) {
    const std::size_t row = rows_ * n_;
    std::vector<double> moved(static_cast<std::size_t>(levels) * row, 0.0);
    for (Step s = std::max<Step>(0, now_ - levels_ + 1); levels_ > 0 && s <= now_; ++s)
      std::copy_n(&level_[place(s)], row, &moved[static_cast<std::size_t>(s % levels) * row]);
    level_ = std::move(moved), levels_ = levels;
    digests_.clear();
  }
  if (const Step waits = longest_wait + 1; waits > waits_) {
    const std::size_t row = quantities_ * n_;
    std::vector<double> moved(static_cast<std::size_t>(waits) * row, 0.0);
    for (Step s = now_ + 1; s < now_ + waits_; ++s)
      std::copy_n(&waiting_[static_cast<std::size_t>(s % waits_) * row], row, &moved[static_cast<std::size_t>(s % waits) * row]);
    waiting_ = std::move(moved), waits_ = waits;
  }
}

void TargetHistory::add(std::span<const double> contributions) {
  for (std::size_t i = 0; i < n_; ++i) {
    if (contributions[i] == 0.0) continue;
    contributions_[i].stamp.push_back(static_cast<std::int32_t>(now_));
    contributions_[i].value.push_back(contributions[i]);
    ++kept_;
  }
}

void TargetHistory::end() { std::fill_n(waiting_.begin() + static_cast<std::ptrdiff_t>(slot(now_, 0)), quantities_ * n_, 0.0); }

void TargetHistory::forget(Step oldest) {
  kept_ = 0;
  for (Contributions& c : contributions_) {
    const auto gone = static_cast<std::ptrdiff_t>(std::upper_bound(c.stamp.begin(), c.stamp.end(), oldest) - c.stamp.begin());
    c.stamp.erase(c.stamp.begin(), c.stamp.begin() + gone);
    c.value.erase(c.value.begin(), c.value.begin() + gone);
    kept_ += c.stamp.size();
  }
}

std::size_t TargetHistory::bytes() const {
  std::size_t bytes = (level_.capacity() + waiting_.capacity() + constants_.capacity()) * sizeof(double) + n_ * sizeof(Contributions) +
                      kept_ * Contributions::bytes_each;
  for (const auto& [number, digest] : digests_) bytes += digest->bytes();
  return bytes;
}

KeptHistory TargetHistory::kept_of(Local node) const {
  const std::size_t i = node - first_;
  KeptHistory kept{contributions_[i], {}, {}};
  for (std::size_t r = 0; r < rows_; ++r)
    for (Step s = now_ - levels_ + 1; s <= now_; ++s) kept.levels.push_back(s > 0 ? levels_at(s)[r * n_ + i] : 0.0);
  for (std::size_t q = 0; q < quantities_; ++q)
    for (Step s = now_ + 1; s < now_ + waits_; ++s) kept.waiting.push_back(waiting_[slot(s, q) + i]);
  return kept;
}

void TargetHistory::restore(Local node, KeptHistory kept, Step now) {
  now_ = now;
  digests_.clear();
  const std::size_t i = node - first_;
  const auto n_waiting = static_cast<Step>(kept.waiting.size() / std::max<std::size_t>(1, quantities_));
  const auto n_levels = static_cast<Step>(kept.levels.size() / rows_);
  reserve(n_levels, n_waiting);
  auto level = kept.levels.begin();
  for (std::size_t r = 0; r < rows_; ++r)
    for (Step s = now - n_levels + 1; s <= now; ++s, ++level)
      if (s > 0) level_[place(s) + r * n_ + i] = *level;
  auto value = kept.waiting.begin();
  for (std::size_t q = 0; q < quantities_; ++q)
    for (Step s = now + 1; s <= now + n_waiting; ++s) waiting_[slot(s, q) + i] = *value++;
  kept_ += kept.contributions.stamp.size();
  contributions_[i] = std::move(kept.contributions);
}

}  // namespace npl::synapses
