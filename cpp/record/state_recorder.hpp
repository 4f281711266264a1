// SPDX-License-Identifier: Apache-2.0
/// Recorded state variables at regular times. Each slice stores those of its own nodes.
#pragma once
#include <span>
#include <vector>

#include "base/ids.hpp"

namespace npl::record {

/// Sampling times of a recorder: stamps offset + k * interval, k >= 0 [steps].
struct Sampling {
  Step interval, offset;  ///< interval >= 1, offset >= 0
  /// Whether this stamp is one of them.
  bool at(Step stamp) const { return stamp >= offset && (stamp - offset) % interval == 0; }
  /// The first of them from this stamp on.
  Step next(Step stamp) const { return stamp <= offset ? offset : offset + (stamp - offset + interval - 1) / interval * interval; }
};

/// Share of a state recorder in one slice: addresses of the variables, and the samples.
class StateTrack {
 public:
  explicit StateTrack(Sampling sampling) : sampling_(sampling) {}
  /// Adds a variable, which must stay at this address. @param column of the recorder's table of (node, quantity)
  void add(const double* source, std::size_t column) { sources_.push_back(source), columns_.push_back(column); }
  /// Stores the current values if this stamp is a sampling time. Called in ascending order, for all sampling times.
  void sample(Step stamp) {
    if (!sources_.empty() && sampling_.at(stamp))
      for (const double* s : sources_) values_.push_back(*s);
  }
  /// Writes all samples to out[sample * width + column], in the columns of this slice. @param width number of columns of the recorder
  /// @param place [columns] other columns to write to; empty: as they are
  void copy_to(double* out, std::size_t width, std::span<const std::size_t> place = {}) const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const std::size_t column = columns_[i % sources_.size()];
      out[i / sources_.size() * width + (place.empty() ? column : place[column])] = values_[i];
    }
  }
  /// Appends `n` samples that the caller fills, and returns the first one, [n][variables]. The pointer is valid until the next sample.
  double* extend(std::size_t n) {
    const std::size_t before = values_.size();
    values_.resize(before + n * sources_.size());
    return values_.data() + before;
  }
  const Sampling& sampling() const { return sampling_; }
  const std::vector<const double*>& sources() const { return sources_; }
  const std::vector<double>& values() const { return values_; }
  const std::vector<std::size_t>& columns() const { return columns_; }
  /// Samples of a checkpoint. @param values [samples][columns()]
  void restore(std::vector<double> values) { values_ = std::move(values); }
  void clear() { values_ = {}; }
  std::size_t bytes() const { return values_.capacity() * sizeof(double) + sources_.capacity() * 2 * sizeof(double); }

 private:
  Sampling sampling_;
  std::vector<const double*> sources_;
  std::vector<std::size_t> columns_;
  std::vector<double> values_;
};

}  // namespace npl::record
