// SPDX-License-Identifier: Apache-2.0
/// State variables of chosen nodes at regular times, kept in memory by the slice that owns the node.
#pragma once
#include <vector>

#include "base/ids.hpp"

namespace npl::record {

/// When a recorder samples: at stamps k * interval + offset, > 0.
struct Sampling {
  Step interval, offset;
  bool at(Step stamp) const { return stamp >= offset && (stamp - offset) % interval == 0; }
};

/// One slice's share of a state recorder: where to read, and what was read.
class StateTrack {
 public:
  explicit StateTrack(Sampling sampling) : sampling_(sampling) {}
  /// The value goes to this column of the recorder's (node, quantity) table.
  void add(const double* source, std::size_t column) { sources_.push_back(source), columns_.push_back(column); }
  void sample(Step stamp) {
    if (!sources_.empty() && sampling_.at(stamp))
      for (const double* s : sources_) values_.push_back(*s);
  }
  /// Writes column by column into out[sample * width + column].
  void copy_to(double* out, std::size_t width) const {
    for (std::size_t i = 0; i < values_.size(); ++i) out[i / sources_.size() * width + columns_[i % sources_.size()]] = values_[i];
  }
  const Sampling& sampling() const { return sampling_; }
  const std::vector<double>& values() const { return values_; }
  void clear() { values_ = {}; }
  std::size_t bytes() const { return values_.capacity() * sizeof(double) + sources_.capacity() * 2 * sizeof(double); }

 private:
  Sampling sampling_;
  std::vector<const double*> sources_;
  std::vector<std::size_t> columns_;
  std::vector<double> values_;
};

}  // namespace npl::record
